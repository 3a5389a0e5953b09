import { h } from "./dom.js";
import { icon } from "./icon.js";

/**
 * A button with an icon alone, named for those who cannot see it.
 * @param {string} picture Name of the icon.
 * @param {string} label What it does.
 * @param {() => void} onclick Does it.
 * @param {object} [props] More attributes.
 * @returns {object} A description.
 */
export function iconButton(picture, label, onclick, props = {}) {
  const { class: kind, ...rest } = props;
  return h(
    "button", { type: "button", class: `icon-button ${kind ?? ""}`.trim(), "aria-label": label, title: label, onclick, ...rest }, icon(picture),
  );
}

/**
 * A button with words.
 * @param {string} label What it does.
 * @param {() => void} onclick Does it.
 * @param {object} [props] More attributes; `picture` puts an icon before the words.
 * @returns {object} A description.
 */
export function button(label, onclick, props = {}) {
  const { class: kind, picture, ...rest } = props;
  return h(
    "button", { type: "button", class: `button ${kind ?? ""}`.trim(), onclick, ...rest }, picture ? icon(picture) : null, h("span", null, label),
  );
}

/**
 * A switch with its name and what it means.
 * @param {{id: string, label: string, note?: string, checked: boolean, onchange: (isOn: boolean) => void, disabled?: boolean}} facts What it shows.
 * @returns {object} A description.
 */
export function toggle({ id, label, note, checked, onchange, disabled = false }) {
  return h("div", { class: "row switch-row" },
    h(
      "label", { class: "row-text", for: id }, h("span", { class: "row-title" }, label),
      note ? h("span", { class: "row-note", id: `${id}-note` }, note) : null,
    ),
    h("input", {
      id, type: "checkbox", role: "switch", class: "switch", checked, disabled, "aria-describedby": note ? `${id}-note` : undefined,
      onchange: (event) => onchange(event.target.checked),
    }));
}

/**
 * A choice of a few, as a list that opens.
 * @param {{id: string, label: string, note?: string, value: string, options: {value: string, label: string}[], onchange: (value: string) => void,
 * isInline?: boolean, disabled?: boolean}} facts What it shows.
 * @returns {object} A description.
 */
export function choice({ id, label, note, value, options, onchange, isInline = false, disabled = false }) {
  const select = h(
    "select",
    { id, class: "select", value, disabled, "aria-describedby": note ? `${id}-note` : undefined, onchange: (event) => onchange(event.target.value) },
    options.map((option) => h("option", { value: option.value, key: option.value }, option.label)));
  if (isInline) return h("span", { class: "inline-choice" }, h("label", { class: "visually-hidden", for: id }, label), select);
  return h("div", { class: "row" },
    h(
      "label", { class: "row-text", for: id }, h("span", { class: "row-title" }, label),
      note ? h("span", { class: "row-note", id: `${id}-note` }, note) : null,
    ),
    select);
}

/**
 * A field with its name above.
 * @param {{id: string, label: string, note?: string, error?: string|null, props?: object}} facts What it shows; `props` are those of the input.
 * @returns {object} A description.
 */
export function field({ id, label, note, error, props = {} }) {
  const described = [note ? `${id}-note` : "", error ? `${id}-error` : ""].filter(Boolean).join(" ");
  return h("div", { class: "field" },
    h("label", { for: id, class: "field-label" }, label),
    h("input", { id, class: "input", "aria-describedby": described || undefined, "aria-invalid": error ? "true" : undefined, ...props }),
    note ? h("p", { class: "note", id: `${id}-note` }, note) : null,
    error ? h("p", { class: "error-text", id: `${id}-error` }, error) : null);
}

/**
 * Progress of something, known or not.
 * @param {string} label Of what.
 * @param {number|undefined} fraction From 0 to 1; nothing when nobody knows.
 * @returns {object} A description.
 */
export function progress(label, fraction) {
  return h(
    "progress",
    {
      class: "progress", "aria-label": label, max: "1", value: fraction === undefined || fraction === null ? undefined : String(fraction),
      key: fraction === undefined || fraction === null ? "unknown" : "known",
    },
  );
}

/**
 * What stands where nothing is: what is missing, and what to do.
 * @param {string} title In a few words.
 * @param {string} text What to do.
 * @param {...any} more Controls.
 * @returns {object} A description.
 */
export function emptyState(title, text, ...more) {
  return h("div", { class: "empty" }, h("p", { class: "empty-title" }, title), text ? h("p", { class: "note" }, text) : null, ...more);
}

/**
 * Something that went wrong, where it went wrong.
 * @param {string} text What and what to do.
 * @param {(() => void)|null} [again] Tries again.
 * @returns {object} A description.
 */
export function failure(text, again = null) {
  return h(
    "div", { class: "failure", role: "alert" }, icon("warning"), h("p", null, text), again ? button("Try again", again, { class: "quiet" }) : null,
  );
}

/**
 * A file that is chosen by a button.
 * @param {{label: string, accept?: string, multiple?: boolean, onfiles: (files: File[]) => void, class?: string, picture?: string, disabled?:
 * boolean, isIcon?: boolean}} facts What it takes.
 * @returns {object} A description.
 */
export function fileButton({ label, accept, multiple = false, onfiles, class: kind = "", picture = "upload", disabled = false, isIcon = false }) {
  const choose = (event) => event.currentTarget.nextElementSibling.click();
  return h("span", { class: "file-button" },
    isIcon ? iconButton(picture, label, choose, { disabled }) : button(label, choose, { class: kind, picture, disabled }),
    h("input", {
      type: "file", class: "visually-hidden", accept, multiple, tabindex: "-1", "aria-hidden": "true",
      onchange: (event) => {
        const files = [...event.target.files];
        event.target.value = "";
        if (files.length > 0) onfiles(files);
      },
    }));
}
