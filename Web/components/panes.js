import { h } from "./dom.js";
import { iconButton } from "./controls.js";

/**
 * One pane: a heading that stays, a body that scrolls, and perhaps a foot.
 * @param {{name: string, title: string, titleNote?: any, back?: (() => void)|null, actions?: any[], body: any, foot?: any, kind?: string}} facts
 * What it shows; `name` tells panes apart.
 * @returns {object} A description.
 */
export function pane({ name, title, titleNote, back, actions = [], body, foot, kind = "" }) {
  return h("section", { class: `pane ${kind}`.trim(), "aria-labelledby": `${name}-title`, key: name },
    h("header", { class: "pane-head" },
      back ? iconButton("left", "Back", back, { class: "back-button" }) : null,
      h("div", { class: "pane-title" }, h("h2", { id: `${name}-title`, tabindex: "-1" }, title), titleNote ?? null),
      h("div", { class: "pane-actions" }, ...actions)),
    h("div", { class: "pane-body", id: `${name}-body` }, body),
    foot ? h("footer", { class: "pane-foot" }, foot) : null);
}

/**
 * A list and what was chosen of it: beside each other where there is room, one at a time on a phone.
 * @param {object} list A pane.
 * @param {object} detail A pane.
 * @param {boolean} isDetail Which one a phone shows.
 * @returns {object} A description.
 */
export function panes(list, detail, isDetail) {
  return h(
    "div", { class: "panes", "data-shows": isDetail ? "detail" : "list" }, h("div", { class: "pane-slot slot-list" }, list),
    h("div", { class: "pane-slot slot-detail" }, detail),
  );
}
