import { create, h, render } from "./dom.js";
import { button, iconButton } from "./controls.js";

let count = 0;

/**
 * Opens a sheet over the page: from below on a phone, at the side where there is room. Escape, the button and a click beside it close it; the focus
 * goes back.
 * @param {{title: string, body: any, actions?: any[], kind?: string}} facts What it shows; `kind` `dialog` is a small one in the middle.
 * @returns {{close: () => void, update: (facts: object) => void, closed: Promise<void>}} The open sheet.
 */
export function openSheet(facts) {
  count += 1;
  const id = `sheet-${count}`;
  const opener = document.activeElement;
  let resolve;
  const closed = new Promise((done) => { resolve = done; });
  const element = create(h("dialog", { class: `sheet ${facts.kind ?? ""}`.trim(), "aria-labelledby": `${id}-title` }));
  const close = () => element.close();
  function draw(shown) {
    render(element, h("div", { class: "sheet-inner" },
      h("header", { class: "sheet-head" }, h("h2", { id: `${id}-title`, tabindex: "-1" }, shown.title), iconButton("close", "Close", close)),
      h("div", { class: "sheet-body", tabindex: "0" }, shown.body),
      shown.actions ? h("footer", { class: "sheet-foot" }, ...shown.actions) : null));
  }
  draw(facts);
  element.onclick = (event) => {
    if (event.target === element) close();
  };
  element.onclose = () => {
    element.remove();
    if (opener?.isConnected) opener.focus({ preventScroll: true });
    resolve();
  };
  document.body.append(element);
  element.showModal();
  (element.querySelector("[autofocus]") ?? element.querySelector("h2")).focus();
  return { close, closed, update: draw };
}

/**
 * Asks before something that cannot be taken back.
 * @param {{title: string, text: string, action: string, word?: string, isDangerous?: boolean}} question `word` has to be typed.
 * @returns {Promise<boolean>} Whether to do it.
 */
export function confirmed({ title, text, action, word, isDangerous = true }) {
  return new Promise((resolve) => {
    let isSure = false;
    let typed = "";
    const type = (event) => {
      typed = event.target.value.trim();
      sheet.update(facts());
    };
    const facts = () => ({
      title, kind: "dialog",
      body: [
        h("p", null, text),
        word ? h("div", { class: "field" }, h("label", { class: "field-label", for: "confirm-word" }, `Type “${word}” to go on`),
          h("input", { id: "confirm-word", class: "input", autocomplete: "off", autocapitalize: "none", oninput: type })) : null,
      ],
      actions: [
        button("Keep", () => sheet.close(), { class: "quiet", autofocus: true }),
        button(
          action, () => { isSure = true; sheet.close(); }, { class: isDangerous ? "danger" : "primary", disabled: word ? typed !== word : false },
        ),
      ],
    });
    const sheet = openSheet(facts());
    sheet.closed.then(() => resolve(isSure));
  });
}
