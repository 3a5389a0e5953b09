import { create, drawing, h, render, slot } from "./dom.js";
import { button, choice, iconButton, toggle } from "./controls.js";
import { icon } from "./icon.js";
import { createDictation } from "./dictation.js";
import { placeName } from "../state/format.js";

const MODES = [
  { value: "quick", label: "Quick", note: "One round, the shortest" },
  { value: "balanced", label: "Balanced", note: "As much as most questions need" },
  { value: "deep", label: "Deep", note: "More rounds; takes longest" },
];
const REPEATS = [
  { value: "day at", label: "Every day" }, { value: "weekday at", label: "Every weekday" }, { value: "weekend at", label: "At weekends" },
  { value: "mon at", label: "On Mondays" }, { value: "tue at", label: "On Tuesdays" }, { value: "wed at", label: "On Wednesdays" },
  { value: "thu at", label: "On Thursdays" },
  { value: "fri at", label: "On Fridays" }, { value: "sat at", label: "On Saturdays" }, { value: "sun at", label: "On Sundays" },
  { value: "month on 1 at", label: "On the 1st of the month" }, { value: "hour", label: "Every hour" },
];

/**
 * Where questions are asked: a field that grows, a key for dictation, one for sending, and what a question may be given along.
 * @param {object} app The app.
 * @param {{name: string, label: string, placeholder: string, ask: (body: object) => Promise<boolean>}} facts `name` of the draft; `ask` returns
 * whether the field may be emptied.
 * @returns {{element: Element, key: (isDown: boolean) => void, focus: () => void, fill: (text: string) => void}} The composer.
 */
