import { h, slot } from "../../components/dom.js";
import { button, choice, toggle } from "../../components/controls.js";
import { icon } from "../../components/icon.js";
import { createMeter } from "../../components/meter.js";
import { openMicrophone, soundDevices } from "../../audio/microphone.js";
import { LANGUAGES } from "../transcribe.js";
import { voiceOptions } from "../speak.js";

/**
 * Microphone, speaker, and voice of this browser.
 * @param {object} app The app.
 * @param {object} settings The server's settings.
 * @param {() => void} draw Draws anew.
 * @returns {{title: string, body: () => any, show: () => void, hide: () => void}} The section.
 */
export function soundSection(app, settings, draw) {
  let devices = { inputs: [], outputs: [] };
  let microphone = null;
  let problem = null;
  let note = null;
  let zeros = 0;
  let voices = null;
  let own = null;
  const meter = createMeter("Level of the test");

  async function list() {
    devices = await soundDevices();
    draw();
  }

  async function load() {
    list();
    try {
      voices = await app.client.get("/api/voices");
      own = await app.client.get("/api/microphones");
    } catch { /* The browser's own devices can be chosen without the server. */ }
    draw();
  }

  async function test() {
    if (microphone) {
      await stop();
      return;
    }
    problem = null;
    note = null;
    zeros = 0;
    try {
      microphone = await openMicrophone({
        device: app.preferences.get("microphone", "") || undefined,
        sound(piece) {
          meter.show(piece.level, piece.peak);
          const before = zeros;
          zeros = piece.isZero ? zeros + 0.04 : 0;
          if ((zeros >= 1) !== (before >= 1)) draw();
        },
        changed(change) {
          note = change.type === "switched" ? `Unplugged; going on with ${change.label || "the next one"}.` : change.type === "lost"
            ? "Unplugged, and there is no other." : null;
          list();
        },
      });
      list();
    } catch (failed) {
      problem = failed;
    }
    draw();
  }

  async function stop() {
    const open = microphone;
    microphone = null;
    await open?.close();
    meter.show(0, 0);
    draw();
  }

  navigator.mediaDevices?.addEventListener?.("devicechange", list);

  return {
    title: "Sound",
    show: load,
    hide: stop,
    body: () => [
      h("h3", { class: "list-title" }, "This browser"),
      choice({
        id: "microphone", label: "Microphone",
        note: devices.inputs.some((one) => !/^Microphone \d+$/.test(one.label)) ? undefined : "Names appear once the microphone was allowed",
        value: app.preferences.get("microphone", ""),
        options: [
          { value: "", label: "The system's own choice" },
          ...devices.inputs.filter((one) => one.id !== "default").map((one) => ({ value: one.id, label: one.label })),
        ],
        onchange: async (id) => {
          app.preferences.set("microphone", id);
          const wasOn = microphone !== null;
          await stop();
          if (wasOn) test();
          draw();
        },
      }),
      h(
        "div", { class: "test-row" },
        button(
          microphone ? "Stop" : "Test the microphone", test,
          { class: "quiet", picture: microphone ? "stop" : "microphone", "aria-pressed": String(microphone !== null) },
        ),
        microphone ? slot(meter.element) : null,
      ),
      microphone ? h(
        "p", { class: "note pad", role: "status" }, zeros >= 1 ? "Nothing but silence. Is it muted?" : note ?? microphone.label(),
      ) : null,
      problem ? h(
        "div", { class: "failure", role: "alert" }, icon("warning"), h("p", null, h("strong", null, problem.message), " ", problem.advice ?? ""),
      ) : null,
      toggle({
        id: "processing", label: "Clean the sound",
        note: "Lets the browser take out echo and noise while you dictate. Samples of your voice are never changed.",
        checked: app.preferences.get("processing", true),
        onchange: (isOn) => { app.preferences.set("processing", isOn); draw(); },
      }),
      globalThis.AudioContext && "setSinkId" in AudioContext.prototype ? choice({
        id: "speaker", label: "Speaker", note: "For the next text that is said", value: app.preferences.get("speaker", ""),
        options: [
          { value: "", label: "The system's own choice" },
          ...devices.outputs.filter((one) => one.id !== "default").map((one) => ({ value: one.id, label: one.label })),
        ],
        onchange: (id) => { app.preferences.set("speaker", id); draw(); },
      }) : null,
      h(
        "div", { class: "test-row" },
        button(
          "Test the voice",
          () => app.speaker.speak(
            {
              text: "This is the voice that reads to you. It is made on your own machine.", voice: app.preferences.get("voice", "") || undefined,
              speed: app.preferences.get("speed", 1), title: "Test", from: 0,
            }
          ),
          { class: "quiet", picture: "speak" },
        ),
      ),
      choice(
        {
          id: "sound-voice", label: "Voice", value: app.preferences.get("voice", ""), options: voiceOptions(voices),
          onchange: (value) => { app.preferences.set("voice", value); draw(); }
        }
      ),
      choice({
        id: "sound-speed", label: "Speed", value: String(app.preferences.get("speed", 1)),
        options: ["0.75", "1", "1.25", "1.5", "1.75", "2"].map((speed) => ({ value: speed, label: `${speed}×` })),
        onchange: (value) => { app.preferences.set("speed", Number(value)); draw(); },
      }),
      choice(
        {
          id: "dictation-language", label: "Language of dictation", value: app.preferences.get("language", ""), options: LANGUAGES,
          onchange: (value) => { app.preferences.set("language", value); draw(); }
        }
      ),
      h("h3", { class: "list-title" }, "The machine that runs Sotto"),
      settings.problem(),
      settings.control(
        "microphone",
        own ? {
          options: [
            { value: "", label: "The system's own choice" },
            ...own.microphones.map((one) => ({ value: one.id, label: `${one.name}${one.isMuted ? " (muted)" : ""}` })),
          ],
        } : {},
      ),
      settings.control("spokenLanguage"), settings.control("language"), settings.control("voice", voices ? { options: voiceOptions(voices) } : {}),
      settings.control("speed"),
      settings.control("removeFillers"), settings.control("digits"), settings.control("spokenCommands"),
    ],
  };
}
