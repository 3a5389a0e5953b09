import { create, h, render } from "./dom.js";
import { button, iconButton } from "./controls.js";

/**
 * Short messages at the edge, one for each tag, and one voice for screen readers.
 * @returns {{element: Element, show: (toast: {text: string, tag?: string, kind?: string, action?: {label: string, run: () => void}, seconds?:
 * number}) => void, hide: (tag: string) => void, announce: (text: string) => void}} The messages.
 */
export function createToasts() {
  const list = create(h("div", { class: "toasts", role: "region", "aria-label": "Messages" }));
  const polite = create(h("div", { class: "visually-hidden", role: "status", "aria-live": "polite" }));
  const element = create(h("div", { class: "toast-layer" }));
  element.append(list, polite);
  let toasts = [];
  let number = 0;
  let waiting = null;
  let saidAt = 0;
  let speaker = null;

  function draw() {
    render(
      list,
      toasts.map(
        (toast) => h("div", { class: `toast ${toast.kind ?? ""}`.trim(), key: toast.tag, role: toast.kind === "error" ? "alert" : undefined },
      h("p", null, toast.text),
      toast.action ? button(toast.action.label, () => { hide(toast.tag); toast.action.run(); }, { class: "quiet" }) : null,
      iconButton("close", "Dismiss", () => hide(toast.tag)))));
  }

  function hide(tag) {
    const gone = toasts.find((toast) => toast.tag === tag);
    if (!gone) return;
    clearTimeout(gone.timer);
    toasts = toasts.filter((toast) => toast !== gone);
    draw();
  }

  // A screen reader that is interrupted at every change says nothing.
  function announce(text) {
    waiting = text;
    if (speaker) return;
    speaker = setTimeout(() => {
      speaker = null;
      saidAt = Date.now();
      polite.textContent = waiting;
      waiting = null;
    }, Math.max(50, 2000 - (Date.now() - saidAt)));
  }

  return {
    element, hide, announce,
    show(toast) {
      number += 1;
      const tag = toast.tag ?? `toast-${number}`;
      const old = toasts.find((other) => other.tag === tag);
      clearTimeout(old?.timer);
      const seconds = toast.seconds ?? (toast.kind === "error" ? 12 : 6);
      const entry = { ...toast, tag, timer: setTimeout(() => hide(tag), seconds * 1000) };
      toasts = [...toasts.filter((other) => other !== old), entry].slice(-3);
      draw();
      if (toast.kind !== "error") announce(toast.text);
    },
  };
}