export function createComposer(app, { name, label, placeholder, ask }) {
  const element = create(h("form", { class: "composer", "aria-label": label, onsubmit: submit }));
  let area;
  let isOpen = false;
  let isSending = false;
  let problem = null;
  let options = { mode: app.preferences.get("mode", "balanced"), web: true, folders: [], when: "now", at: "", repeat: "weekday at", time: "08:30" };
  let folders = null;
  const dictation = createDictation(app, { field: () => area, name: "the question" });

  app.drafts.follow(name, (text) => {
    if (area && document.activeElement !== area && area.value !== text) {
      area.value = text;
      grow();
      draw();
    }
  });

  function grow() {
    // Nothing can be measured before it is shown.
    if (!area.isConnected || area.scrollHeight === 0) return;
    area.style.setProperty("height", "auto");
    area.style.setProperty("height", `${area.scrollHeight}px`);
  }

  function typed() {
    app.drafts.set(name, area.value);
    problem = null;
    grow();
    draw();
  }

  function body() {
    const value = { question: area.value.trim(), mode: options.mode };
    if (!options.web) value.web = false;
    else if (options.folders.length > 0) value.web = true;
    if (options.folders.length > 0) value.library = options.folders;
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    if (options.when === "later") {
      value.at = options.at.replace("T", " ");
      value.zone = zone;
    }
    if (options.when === "repeat") {
      value.every = options.repeat === "hour" ? "hour" : `${options.repeat} ${options.time}`;
      value.zone = zone;
    }
    return value;
  }

  async function submit(event) {
    event.preventDefault();
    if (isSending) return;
    isSending = true;
    draw();
    try {
      await dictation.stop();
      if (!area.value.trim()) {
        problem = "Write or say a question first.";
        area.focus();
        return;
      }
      if (options.when === "later" && !options.at) {
        problem = "Choose when it is to run.";
        return;
      }
      const text = area.value;
      if (await ask(body())) {
        if (area.value === text) {
          area.value = "";
          app.drafts.set(name, "");
          grow();
        }
        options = { ...options, when: "now", at: "" };
        isOpen = false;
      }
    } catch (error) {
      problem = error.message;
    } finally {
      isSending = false;
      draw();
    }
  }

  async function openOptions() {
    isOpen = !isOpen;
    draw();
    if (!isOpen) return;
    try {
      folders = (await app.client.get("/api/library")).roots;
    } catch { /* The folders are an extra; without the server the choice is all of them. */ }
    draw();
  }

  function set(fields) {
    options = { ...options, ...fields };
    if (fields.mode) app.preferences.set("mode", fields.mode);
    draw();
  }

  function chips() {
    const result = [];
    if (options.mode !== "balanced") result.push(MODES.find((mode) => mode.value === options.mode).label);
    if (!options.web) result.push("Without the web");
    if (options.folders.length > 0) result.push(options.folders.map(placeName).join(", "));
    if (options.when === "later" && options.at) result.push(
      new Date(options.at).toLocaleString(undefined, { dateStyle: "short", timeStyle: "short" })
    );
    if (options.when === "repeat") result.push(
      `${REPEATS.find((one) => one.value === options.repeat).label}${options.repeat === "hour" ? "" : ` at ${options.time}`}`
    );
    return result;
  }

  function segments(legend, value, list, change) {
    return h(
      "fieldset", { class: "segments" }, h("legend", null, legend),
      h("div", { class: "segment-row" }, list.map((one) => h("label", { class: "segment", key: one.value },
      h("input", { type: "radio", name: `${name}-${legend}`, value: one.value, checked: one.value === value, onchange: () => change(one.value) }),
      h("span", null, one.label)))));
  }

  function panel() {
    return h("div", { class: "composer-panel", id: `${name}-panel`, key: "panel" },
      segments("Depth", options.mode, MODES, (mode) => set({ mode })),
      h("p", { class: "note" }, MODES.find((mode) => mode.value === options.mode).note),
      toggle(
        { id: `${name}-web`, label: "Search the web", note: "While the settings allow it", checked: options.web, onchange: (web) => set({ web }) }
      ),
      folders && folders.length > 0 ? h(
        "fieldset", { class: "plain" }, h("legend", null, "Keep to folders of the library"),
        folders.map((folder) => h("label", { class: "check-row", key: folder.path },
        h("input", {
          type: "checkbox", checked: options.folders.includes(folder.path),
          onchange: (event) => set(
            { folders: event.target.checked ? [...options.folders, folder.path] : options.folders.filter((path) => path !== folder.path) }
          ),
        }), h("span", { class: "truncate" }, folder.path)))) : null,
      segments(
        "When", options.when, [{ value: "now", label: "Now" }, { value: "later", label: "Later" }, { value: "repeat", label: "Again and again" }],
        (when) => set({ when }),
      ),
      options.when === "later" ? h("div", { class: "field" }, h("label", { class: "field-label", for: `${name}-at` }, "At"),
        h(
          "input",
          { id: `${name}-at`, class: "input", type: "datetime-local", value: options.at, oninput: (event) => set({ at: event.target.value }) },
        )) : null,
      options.when === "repeat" ? h("div", { class: "field-pair" },
        choice(
          { id: `${name}-repeat`, label: "Repeat", value: options.repeat, options: REPEATS, onchange: (repeat) => set({ repeat }), isInline: true }
        ),
        options.repeat === "hour" ? null
          : h(
            "input",
            {
              class: "input", type: "time", "aria-label": "Time of day", value: options.time,
              oninput: (event) => set({ time: event.target.value || "08:30" }),
            },
          )) : null);
  }

  function draw() {
    const isEmpty = !area || area.value.trim() === "";
    render(element,
      isOpen ? panel() : null,
      problem ? h("p", { class: "error-text", role: "alert", key: "problem" }, problem) : null,
      slot(dictation.status),
      h("div", { class: "pill", key: "pill" },
        iconButton(
          isOpen ? "down" : "plus", isOpen ? "Hide options" : "Options", openOptions,
          { "aria-expanded": String(isOpen), "aria-controls": isOpen ? `${name}-panel` : undefined },
        ),
        h("div", { class: "pill-field" },
          h("textarea", {
            class: "pill-input", rows: "1", "aria-label": label, placeholder, maxlength: "2000", enterkeyhint: "send", autocomplete: "off",
            ref: (node) => {
              area = node;
              area.value = app.drafts.get(name);
              setTimeout(grow);
            },
            oninput: typed,
            onkeydown: (event) => {
              if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
            },
          }),
          chips().length > 0 ? h("div", { class: "chips" }, chips().map((chip) => h("span", { class: "chip" }, chip))) : null),
        slot(dictation.button),
        h(
          "button",
          {
            type: "submit", class: "icon-button send", "aria-label": options.when === "repeat" ? "Keep this schedule" : "Send", title: "Send",
            disabled: isSending, "data-empty": isEmpty ? "" : undefined,
          },
          icon("send"),
        )));
  }

  const now = draw;
  draw = drawing(draw);
  now();
  return {
    element, key: dictation.key,
    focus: () => area.focus(),
    /** To be called once it is shown: a draft may need more lines. */
    fit: grow,
    /** Puts a text there that could not be sent, behind what is written. */
    fill(text) {
      area.value = area.value.trim() ? `${area.value.trimEnd()}\n${text}` : text;
      typed();
      area.focus();
    },
  };
}
