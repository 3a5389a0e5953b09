import { create, h, render } from "./dom.js";
import { meterHeight } from "../audio/pcm.js";

/**
 * A level meter that moves with the sound; with reduced motion it changes without gliding.
 * @param {string} label Its name.
 * @returns {{element: Element, show: (level: number, peak: number) => void}} The meter; both values from 0 to 1.
 */
export function createMeter(label) {
  const element = create(
    h(
      "div",
      {
        class: "meter", role: "meter", "aria-label": label, "aria-valuemin": "-60", "aria-valuemax": "0", "aria-valuenow": "-60",
        "aria-valuetext": "silent",
      },
    )
  );
  let bar;
  let mark;
  render(
    element, h("span", { class: "meter-bar", ref: (node) => { bar = node; } }), h("span", { class: "meter-peak", ref: (node) => { mark = node; } }),
  );
  let held = 0;
  let told = 0;
  return {
    element,
    show(level, peak) {
      held = Math.max(peak, held * 0.96);
      bar.style.setProperty("--fill", String(meterHeight(level)));
      mark.style.setProperty("--fill", String(meterHeight(held)));
      const isClipped = peak >= 0.99;
      element.classList.toggle("clipped", isClipped);
      const now = performance.now();
      if (now - told < 500) return;
      told = now;
      const decibels = level > 0 ? Math.max(-60, Math.round(20 * Math.log10(level))) : -60;
      element.setAttribute("aria-valuenow", String(decibels));
      element.setAttribute("aria-valuetext", isClipped ? "too loud" : decibels <= -58 ? "silent" : `${decibels} decibels`);
    },
  };
}
