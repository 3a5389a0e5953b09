import { create, drawing, h, render } from "../components/dom.js";
import { button, choice, iconButton } from "../components/controls.js";
import { openSheet } from "../components/dialog.js";
import { saveFile } from "../components/files.js";
import { icon } from "../components/icon.js";
import { pane } from "../components/panes.js";
import { playerControls, spokenText } from "../components/player.js";
import { counted } from "../state/format.js";

const FORMATS = [["WAV, as it was made", "wav"], ["Opus, small", "opus"], ["FLAC, without loss", "flac"]];

/**
 * A short name for a text, so that its place is found again.
 * @param {string} text The text.
 * @returns {string} As `text-1a2b3c4d`.
 */
export function textKey(text) {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return `text-${hash.toString(16)}`;
}

/**
 * The voices there are, for a choice.
 * @param {{voices: object[], cloned: object[]}} answer Of the server.
 * @returns {{value: string, label: string}[]} The choices; the first is the default.
 */
export function voiceOptions(answer) {
  const known = answer?.voices.find((voice) => voice.default);
  return [
    { value: "", label: known ? `Default (${known.name})` : "Default" },
    ...(answer?.cloned ?? []).map((voice) => ({ value: voice.name, label: `${voice.name} (yours)` })),
    ...(answer?.voices ?? []).map((voice) => ({ value: voice.name, label: voice.name })),
  ];
}

/**
 * A text, said aloud.
 * @param {object} app The app.
 * @returns {object} The view.
 */
export function createSpeakView(app) {
  const element = create(h("div", { class: "view" }));
  let area;
  let voices = null;
  let isSaving = false;
  let key = null;
  app.drafts.follow("speak", (text) => {
    if (area && document.activeElement !== area) area.value = text;
    draw();
  });

  async function load() {
    try {
      voices = await app.client.get("/api/voices");
    } catch { /* The default voice needs no list. */ }
    draw();
  }

  const text = () => (area ? area.value : app.drafts.get("speak"));
  const voice = () => {
    const wanted = app.preferences.get("voice", "");
    return voiceOptions(voices).some((option) => option.value === wanted) || !voices ? wanted : "";
  };

  function play() {
    if (!text().trim()) {
      area?.focus();
      return;
    }
    key = textKey(text());
    app.speaker.speak({ key, text: text(), title: text().trim().slice(0, 60), voice: voice() || undefined, speed: app.preferences.get("speed", 1) });
  }

  function save() {
    const sheet = openSheet({
      title: "Save as a file", kind: "dialog menu-sheet",
      body: h("ul", { class: "menu" }, FORMATS.map(([label, format]) => h("li", null, h("button", {
        type: "button", class: "menu-item", onclick: () => {
          sheet.close();
          write(format);
        },
      }, icon("download"), label)))),
    });
  }

  async function write(format) {
    isSaving = true;
    draw();
    if (!voices) await load();
    const chosen = voice() || voices?.voices.find((one) => one.default)?.name;
    const value = { model: "tts-1", input: text(), voice: chosen ?? "alloy", response_format: format, speed: app.preferences.get("speed", 1) };
    const { value: blob } = await app.attempt(() => app.client.blob("POST", "/v1/audio/speech", value), { failed: "The file was not made." });
    if (blob) saveFile(blob, `speech.${format === "opus" ? "ogg" : format}`);
    isSaving = false;
    draw();
  }

  function draw() {
    const state = app.speaker.state();
    const isOwn = key !== null && state.key === key && !["idle", "failed"].includes(state.phase);
    const isSaying = isOwn && state.parts.length > 0;
    const count = text().trim() ? text().trim().split(/\s+/).length : 0;
    render(element, h("div", { class: "panes single", "data-shows": "list" }, h("div", { class: "pane-slot slot-list" }, pane({
      name: "speak", title: "Speak",
      actions: [isSaying ? button("Edit", () => app.speaker.stop(), { class: "quiet" }) : iconButton("trash", "Clear the text", () => {
        area.value = "";
        app.drafts.set("speak", "");
        area.focus();
        draw();
      }, { disabled: count === 0 })],
      body: [
        state.key === key && state.phase === "failed" ? h(
          "div", { class: "failure", role: "alert" }, icon("warning"), h("p", null, state.error),
        ) : null,
        isSaying ? h("div", { class: "speak-text", key: "spoken" }, spokenText(app, state)) : null,
        h("textarea", {
          key: "area", class: "speak-input", hidden: isSaying, "aria-label": "Text to say", placeholder: "Write or paste a text, and hear it",
          maxlength: "100000",
          ref: (node) => {
            area = node;
            node.value = app.drafts.get("speak");
          },
          oninput: () => {
            app.drafts.set("speak", area.value);
            draw();
          },
          onkeydown: (event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
              event.preventDefault();
              play();
            }
          },
        }),
      ],
      foot: h("div", { class: "speak-foot" },
        h("div", { class: "field-pair" },
          choice({
            id: "speak-voice", label: "Voice", value: voice(), options: voiceOptions(voices), isInline: true, onchange: (value) => {
              app.preferences.set("voice", value);
              if (isOwn) play();
              draw();
            },
          }),
          isOwn ? null : choice({
            id: "speak-speed", label: "Speed", value: String(app.preferences.get("speed", 1)), isInline: true,
            options: ["0.75", "1", "1.25", "1.5", "1.75", "2"].map((speed) => ({ value: speed, label: `${speed}×` })),
            onchange: (value) => app.preferences.set("speed", Number(value)),
          }),
          h("span", { class: "note" }, count > 0 ? counted(count, "word") : "")),
        h("div", { class: "button-row" },
          isOwn && state.phase !== "ended" ? playerControls(app, state) : button(
            "Speak", play, { class: "primary", picture: "play", disabled: count === 0 },
          ),
          button(
            isSaving ? "Making the file…" : "Save", save,
            { class: "quiet", picture: "download", disabled: count === 0 || isSaving, "aria-haspopup": "dialog" },
          ))),
    }))));
  }

  draw = drawing(draw);
  app.on("speaker", draw);
  app.on("voices", load);
  return {
    element,
    show() {
      draw();
      load();
    },
    hide() {},
    compose: () => area.focus(),
    press(event) {
      if (event.key === "p") play();
    },
  };
}
