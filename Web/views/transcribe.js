import { create, drawing, h, render, slot } from "../components/dom.js";
import { button, choice, emptyState, failure, fileButton, iconButton, progress } from "../components/controls.js";
import { confirmed, openSheet } from "../components/dialog.js";
import { copyText, saveFile } from "../components/files.js";
import { icon } from "../components/icon.js";
import { createMeter } from "../components/meter.js";
import { pane, panes } from "../components/panes.js";
import { createTalkKey } from "../components/talk.js";
import { isHeadsetProfile } from "../audio/microphone.js";
import { withQuery } from "../net/client.js";
import { moment, position } from "../state/format.js";
import { heardText, nothingHeard, reduceHeard, srt, vtt } from "../state/transcript.js";

/** The languages that can be asked for by name; the recognizer for all but English is an extra model. */
export const LANGUAGES = [
  { value: "", label: "As in Settings" }, { value: "en", label: "English" }, { value: "auto", label: "Find out" }, { value: "de", label: "German" },
  { value: "fr", label: "French" },
  { value: "es", label: "Spanish" }, { value: "it", label: "Italian" }, { value: "pt", label: "Portuguese" }, { value: "nl", label: "Dutch" },
  { value: "pl", label: "Polish" }, { value: "ja", label: "Japanese" }, { value: "zh", label: "Chinese" },
];

/**
 * What is said, written as it is said; and the recordings of before.
 * @param {object} app The app.
 * @returns {object} The view.
 */
