import { create, drawing, h, render, slot } from "./dom.js";
import { icon } from "./icon.js";
import { createMeter } from "./meter.js";
import { createTalkKey } from "./talk.js";
import { insertion, nothingHeard, reduceHeard } from "../state/transcript.js";

/**
 * Dictation into a field: a key, and a line that shows what is being heard. Settled text goes in at the caret; the clipboard is not touched.
 * @param {object} app The app.
 * @param {{field: () => (HTMLTextAreaElement|HTMLInputElement), name: string}} place Where the text goes, and what it is called.
 * @returns {{button: Element, status: Element, key: (isDown: boolean) => void, stop: () => Promise<void>, listens: () => boolean}} The parts.
 */
export function createDictation(app, { field, name }) {
  const button = create(h("div", { class: "talk-slot" }));
  const status = create(h("div", { class: "dictation" }));
  const meter = createMeter("Microphone level");
  let session = null;
  let state = null;
  let heard = nothingHeard;
  let problem = null;
  let settled = Promise.resolve();

  const talk = createTalkKey({ start, stop, changed: () => draw() });

  function start() {
    problem = null;
    heard = nothingHeard;
    let done;
    settled = new Promise((resolve) => { done = resolve; });
    const own = app.listen({
      purpose: "dictation",
      heard(message) {
        if (message.type === "final" && message.text?.trim()) put(message.text);
        if (message.type === "broken" && (heard.committed || heard.tail)) put(`${heard.committed}${heard.tail}`);
        heard = reduceHeard(heard, message);
        draw();
      },
      changed(next) {
        if (session !== own && session !== null) return;
        state = next;
        meter.show(next.level, next.peak);
        if (next.phase === "ended") {
          problem = next.problem;
          session = null;
          talk.ended();
          if (next.notice) app.toast({ text: next.notice });
          if (problem) app.announce(`${problem.title}. ${problem.advice}`);
          done();
        } else if (next.phase === "settling") talk.ended();
        draw();
      },
    });
    session = own;
    state = own.state();
    own.start();
    app.announce(`Listening for ${name}`);
    draw();
  }

  async function stop() {
    await session?.stop();
  }

  function put(text) {
    const target = field();
    if (!target) return;
    const { insert, start: from, end } = insertion(
      target.value, target.selectionStart ?? target.value.length, target.selectionEnd ?? target.value.length, text,
    );
    // The browser's own way keeps "undo"; it works only in the field that has the focus.
    const isThere = document.activeElement === target && document.execCommand?.("insertText", false, insert);
    if (!isThere) {
      target.setRangeText(insert, from, end, "end");
      target.dispatchEvent(new Event("input", { bubbles: true }));
    }
    app.announce(text.trim());
  }

  function draw() {
    const listens = talk.listens();
    const isSettling = session !== null && state?.phase === "settling";
    render(button, h("button", {
      type: "button", class: `icon-button talk ${listens ? "active" : ""}`.trim(), "aria-pressed": String(listens),
      "aria-label": listens ? "Stop dictating" : `Dictate ${name}`, title: "Tap to switch, hold to talk (F2)", ...talk.props,
    }, icon(listens ? "stop" : "microphone")));
    const line = [];
    if (session) {
      const text = heard.committed || heard.tail
        ? h("p", { class: "live-text" }, h("span", { class: "committed" }, heard.committed), " ", h("span", { class: "tail" }, heard.tail))
        : h("p", { class: "live-text hint" }, hint(isSettling));
      line.push(h("div", { class: "dictation-line", key: "live" }, slot(meter.element), text));
    }
    if (problem) {
      line.push(
        h(
          "div", { class: "failure", role: "alert", key: "problem" }, icon("warning"),
          h("p", null, h("strong", null, problem.title), " ", problem.advice),
        )
      );
    }
    render(status, ...line);
  }

  function hint(isSettling) {
    if (state?.dropped > 1) return `The server has been away for too long; the first ${Math.round(state.dropped)} s of what it missed are lost.`;
    if (state?.away) return `The server is away; ${Math.round(state.kept)} s of sound are kept.`;
    if (state?.isMuted || heard.isSilent) return "Nothing but silence comes from the microphone. Is it muted?";
    if (heard.behind > 1) return `Recognition is ${Math.round(heard.behind)} s behind; nothing is lost.`;
    if (isSettling) return "Finishing…";
    return state?.phase === "opening" ? "Opening the microphone…" : "Listening…";
  }

  draw = drawing(draw);
  draw();
  return {
    button, status, key: talk.key, listens: talk.listens,
    /** Stops, and waits until the last words are in the field. */
    async stop() {
      if (!session) return;
      await stop();
      await settled;
    },
  };
}
