import { create, h, render, slot } from "../components/dom.js";
import { button } from "../components/controls.js";
import { icon } from "../components/icon.js";
import { route } from "./router.js";

/** The rooms of the app, in the order of the bar. */
export const ROOMS = [
  { id: "agents", label: "Agents" },
  { id: "transcribe", label: "Transcribe" },
  { id: "speak", label: "Speak" },
  { id: "voice", label: "My Voice" },
  { id: "library", label: "Library" },
  { id: "settings", label: "Settings" },
];

/**
 * What stands around every view: the bar, banners, and the place of the view.
 * @param {{skip: () => void}} effects `skip` puts the focus into the view.
 * @returns {{element: Element, main: Element, show: (facts: {room: string, banners: object[], running: number}) => void, place: (view: Element,
 * name: string) => void}} The shell.
 */
export function createShell({ skip }) {
  const element = create(h("div", { class: "shell" }));
  const main = create(h("main", { class: "main", id: "main", tabindex: "-1" }));
  let view = null;
  let name = "";

  function drawMain() {
    render(main, h("h1", { class: "visually-hidden" }, name), view ? slot(view) : null);
  }

  return {
    element, main,
    show({ room, banners, running }) {
      render(element,
        h("a", { class: "skip", href: "#main", onclick: (event) => { event.preventDefault(); skip(); } }, "Skip to the content"),
        h("nav", { class: "bar", "aria-label": "Sections" },
          h("span", { class: "brand", "aria-hidden": "true" }, "sotto"),
          h("ul", null, ROOMS.map(({ id, label }) => h("li", { key: id }, h("a", {
            href: route(id), class: "bar-link", "aria-current": room === id ? "page" : undefined,
          }, h("span", { class: "bar-icon" }, icon(id), id === "agents" && running > 0 ? h("span", { class: "bar-dot" }) : null),
          h("span", { class: "bar-label" }, label),
          id === "agents" && running > 0 ? h("span", { class: "visually-hidden" }, `, ${running} running`) : null))))),
        h("div", { class: "stage" },
          h(
            "div", { class: "banners", key: "banners" },
            banners.map(
              (banner) => h(
                "div", { class: `banner ${banner.kind ?? ""}`.trim(), role: banner.kind === "warning" ? "alert" : "status", key: banner.id },
            h("p", null, banner.text), banner.action ? button(banner.action.label, banner.action.run, { class: "quiet" }) : null))),
          slot(main)));
    },
    place(next, title) {
      view = next;
      name = title;
      drawMain();
    },
  };
}