export function createTranscribeView(app) {
  const element = create(h("div", { class: "view" }));
  const meter = createMeter("Microphone level");
  let heard = restored();
  let session = null;
  let state = null;
  let problem = null;
  let echo = false;
  let startedAt = 0;
  let takes = null;
  let days = 0;
  let takesError = null;
  let upload = null;
  let isTakes = false;
  let clock = null;
  const hearing = new Map();

  const talk = createTalkKey({ start, stop: () => session?.stop(), changed: () => draw() });

  function restored() {
    const kept = app.preferences.get("transcript", null);
    return Array.isArray(kept?.segments) ? { ...nothingHeard, segments: kept.segments, offset: kept.offset ?? 0 } : nothingHeard;
  }

  function keep() {
    app.preferences.set("transcript", { segments: heard.segments.slice(-2000), offset: heard.offset });
  }

  function take(message) {
    heard = reduceHeard(heard, message);
    if (["final", "broken", "take", "end"].includes(message.type)) keep();
    if (message.type === "final" && message.text?.trim()) app.announce(message.text);
    draw();
  }

  function start() {
    problem = null;
    startedAt = Date.now();
    // A new recording goes on behind what is there.
    const last = heard.segments[heard.segments.length - 1];
    const base = last ? last.end : 0;
    heard = { ...heard, offset: base, committed: "", tail: "" };
    const own = app.listen({
      purpose: "transcript", language: app.preferences.get("transcriptLanguage", "") || undefined, heard: (message) => {
        take(message.type === "broken" ? { ...message, seconds: base + message.seconds } : message);
      },
      changed(next) {
        if (session !== null && session !== own) return;
        const isPhase = state?.phase !== next.phase;
        state = next;
        meter.show(next.level, next.peak);
        if (next.phase === "ended") {
          problem = next.problem;
          session = null;
          talk.ended();
          release();
          clearInterval(clock);
          if (next.notice) app.toast({ text: next.notice });
          if (problem) app.announce(`${problem.title}. ${problem.advice}`);
          loadTakes();
          draw();
        } else if (isPhase) {
          if (next.phase === "settling") talk.ended();
          if (next.phase === "listening") {
            own.echo(echo);
            if (isHeadsetProfile(next.label ?? "")) app.toast(
              {
                tag: "headset",
                text: "This is a Bluetooth headset: while it listens, everything it plays sounds worse. Another microphone avoids that "
                  + "(Settings, Sound).",
              }
            );
          }
          draw();
        } else if (next.notice && next.notice !== shownNotice) {
          shownNotice = next.notice;
          app.toast({ tag: "microphone", text: next.notice, seconds: 15 });
        }
        hintLine();
      },
    });
    session = own;
    state = own.state();
    own.start();
    awake();
    clock = setInterval(hintLine, 1000);
    draw();
  }
  let shownNotice = null;

  // A phone that falls asleep stops hearing.
  async function awake() {
    try {
      lock = await navigator.wakeLock?.request("screen");
    } catch { /* Then it is up to the person. */ }
    if (!session) release();
  }

  function release() {
    lock?.release().catch(() => {});
    lock = null;
  }
  let lock = null;

  async function loadTakes() {
    try {
      const answer = await app.client.get("/api/takes");
      takes = answer.takes;
      days = answer.days;
      takesError = null;
      // What a broken connection left open is settled by its take.
      for (const one of takes) {
        if (one.state === "recording" || !one.text) continue;
        if (heard.segments.some((segment) => segment.take === one.id && segment.isUnsettled)) take({ type: "take", take: one.id, text: one.text });
      }
    } catch (error) {
      takesError = error;
    }
    draw();
  }

  /** Hands a recording over: the server keeps it as a take and hears it whether or not this page stays. */
  async function transcribeFile(file) {
    const abort = new AbortController();
    upload = { name: file.name, fraction: 0, text: `Sending ${file.name}…`, abort, error: null, file, take: null };
    draw();
    try {
      const language = app.preferences.get("transcriptLanguage", "");
      const { take: kept } = await app.client.upload("POST", withQuery("/api/takes", { name: file.name, language }), file, {
        // What a browser calls a file's kind differs; the server looks into it.
        headers: { "content-type": "application/octet-stream" },
        signal: abort.signal,
        progress(fraction) {
          upload = { ...upload, fraction: fraction === 1 ? undefined : fraction, text: fraction === 1 ? `Reading ${file.name}…` : upload.text };
          draw();
        },
      });
      upload = { ...upload, take: kept.id, fraction: undefined, text: `Recognizing ${file.name}…` };
      // It may have been heard while the answer was on its way.
      follow(kept.id);
    } catch (error) {
      upload = error.name === "AbortError" ? null : { ...upload, fraction: undefined, error: error.message };
    }
    draw();
  }

  async function follow(id) {
    await loadTakes();
    const one = takes?.find((other) => other.id === id);
    if (!upload || upload.take !== id || typeof one?.text !== "string") return;
    const { name } = upload;
    upload = null;
    const last = heard.segments[heard.segments.length - 1];
    const base = last ? last.end : 0;
    const parts = one.segments?.length > 0 ? one.segments : [{ text: one.text, start: 0, end: one.seconds }];
    const segments = parts.map((part) => ({ text: part.text.trim(), start: base + part.start, end: base + part.end, take: id }))
      .filter((part) => part.text);
    heard = { ...heard, segments: [...heard.segments, ...segments] };
    keep();
    app.toast({ text: segments.length > 0 ? `${name} is transcribed.` : `No speech was found in ${name}.` });
    draw();
  }

  function dismissUpload() {
    upload?.abort.abort();
    upload = null;
    draw();
  }

  function save() {
    const sheet = openSheet({
      title: "Save the transcript", kind: "dialog menu-sheet",
      body: h(
        "ul", { class: "menu" },
        [
          ["Text", "txt", () => `${heard.segments.map((segment) => segment.text).join("\n")}\n`],
          ["Subtitles, SRT", "srt", () => srt(heard.segments)], ["Subtitles, WebVTT", "vtt", () => vtt(heard.segments)],
        ]
        .map(([label, ending, text]) => h("li", null, h("button", {
          type: "button", class: "menu-item", onclick: () => {
            saveFile(new Blob([text()], { type: ending === "vtt" ? "text/vtt" : "text/plain" }), `transcript.${ending}`);
            sheet.close();
          },
        }, icon("download"), label)))),
    });
  }

  async function clear() {
    if (
      !await confirmed(
        { title: "Clear the transcript?", text: "The page is emptied. Recordings stay in the list of takes.", action: "Clear", isDangerous: false }
      )
    ) return;
    heard = session ? { ...heard, segments: [] } : nothingHeard;
    keep();
    draw();
  }

  function openTake(one) {
    let language = "";
    let isBusy = false;
    let shown = one;
    let note = null;
    const facts = () => ({
      title: moment(shown.started), kind: "take-sheet",
      body: [
        h(
          "audio",
          { class: "audio", controls: true, preload: "metadata", src: `/api/takes/${encodeURIComponent(shown.id)}/audio`, "aria-label": "Recording" },
        ),
        h(
          "p", { class: "note" },
          [
            position(shown.seconds), shown.recognizer, shown.device, shown.state === "recovered" ? "recovered after a crash" : "",
          ].filter(Boolean).join(" · "),
        ),
        h("p", { class: "take-text" }, shown.text || "No text yet."),
        note ? h("p", { class: "note", role: "status" }, note) : null,
        h("div", { class: "button-row" },
          button("Copy", () => copyText(app, shown.text ?? ""), { class: "quiet", picture: "copy", disabled: !shown.text }),
          ["text", "srt", "vtt"].map(
            (format) => h(
              "a", { class: "button quiet", href: `/api/takes/${encodeURIComponent(shown.id)}/text?format=${format}`, download: "" },
              icon("download"), h("span", null, format === "text" ? "Text" : format.toUpperCase()),
            )
          )),
        h("div", { class: "field-pair" },
          choice(
            {
              id: "take-language", label: "Language", value: language, options: LANGUAGES, isInline: true, onchange: (value) => { language = value; }
            }
          ),
          button(isBusy ? "Recognizing…" : "Recognize again", retry, { class: "quiet", picture: "retry", disabled: isBusy })),
      ],
      actions: [button("Delete", remove, { class: "danger quiet", picture: "trash" })],
    });
    const sheet = openSheet(facts());

    async function retry() {
      isBusy = true;
      sheet.update(facts());
      try {
        const answer = await app.client.send("POST", `/api/takes/${encodeURIComponent(shown.id)}/retry`, language ? { language } : {});
        shown = { ...shown, ...answer.take };
        note = "Recognized anew.";
        loadTakes();
      } catch (error) {
        note = error.message;
      }
      isBusy = false;
      sheet.update(facts());
    }

    async function remove() {
      sheet.close();
      if (
        !await confirmed(
          { title: "Delete this recording?", text: "The recording and its text are deleted. This cannot be taken back.", action: "Delete" }
        )
      ) return;
      const { error } = await app.attempt(
        () => app.client.send("DELETE", `/api/takes/${encodeURIComponent(shown.id)}`), { failed: "It was not deleted." },
      );
      if (!error) loadTakes();
    }
  }

  async function removeAll() {
    if (
      !await confirmed(
        { title: "Delete all recordings?", text: "Every take and its text is deleted. This cannot be taken back.", action: "Delete all" }
      )
    ) return;
    const { error } = await app.attempt(() => app.client.send("DELETE", "/api/takes"), { failed: "They were not deleted." });
    if (!error) loadTakes();
  }

  function hint() {
    if (!session) return "";
    if (state?.dropped > 1) return `The server has been away for too long; the first ${Math.round(state.dropped)} s of what it missed are lost.`;
    if (state?.away) return `The server is away; ${Math.round(state.kept)} s of sound are kept and sent when it is back.`;
    if (state?.isMuted || heard.isSilent) return "Nothing but silence comes from the microphone. Is it muted?";
    if (heard.behind > 1) return `Recognition is ${Math.round(heard.behind)} s behind; nothing is lost.`;
    if (state?.phase === "opening") return "Opening the microphone…";
    if (state?.phase === "settling") return "Finishing…";
    return position((Date.now() - startedAt) / 1000);
  }

  let hintNode = null;
  function hintLine() {
    const text = hint();
    if (hintNode && hintNode.textContent !== text) hintNode.textContent = text;
  }

  function transcript() {
    const hasLive = Boolean(heard.committed || heard.tail);
    if (heard.segments.length === 0 && !hasLive) {
      return session ? h("p", { class: "loading" }, "Speak; words appear here.") : emptyState(
        "Nothing said yet", "Tap the microphone and speak, or hold it while you talk. A recording can be dropped here as a file, too.",
      );
    }
    return h("div", { class: "transcript", "aria-label": "Transcript", role: "log", "aria-live": "off" },
      heard.segments.map((segment, index) => h("p", { key: index, class: `segment-text ${segment.isUnsettled ? "unsettled" : ""}`.trim() },
        h("span", { class: "segment-time" }, position(segment.start)), segment.text)),
      hasLive
        ? h(
          "p", { class: "segment-text live", key: "live" }, h("span", { class: "segment-time" }, ""),
          h("span", { class: "committed" }, heard.committed), " ", h("span", { class: "tail" }, heard.tail),
        ) : null);
  }

  function takeStanding(one) {
    const going = hearing.get(one.id);
    if (going?.total > 0) return `Being heard, ${Math.floor((100 * going.seconds) / going.total)} %…`;
    if (going) return "Being heard…";
    if (one.state === "recording") return "Recording…";
    if (one.pending) return "Waits to be heard";
    return one.text === "" ? "No words were heard" : "Not recognized yet";
  }

  function takeList() {
    if (takesError && !takes) return failure(takesError.message, loadTakes);
    if (!takes) return h("p", { class: "loading" }, "Loading…");
    if (takes.length === 0) return emptyState(
      "No recordings", days > 0 ? `What you dictate is kept for ${days} days.` : "Recordings are not kept (Settings, Storage).",
    );
    return [
      h("p", { class: "note pad" }, days > 0 ? `Kept for ${days} days, on this machine only.` : "Not kept."),
      h(
        "ul", { class: "rows", "aria-label": "Takes" },
        takes.map(
          (one) => h("li", { key: one.id }, h("button", { type: "button", class: "job-row", onclick: () => openTake(one), "aria-haspopup": "dialog" },
        h("span", { class: `dot ${one.state === "recording" || one.pending ? "running" : "done"}`, "aria-hidden": "true" }),
        h(
          "span", { class: "job-text" },
          h("span", { class: "job-title" }, one.text || takeStanding(one)),
          h("span", { class: "job-line" }, `${moment(one.started)} · ${position(one.seconds)}`)), icon("right", "row-mark"))))),
      h("div", { class: "more-row" }, button("Delete all", removeAll, { class: "quiet danger-text" })),
    ];
  }

  function live() {
    const listens = talk.listens();
    const text = heardText(heard);
    return pane({
      name: "transcribe", title: "Transcribe",
      actions: [
        iconButton("copy", "Copy the transcript", () => copyText(app, text), { disabled: !text }),
        iconButton("download", "Save the transcript", save, { disabled: !text, "aria-haspopup": "dialog" }),
        iconButton("trash", "Clear the transcript", clear, { disabled: !text }),
        h("a", { class: "button quiet phone-only", href: "#/transcribe/takes" }, "Takes"),
      ],
      body: h("div", {
        class: "drop-zone", ondragover: (event) => event.preventDefault(),
        ondrop: (event) => {
          event.preventDefault();
          if (event.dataTransfer.files[0]) transcribeFile(event.dataTransfer.files[0]);
        },
      },
      problem ? h(
        "div", { class: "failure", role: "alert" }, icon("warning"), h("p", null, h("strong", null, problem.title), " ", problem.advice),
      ) : null,
      upload ? h(
        "div", { class: "upload" },
        h("p", null, upload.error ?? upload.text),
        upload.error ? h(
          "div", { class: "button-row" }, button("Try again", () => transcribeFile(upload.file), { class: "quiet" }),
          button("Dismiss", dismissUpload, { class: "quiet" }),
        )
          : [
            progress(`Progress of ${upload.name}`, upload.fraction),
            button(upload.take ? "Hide" : "Cancel", dismissUpload, { class: "quiet" }),
          ]) : null,
      transcript()),
      foot: h("div", { class: "recorder" },
        slot(meter.element),
        h("p", { class: "recorder-hint", ref: (node) => { hintNode = node; } }, hint()),
        h("div", { class: "recorder-row" },
          h("div", { class: "recorder-side" },
            h("button", {
              type: "button", class: "button quiet compact", "aria-pressed": String(echo),
              title: "Hear the microphone through the speakers; use headphones",
              onclick: () => {
                echo = !echo;
                session?.echo(echo);
                if (echo) app.toast({ tag: "echo", text: "You hear yourself now while recording. Use headphones, or it whistles." });
                draw();
              },
            }, icon("echo"), h("span", null, "Echo"))),
          h("button", {
            type: "button", class: `record ${listens ? "active" : ""}`.trim(), "aria-pressed": String(listens),
            "aria-label": listens ? "Stop recording" : "Record",
            title: "Tap to switch, hold to talk (F2)", ...talk.props,
          }, icon(listens ? "stop" : "microphone")),
          h("div", { class: "recorder-side end" },
            choice(
              {
                id: "transcript-language", label: "Language", value: app.preferences.get("transcriptLanguage", ""), options: LANGUAGES,
                isInline: true, onchange: (value) => app.preferences.set("transcriptLanguage", value),
              }
            ))),
        h(
          "div", { class: "recorder-file" },
          fileButton(
            {
              label: "Transcribe a file", accept: "audio/*,video/*", onfiles: ([file]) => transcribeFile(file), class: "quiet compact",
              disabled: Boolean(upload && !upload.error),
            }
          ),
        )),
    });
  }

  function draw() {
    const body = element.querySelector("#transcribe-body");
    const isAtEnd = !body || body.scrollHeight - body.scrollTop - body.clientHeight < 80;
    render(
      element,
      h(
        "div", { class: "wide-list" },
        panes(live(), pane({ name: "takes", title: "Takes", back: () => app.go("transcribe"), body: takeList() }), isTakes),
      ),
    );
    hintLine();
    const now = element.querySelector("#transcribe-body");
    // Who scrolled up to read is left there.
    if (isAtEnd && now) now.scrollTop = now.scrollHeight;
  }

  draw = drawing(draw);
  app.on("takes", () => (upload?.take ? follow(upload.take) : loadTakes()));
  app.on("take-progress", (state) => {
    if (state.done) hearing.delete(state.id);
    else hearing.set(state.id, state);
    if (upload?.take === state.id) {
      if (state.error) upload = { ...upload, fraction: undefined, error: state.error };
      else if (state.done) follow(state.id);
      else upload = { ...upload, fraction: state.total > 0 ? Math.min(0.999, state.seconds / state.total) : undefined };
    } else if (state.done) loadTakes();
    draw();
  });
  app.on("reset", () => loadTakes());
  app.on("online", () => (upload?.take ? follow(upload.take) : loadTakes()));
  window.addEventListener("pagehide", () => {
    if (session && (heard.committed || heard.tail)) {
      heard = reduceHeard(heard, { type: "broken", seconds: heard.offset });
      keep();
    }
  });

  return {
    element,
    show(path) {
      isTakes = path[0] === "takes";
      draw();
      loadTakes();
    },
    hide() {},
    talk: (isDown) => talk.key(isDown),
    escape() {
      if (isTakes) app.go("transcribe");
    },
  };
}
