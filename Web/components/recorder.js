import { create, drawing, h, render, slot } from "./dom.js";
import { button } from "./controls.js";
import { icon } from "./icon.js";
import { createMeter } from "./meter.js";
import { openMicrophone } from "../audio/microphone.js";
import { wav } from "../audio/pcm.js";
import { position } from "../state/format.js";

/** A sample longer than this is not better. */
const LONGEST = 60;

/**
 * Records a sample into a file, with a meter, as the microphone gives it: the browser's own processing would change the voice.
 * @param {object} app The app.
 * @param {{label: string, done: (recording: Blob) => void}} facts What is recorded, and who takes it.
 * @returns {{element: Element, stop: () => Promise<void>}} The recorder.
 */
export function createRecorder(app, { label, done }) {
  const element = create(h("div", { class: "sample-recorder" }));
  const meter = createMeter(`${label}: level`);
  let microphone = null;
  let isOpening = false;
  let pieces = [];
  let seconds = 0;
  let zeros = 0;
  let problem = null;
  let notice = null;

  async function start() {
    problem = null;
    notice = null;
    isOpening = true;
    pieces = [];
    seconds = 0;
    zeros = 0;
    app.speaker.pause();
    draw();
    try {
      const opened = await openMicrophone({
        device: app.preferences.get("microphone", "") || undefined, processing: false,
        sound(piece) {
          pieces.push(new Int16Array(piece.pcm));
          const length = piece.pcm.byteLength / 2 / (microphone?.rate ?? 48_000);
          const before = Math.floor(seconds);
          seconds += length;
          zeros = piece.isZero ? zeros + length : 0;
          meter.show(piece.level, piece.peak);
          if (Math.floor(seconds) !== before || zeros >= 1) draw();
          if (seconds >= LONGEST) stop();
        },
        changed(change) {
          notice = change.type === "switched" ? `The microphone was unplugged. Going on with ${change.label || "the next one"}; better begin again.`
            : change.type === "lost" ? "The microphone is gone. Plug it in and begin again." : null;
          draw();
        },
      });
      microphone = opened;
      app.announce("Recording");
    } catch (error) {
      problem = error;
    }
    isOpening = false;
    draw();
  }

  async function stop() {
    const open = microphone;
    microphone = null;
    if (!open) return;
    await open.close();
    meter.show(0, 0);
    draw();
    done(wav(pieces, open.rate));
  }

  function draw() {
    const isOn = microphone !== null;
    render(element,
      isOn || isOpening ? h(
        "div", { class: "recorder-live" }, slot(meter.element),
        h(
          "p", { class: "recorder-hint" },
          isOpening ? "Opening the microphone…" : zeros >= 1 ? "Nothing but silence comes from the microphone. Is it muted?" : position(seconds),
        ),
      ) : null,
      problem ? h(
        "div", { class: "failure", role: "alert" }, icon("warning"), h("p", null, h("strong", null, problem.message), " ", problem.advice ?? ""),
      ) : null,
      notice ? h("p", { class: "callout", role: "status" }, notice) : null,
      h("div", { class: "button-row" }, isOn
        ? button("Stop", stop, { class: "primary", picture: "stop" })
        : button(label, start, { class: "primary", picture: "microphone", disabled: isOpening })));
  }

  draw = drawing(draw);
  draw();
  return { element, stop };
}
