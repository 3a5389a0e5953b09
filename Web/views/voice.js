import { create, drawing, h, render, slot } from "../components/dom.js";
import { button, emptyState, failure, fileButton, iconButton, progress } from "../components/controls.js";
import { confirmed } from "../components/dialog.js";
import { icon } from "../components/icon.js";
import { pane, panes } from "../components/panes.js";
import { playButton } from "../components/player.js";
import { createRecorder } from "../components/recorder.js";
import { duration, moment } from "../state/format.js";
import { STEPS, nameProblem, noEnrolment, reduceEnrolment } from "../state/enrolment.js";
import { isOpen } from "../state/jobs.js";
import { createStore } from "../state/store.js";
import { route } from "../app/router.js";

const TRIAL = "This is how I sound. Sotto made this voice from ten seconds of mine.";

/**
 * Voices of one's own: made step by step, compared with the sample, handed on, deleted.
 * @param {object} app The app.
 * @returns {object} The view.
 */
export function createVoiceView(app) {
  const element = create(h("div", { class: "view" }));
  let answer = null;
  let error = null;
  let selected = null;
  let nameError = null;
  let name = app.drafts.get("voice-name");
  const links = new Map();
  const flow = createStore(reduceEnrolment, noEnrolment);
  const fits = new Map();

  const sampleRecorder = createRecorder(app, { label: "Record", done: (recording) => check(recording) });
  const consentRecorder = createRecorder(app, { label: "Record", done: (consent) => flow.dispatch({ type: "consented", consent }) });

  async function load() {
    try {
      answer = await app.client.get("/api/voices");
      error = null;
      for (const voice of answer.cloned) if (voice.job) followFit(voice.job);
    } catch (failed) {
      error = failed;
    }
    draw();
  }

  async function followFit(id) {
    if (fits.has(id)) return;
    fits.set(id, null);
    const { value } = await app.attempt(() => app.client.get(`/api/agents/${id}`));
    if (value) {
      fits.set(id, value.job);
      draw();
    }
  }

  async function check(sample) {
    flow.dispatch({ type: "recorded", sample });
    try {
      const result = await app.client.upload(
        "POST", `/api/voices/check?text=${encodeURIComponent(answer?.sentence ?? "")}`, sample,
        { headers: { "content-type": "application/octet-stream" } },
      );
      flow.dispatch({ type: "checked", sample, check: result });
      app.announce(result.isGood ? "The sample is good" : result.faults.join(". "));
    } catch (failed) {
      flow.dispatch({ type: "failed", error: failed.message });
    }
  }

  async function askConsent() {
    flow.dispatch({ type: "accepted" });
    try {
      flow.dispatch({ type: "asked", sentence: await app.client.send("POST", "/api/voices/consent", { name: flow.get().name }) });
    } catch (failed) {
      flow.dispatch({ type: "failed", error: failed.message });
    }
  }

  async function send() {
    const { name: voice, sample, consent } = flow.get();
    flow.dispatch({ type: "sending" });
    const form = new FormData();
    form.append("name", voice);
    form.append("text", answer?.sentence ?? "");
    form.append("sample", sample, "sample.wav");
    form.append("consent", consent, "consent.wav");
    try {
      const result = await app.client.upload("POST", "/api/voices", form, { progress: (fraction) => flow.dispatch({ type: "sent", fraction }) });
      app.drafts.set("voice-name", "");
      name = "";
      flow.dispatch({ type: "added", result });
      if (result.job) {
        fits.set(result.job.id ?? result.job, result.job);
        app.jobs.dispatch({ type: "job", job: result.job });
      }
      load();
    } catch (failed) {
      flow.dispatch({ type: "failed", error: failed.message });
      if (flow.get().step === "consent") askSentence();
    }
  }

  async function askSentence() {
    const { error: words } = flow.get();
    try {
      flow.dispatch({ type: "asked", sentence: await app.client.send("POST", "/api/voices/consent", { name: flow.get().name }) });
      if (words) flow.dispatch({ type: "failed", error: words });
    } catch (failed) {
      flow.dispatch({ type: "failed", error: failed.message });
    }
  }

  function link(blob) {
    if (!links.has(blob)) {
      for (const [old, address] of links) {
        const state = flow.get();
        if (old !== state.sample && old !== state.consent) {
          URL.revokeObjectURL(address);
          links.delete(old);
        }
      }
      links.set(blob, URL.createObjectURL(blob));
    }
    return links.get(blob);
  }

  async function importVoice(file) {
    const base = file.name.replace(/\.[^.]*$/, "").replace(/[^A-Za-z0-9_-]/g, "-").slice(0, 40);
    const { value } = await app.attempt(
      () => app.client.upload(
        "POST", `/api/voices/import?name=${encodeURIComponent(base)}`, file, { headers: { "content-type": "application/octet-stream" } },
      ),
      { failed: "The voice was not taken in." },
    );
    if (!value) return;
    app.toast({ text: `${value.voice?.name ?? base} is here. Signed by ${value.fingerprint}; compare it with its sender.`, seconds: 20 });
    load();
  }

  async function fit(voice) {
    const { value } = await app.attempt(
      () => app.client.send("POST", `/api/voices/${encodeURIComponent(voice.name)}/fit`, {}), { failed: "The fit was not begun." },
    );
    if (!value) return;
    fits.set(value.job.id, value.job);
    app.jobs.dispatch({ type: "job", job: value.job });
    answer = { ...answer, cloned: answer.cloned.map((one) => (one.name === voice.name ? { ...one, job: value.job.id } : one)) };
    draw();
  }

  async function remove(voice) {
    if (
      !await confirmed(
        {
          title: `Delete ${voice.name}?`,
          text: "The sample, the consent, the voice and everything that was said with it are deleted. This cannot be taken back.", action: "Delete",
        }
      )
    ) return;
    const { error: failed } = await app.attempt(
      () => app.client.send("DELETE", `/api/voices/${encodeURIComponent(voice.name)}`), { failed: "It was not deleted." },
    );
    if (failed) return;
    app.go("voice");
    load();
  }

  function useAsVoice(voice, isDefault) {
    app.preferences.set("voice", isDefault ? "" : voice);
    app.toast({ text: isDefault ? "Texts are read with the default voice again." : `Texts in Speak are read with ${voice}.` });
    draw();
  }

  function fitLine(voice) {
    const job = voice.job ? fits.get(voice.job) ?? app.jobs.get().jobs.find((one) => one.id === voice.job) : null;
    if (job && isOpen(job)) return { text: job.progress || (job.state === "running" ? "Being made nearer" : "Waits to be made nearer"), job };
    if (job?.state === "failed") return { text: job.error || "The fit failed", job };
    return { text: { added: "Added", fitting: "Usable; can be made nearer", ready: "Ready" }[voice.state] ?? voice.state, job: null };
  }

  function listBody() {
    if (error && !answer) return failure(error.message, load);
    if (!answer) return h("p", { class: "loading" }, "Loading…");
    const now = app.preferences.get("voice", "");
    return [
      answer.cloned.length > 0
        ? h("ul", { class: "rows", "aria-label": "Your voices" }, answer.cloned.map((voice) => {
          const line = fitLine(voice);
          return h(
            "li", { key: voice.name },
            h("a", { class: "job-row", href: route("voice", voice.name), "aria-current": selected === voice.name ? "true" : undefined },
            h(
              "span",
              { class: `dot ${line.job && isOpen(line.job) ? "running" : voice.state === "ready" ? "done" : "short"}`, "aria-hidden": "true" },
            ),
            h("span", { class: "job-text" }, h("span", { class: "job-title" }, voice.name), h("span", { class: "job-line" }, line.text)),
            icon("right", "row-mark")));
        }))
        : emptyState(
          "No voice of your own yet", "Read one sentence aloud for about ten seconds. Sotto makes a voice of it that stays on this machine.",
        ),
      h(
        "div", { class: "more-row" },
        fileButton({ label: "Take in a voice file", accept: ".sottovoice", onfiles: ([file]) => importVoice(file), class: "quiet" }),
      ),
      h("h3", { class: "list-title" }, "Voices that come with Sotto"),
      h(
        "ul", { class: "rows", "aria-label": "Voices that come with Sotto" },
        answer.voices.map((voice) => h("li", { key: voice.name, class: "plain-row" },
        h(
          "span", { class: "job-text" },
          h("span", { class: "job-title" }, voice.name, voice.default ? h("span", { class: "chip" }, "default") : null, null),
          h("span", { class: "job-line wrap" }, voice.note),
        ),
        iconButton(
          "play", `Hear ${voice.name}`,
          () => app.speaker.speak(
            { text: `Hello, this is ${voice.name.replace(/^.*_/, "")}.`, voice: voice.name, title: voice.name, key: `hello-${voice.name}`, from: 0 }
          ),
        ),
        button(
          now === voice.name ? "In use" : "Use", () => useAsVoice(voice.name, now === voice.name),
          { class: "quiet compact", "aria-pressed": String(now === voice.name), "aria-label": `Use ${voice.name} in Speak` },
        )))),
    ];
  }

  function steps(current) {
    const index = current === "sending" ? 2 : STEPS.findIndex((step) => step.id === current);
    return h("ol", { class: "stepper", "aria-label": "Steps" }, STEPS.map((step, place) => h("li", {
      key: step.id, class: place < index ? "past" : place === index ? "present" : "", "aria-current": place === index ? "step" : undefined,
    }, h("span", { class: "stepper-mark" }, place < index ? icon("check") : place + 1), h("span", null, step.label))));
  }

  function quality(check) {
    const line = (isFine, words) => h("li", { class: isFine ? "fine" : "fault", key: words }, icon(isFine ? "check" : "cross"), words);
    const { quality: measured } = check;
    return h("div", { class: "checks" },
      h("ul", { class: "check-list" }, [
        line(measured.speechSeconds >= 6, `${duration(measured.speechSeconds)} of speech in ${duration(measured.seconds)}`),
        line(measured.level >= -42, `Level ${Math.round(measured.level)} dB`),
        line(measured.distance >= 20, `${Math.round(measured.distance)} dB above the noise`),
        line(measured.clipped <= 0.0005, measured.clipped > 0.0005 ? "Crackles: too loud" : "No clipping"),
        check.wordErrorRate === undefined || check.wordErrorRate === null ? null : line(
          check.wordErrorRate <= 0.3, `${Math.round((1 - Math.min(1, check.wordErrorRate)) * 100)} % of the words understood`,
        ),
      ].filter(Boolean)),
      check.faults.length > 0 ? h("ul", { class: "plain-list faults" }, check.faults.map((fault) => h("li", { key: fault }, fault))) : null);
  }

  function enrolment() {
    const state = flow.get();
    const body = [];
    if (answer && !answer.canClone) {
      return [
        failure("Making a voice needs a model that is not here."),
        h("div", { class: "more-row" }, h("a", { class: "button primary", href: "#/settings/models" }, `Get ${answer.missing.join(", ")}`)),
      ];
    }
    body.push(steps(state.step));
    if (state.step === "name") {
      body.push(h("form", {
        class: "step-body", key: "name", onsubmit: (event) => {
          event.preventDefault();
          nameError = nameProblem(name.trim(), (answer?.cloned ?? []).map((voice) => voice.name));
          if (!nameError) flow.dispatch({ type: "named", name: name.trim() });
          draw();
        },
      },
      h("p", null, "Only your own voice, or that of somebody who reads the sentence of consent aloud. The recordings never leave this machine."),
      h("div", { class: "field" }, h("label", { class: "field-label", for: "voice-name" }, "Name"),
        h("input", {
          id: "voice-name", class: "input", autocomplete: "off", autocapitalize: "none", spellcheck: "false", maxlength: "40",
          "aria-invalid": nameError ? "true" : undefined, "aria-describedby": nameError ? "voice-name-error" : undefined,
          ref: (node) => { node.value = name; },
          oninput: (event) => {
            name = event.target.value;
            nameError = null;
            app.drafts.set("voice-name", name);
            draw();
          },
        }), nameError ? h("p", { class: "error-text", id: "voice-name-error", role: "alert" }, nameError) : null),
      h("div", { class: "button-row" }, h("button", { type: "submit", class: "button primary" }, "Go on"))));
    } else if (state.step === "sample") {
      body.push(h("div", { class: "step-body", key: "sample" },
        h("p", null, "Read this aloud, as you would to a friend, in a quiet room:"),
        h("blockquote", { class: "read-aloud" }, answer?.sentence ?? ""),
        state.sample ? h("audio", { class: "audio", controls: true, src: link(state.sample), "aria-label": "Your sample" }) : null,
        state.isBusy ? [h("p", { class: "note", role: "status" }, "Checking the sample…"), progress("Checking the sample", undefined)] : null,
        state.check ? quality(state.check) : null,
        state.error ? failure(state.error, state.sample ? () => check(state.sample) : null) : null,
        state.check?.isGood ? h("div", { class: "button-row" },
          button("Use this sample", askConsent, { class: "primary" }),
          button("Record again", () => flow.dispatch({ type: "discarded" }), { class: "quiet" }))
          : state.isBusy ? null : [
            slot(sampleRecorder.element),
            fileButton({ label: "Use a recording", accept: "audio/*", onfiles: ([file]) => check(file), class: "quiet" }),
          ],
        state.check?.heard ? h("p", { class: "note" }, "Heard: “", state.check.heard, "”") : null,
        h("div", { class: "more-row" }, button("Back", () => flow.dispatch({ type: "back" }), { class: "quiet" }))));
    } else if (state.step === "consent" || state.step === "sending") {
      body.push(h("div", { class: "step-body", key: "consent" },
        h("p", null, "The person whose voice this is reads this sentence aloud. It is used once."),
        state.sentence ? h("blockquote", { class: "read-aloud" }, state.sentence.sentence) : h("p", { class: "loading" }, "Fetching the sentence…"),
        state.consent ? h("audio", { class: "audio", controls: true, src: link(state.consent), "aria-label": "Your consent" }) : null,
        state.error ? failure(state.error) : null,
        state.step === "sending" ? [
          h("p", { class: "note", role: "status" }, state.fraction === 1 ? "Listening to both recordings and making the voice…" : "Sending…"),
          progress("Making the voice", state.fraction === 1 ? undefined : state.fraction),
        ]
          : state.consent ? h(
            "div", { class: "button-row" }, button("Make the voice", send, { class: "primary" }),
            button("Record again", () => flow.dispatch({ type: "consented", consent: null }), { class: "quiet" }),
          )
            : state.sentence ? [
              slot(consentRecorder.element),
              fileButton(
                {
                  label: "Use a recording", accept: "audio/*", onfiles: ([file]) => flow.dispatch({ type: "consented", consent: file }),
                  class: "quiet",
                }
              ),
            ] : state.error ? button("Try again", askSentence, { class: "quiet" }) : null,
        state.step === "sending" ? null
          : h("div", { class: "more-row" }, button("Back", () => flow.dispatch({ type: "back" }), { class: "quiet" }))));
    } else {
      const voice = answer?.cloned.find((one) => one.name === state.name) ?? state.result?.voice ?? { name: state.name, state: "added" };
      body.push(
        h(
          "div", { class: "step-body", key: "done" }, h("p", null, "The voice is here and can be used at once. It is made nearer in the background."),
          compare(voice),
        h("div", { class: "more-row" }, button("Make another", () => flow.dispatch({ type: "again" }), { class: "quiet" }),
          h("a", { class: "button quiet", href: route("voice", state.name) }, "Show the voice"))));
    }
    return h("div", { class: "detail-body" }, body);
  }

  function compare(voice) {
    const line = fitLine(voice);
    const key = `trial-${voice.name}`;
    return h("div", { class: "compare" },
      h(
        "div", { class: "compare-cell" }, h("h3", { class: "part-title" }, "You"),
        h(
          "audio",
          {
            class: "audio", controls: true, preload: "none", src: `/api/voices/${encodeURIComponent(voice.name)}/sample`,
            "aria-label": `The sample of ${voice.name}`,
          },
        ),
      ),
      h(
        "div", { class: "compare-cell" }, h("h3", { class: "part-title" }, "Sotto"),
        playButton(
          app, { key, label: "Say the same", wish: () => ({ text: answer?.sentence || TRIAL, voice: voice.name, title: voice.name, from: 0 }) },
        ),
        app.speaker.state().key === key && app.speaker.state().phase === "failed"
          ? h("p", { class: "error-text", role: "alert" }, app.speaker.state().error) : null),
      line.job && isOpen(line.job)
        ? h(
          "div", { class: "fit-line", role: "status" }, h("span", { class: "spinner", "aria-hidden": "true" }), h("p", null, line.text),
          h("a", { href: route("agents", line.job.id) }, "Show"),
        ) : null);
  }

  function voiceDetail(voice) {
    const facts = [["Made", moment(voice.created)], ["State", fitLine(voice).text]];
    if (typeof voice.likeness === "number") facts.push(
      [
        "Likeness",
        voice.likeness.toFixed(2)
          + (typeof voice.ceiling === "number" ? ` of ${voice.ceiling.toFixed(2)}, what your own recordings have among themselves` : ""),
      ]
    );
    if (typeof voice.wordErrorRate === "number") facts.push(["Words misheard", `${(voice.wordErrorRate * 100).toFixed(1)} %`]);
    if (typeof voice.semitones === "number") facts.push(
      ["Pitch", `${Math.abs(voice.semitones).toFixed(1)} semitones ${voice.semitones < 0 ? "below" : "above"} yours`]
    );
    if (typeof voice.tries === "number") facts.push(["Tries", String(voice.tries)]);
    if (voice.importedFrom) facts.push(["Signed by", voice.importedFrom]);
    const job = voice.job ? fits.get(voice.job) : null;
    return h("div", { class: "detail-body" },
      compare(voice),
      h("dl", { class: "facts" }, facts.map(([term, value]) => [h("dt", null, term), h("dd", null, value)])),
      h("div", { class: "button-row" },
        button(
          "Use in Speak", () => useAsVoice(voice.name, app.preferences.get("voice", "") === voice.name),
          { class: "quiet", "aria-pressed": String(app.preferences.get("voice", "") === voice.name) },
        ),
        button("Make it nearer", () => fit(voice), { class: "quiet", disabled: Boolean(job && isOpen(job)) }),
        h(
          "a", { class: "button quiet", href: `/api/voices/${encodeURIComponent(voice.name)}/export`, download: "" }, icon("download"),
          h("span", null, "Export"),
        ),
        button("Delete", () => remove(voice), { class: "quiet danger-text", picture: "trash" })),
      h(
        "p", { class: "note" },
        "What this voice says is marked as synthetic in its file. An export holds the recordings; hand it only to whom you trust.",
      ));
  }

  function draw() {
    const list = pane({
      name: "voice", title: "My Voice",
      actions: [h("a", { class: "button primary", href: route("voice", "new") }, icon("plus"), h("span", null, "New voice"))], body: listBody(),
    });
    const voice = answer?.cloned.find((one) => one.name === selected);
    let right;
    if (selected === "new") right = pane(
      { name: "voice-detail", title: flow.get().name ? `New voice: ${flow.get().name}` : "New voice", back: () => app.go("voice"), body: enrolment() }
    );
    else if (voice) right = pane({ name: "voice-detail", title: voice.name, back: () => app.go("voice"), body: voiceDetail(voice) });
    else if (selected && answer) right = pane(
      { name: "voice-detail", title: selected, back: () => app.go("voice"), body: emptyState("This voice is not there any more", "") }
    );
    else right = h(
      "section", { class: "pane pane-blank", key: "blank" },
      h("div", { class: "pane-body" }, emptyState("Nothing chosen", "Choose a voice, or make one.")),
    );
    render(element, panes(list, right, selected !== null));
  }

  draw = drawing(draw);
  flow.subscribe(() => draw());
  app.on("speaker", draw);
  app.on("voices", load);
  app.on("reset", load);
  app.on("online", load);
  app.on("job", (job) => {
    if (job.kind !== "voice-fit") return;
    fits.set(job.id, { ...fits.get(job.id), ...job });
    draw();
  });
  window.addEventListener("beforeunload", (event) => {
    if (flow.get().sample && flow.get().step !== "done") event.preventDefault();
  });

  return {
    element,
    show(path) {
      selected = path[0] ?? null;
      if (selected === "new" && flow.get().step === "done") flow.dispatch({ type: "again" });
      draw();
      if (!answer || error) load();
    },
    hide() {
      sampleRecorder.stop();
      consentRecorder.stop();
    },
    escape() {
      if (selected) app.go("voice");
    },
  };
}
