import { create, drawing, h, render, slot } from "../components/dom.js";
import { button, failure, iconButton } from "../components/controls.js";
import { createComposer } from "../components/composer.js";
import { confirmed, openSheet } from "../components/dialog.js";
import { findings, webAddress } from "../components/findings.js";
import { copyText } from "../components/files.js";
import { icon } from "../components/icon.js";
import { pane } from "../components/panes.js";
import { playButton, spokenText } from "../components/player.js";
import { counted, duration, moment, placeName } from "../state/format.js";
import { citedPassages, statedAt } from "../state/highlight.js";
import { isNewer, isOpen, jobStanding } from "../state/jobs.js";
import { stepList, stepName, withEvent } from "../state/steps.js";
import { route } from "../app/router.js";

const LEVELS = {
  full: { mark: "full", words: "Read in full" }, partial: { mark: "partial", words: "Read in part" },
  snippet: { mark: "snippet", words: "Only the search result's words" },
  failed: { mark: "failed", words: "Could not be read" },
};
const STATUS = {
  notAnswered: "The sources were read and do not answer this.", nothingFound: "No source matched the question.",
  digest: "No language model is installed: these are sentences copied from the sources, not an answer.",
  stopped: "It was stopped before the claims were checked. What was read is listed; nothing is claimed.",
};

/**
 * One agent in full.
 * @param {object} app The app.
 * @param {number} id The job.
 * @param {(path: string, body: object) => Promise<boolean>} ask Asks a question.
 * @returns {object} `element`, `show`, `hide`, `title`, `key`, `press`.
 */
export function createAgentDetail(app, id, ask) {
  const element = create(h("div", { class: "pane-slot detail-slot" }));
  let detail = null;
  let error = null;
  let isShown = false;
  let timer = null;
  let asked = 0;
  const openParts = new Set();
  const leave = [];
  const follow = (event, listener) => leave.push(app.on(event, listener));
  const composer = createComposer(
    app,
    { name: `follow-up-${id}`, label: "Follow-up question", placeholder: "Ask a follow-up", ask: (body) => ask(`/api/agents/${id}/follow-up`, body) },
  );
  const key = `job-${id}`;

  async function load() {
    asked += 1;
    const own = asked;
    try {
      const answer = await app.client.get(`/api/agents/${id}`);
      if (own !== asked) return;
      // An account that is older than what live events told meanwhile does not replace it.
      const job = detail && !isNewer(answer.job, detail.job) ? detail.job : answer.job;
      detail = { ...answer, job, events: (detail?.events ?? []).reduce(withEvent, answer.events) };
      error = null;
      app.jobs.dispatch({ type: "job", job: answer.job });
    } catch (failed) {
      if (own !== asked) return;
      error = failed;
    }
    app.retitle();
    draw();
  }

  function loadSoon() {
    clearTimeout(timer);
    timer = setTimeout(load, 150);
  }

  follow("job", (job) => {
    if (job.id !== id) {
      if (job.parent === id && isShown && detail && !detail.followUps?.some((other) => other.id === job.id)) loadSoon();
      else if (job.parent === id && detail) {
        detail = { ...detail, followUps: detail.followUps.map((other) => (other.id === job.id ? job : other)) };
        draw();
      }
      return;
    }
    if (!detail) return;
    const before = detail.job;
    if (!isNewer(job, before)) return;
    detail = { ...detail, job };
    if (before.state !== job.state) {
      const { words } = jobStanding(detail.job, Date.now());
      if (isShown) app.announce(`${words}: ${job.title}`);
      if (isShown) loadSoon();
      else detail = null;
    } else if (isShown && job.progress && job.progress !== before.progress) app.announce(job.progress);
    draw();
  });
  follow("log", (line) => {
    if (line.job !== id || !detail) return;
    detail = { ...detail, events: withEvent(detail.events, line) };
    draw();
  });
  follow("reset", () => { if (isShown) load(); });
  follow("online", () => { if (isShown) load(); });
  follow("speaker", () => { if (isShown) draw(); });
  follow("minute", () => { if (isShown) draw(); });
  follow("outbox", () => { if (isShown) draw(); });

  async function act(method, path, failed) {
    const { value } = await app.attempt(() => app.client.send(method, path), { failed });
    if (!value?.job) return;
    if (detail) detail = { ...detail, job: value.job };
    app.jobs.dispatch({ type: "job", job: value.job });
    draw();
    loadSoon();
  }

  async function remove() {
    if (
      !await confirmed(
        { title: "Delete this question?", text: "The question, what was found and its log are deleted. This cannot be taken back.", action: "Delete" }
      )
    ) return;
    const { error: failed } = await app.attempt(() => app.client.send("DELETE", `/api/agents/${id}`), { failed: "It was not deleted." });
    if (failed) return;
    app.jobs.dispatch({ type: "removed", id });
    app.go("agents");
  }

  function openSource(number, context = "") {
    const report = detail.result;
    const source = report?.sources?.find((one) => one.id === number);
    if (!source) {
      app.toast({ text: `Source ${number} is not in the report.` });
      return;
    }
    const { claim, passages } = context ? citedPassages(report, number, context) : { claim: null, passages: [] };
    const cited = new Set(passages.length > 0 ? passages : (report.claims ?? []).flatMap((one) => one.passages ?? []));
    const ordered = [...(source.passages ?? [])].sort((one, other) => Number(cited.has(other.id)) - Number(cited.has(one.id)));
    const address = webAddress(source.location);
    const level = LEVELS[source.level] ?? LEVELS.partial;
    openSheet({
      title: source.title || placeName(source.location),
      kind: "source-sheet",
      body: [
        h("p", { class: "source-place" }, address
          ? h("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, source.location, icon("external", "inline-icon"))
          : [h("span", { class: "path" }, source.location), iconButton("copy", "Copy the path", () => copyText(app, source.location))]),
        h(
          "p", { class: "note" },
          [level.words, source.reason, source.published ? `published ${source.published.slice(0, 10)}` : ""].filter(Boolean).join(" · "),
        ),
        ordered.length === 0 ? h("p", { class: "note" }, "Nothing of it was read.") : null,
        ordered.map((passage) => passageCard(passage, cited.has(passage.id), claim)),
      ],
    });
  }

  function passageCard(passage, isCited, claim) {
    // The claim that this passage bears, to mark where.
    const stated = claim && claim.passages?.includes(passage.id) ? claim : (detail.result.claims ?? []).find(
      (one) => one.passages?.includes(passage.id)
    );
    const range = isCited && stated ? statedAt(passage.text, stated.text) : null;
    const text = range
      ? [passage.text.slice(0, range.start), h("mark", null, passage.text.slice(range.start, range.end)), passage.text.slice(range.end)]
      : passage.text;
    return h("article", { class: `passage ${isCited ? "cited" : ""}`.trim(), key: passage.id },
      h("h3", null, passage.heading || `Passage ${passage.id}`),
      isCited ? h("p", { class: "passage-mark" }, icon("check", "inline-icon"), "Cited") : null,
      h("p", { class: "passage-text" }, text));
  }

  function citation(number, context, label) {
    const source = detail.result?.sources?.find((one) => one.id === number);
    return h("button", {
      type: "button", class: "citation", "data-source": number, "aria-haspopup": "dialog",
      "aria-label": `Source ${number}${source ? `: ${source.title || placeName(source.location)}` : ""}`, onclick: () => openSource(number, context),
    }, label.replace(/[[\]]/g, ""));
  }

  /** The findings end with a list of sources for readers of the file; the app shows its own. */
  function findingsPart(job) {
    if (!detail.html) return null;
    const all = findings(detail.html, { level: 3, citation });
    const cut = all.findIndex((node) => /^h[1-6]$/.test(node.tag ?? "") && /^(sources|also read)$/i.test(textOf(node)));
    const own = detail.result?.sources ? (cut >= 0 ? all.slice(0, cut) : all) : all;
    return h("section", { class: "part", key: "findings", "aria-labelledby": `findings-${job.id}` },
      h("h3", { id: `findings-${job.id}`, class: "part-title" }, "Findings"), h("div", { class: "findings" }, own));
  }

  function summaryPart(job) {
    const summary = detail.summary ?? job.summary;
    if (!summary) return null;
    const speaker = app.speaker.state();
    const isSaid = speaker.key === key && speaker.parts.length > 0 && speaker.phase !== "idle";
    return h("section", { class: "part summary-part", key: "summary", "aria-label": "Summary" },
      isSaid ? spokenText(app, speaker) : h("p", { class: "summary" }, summary),
      playButton(app, { key, label: "Listen", wish: () => ({ job: id, title: job.title }) }),
      speaker.key === key && speaker.phase === "failed" ? h("p", { class: "error-text", role: "alert" }, speaker.error) : null);
  }

  function claimsPart() {
    const claims = detail.result?.claims ?? [];
    if (claims.length === 0) return null;
    const counts = detail.result.counts ?? {};
    return h("section", { class: "part", key: "claims" }, h("h3", { class: "part-title" }, "Checked"),
      h(
        "p", { class: "note" },
        `${counted(counts.checked ?? claims.length, "claim")} checked: `
          + `${counts.supported ?? claims.filter((claim) => claim.verdict === "supported").length} supported by the source, `
          + `${counts.notFound ?? 0} not found in it and left out.`,
      ),
      h("ul", { class: "claims" }, claims.map((claim, index) => {
        const isSupported = claim.verdict === "supported";
        return h("li", { class: `claim ${isSupported ? "supported" : "unsupported"}`, key: index },
          h(
            "span", { class: "verdict" }, icon(isSupported ? "check" : "cross"),
            h("span", { class: "visually-hidden" }, isSupported ? "Supported: " : "Not found in source: "),
          ),
          h("div", null, h("p", null, claim.text, " ", claim.sources.map((number) => citation(number, claim.text, `[${number}]`))),
            h(
              "p", { class: "note" },
              [
                isSupported ? "Supported" : "Not found in source", claim.reason,
                claim.relevance === undefined ? "" : `answers the question: ${Math.round(claim.relevance * 100)} %`,
              ].filter(Boolean).join(" · "),
            )));
      })));
  }

  function sourcesPart() {
    const sources = detail.result?.sources ?? [];
    if (sources.length === 0) return null;
    return h("section", { class: "part", key: "sources" }, h("h3", { class: "part-title" }, "Sources"), h("ol", {
      class: "rows sources",
    }, sources.map((source) => {
      const level = LEVELS[source.level] ?? LEVELS.partial;
      return h("li", { key: source.id }, h("button", { type: "button", class: "source-row", onclick: () => openSource(source.id) },
        h("span", { class: "source-number" }, source.id),
        h("span", { class: "job-text" },
          h("span", { class: "job-title" }, source.title || placeName(source.location)),
          h(
            "span", { class: "job-line" },
            [
              placeName(source.location), source.published?.slice(0, 10),
              source.level === "failed" || source.level === "snippet" ? source.reason : "", source.cited ? "" : "not cited",
            ].filter(Boolean).join(" · "),
          )),
        h("span", { class: `badge ${level.mark}`, title: level.words }, source.level)));
    })));
  }

  function gapsPart(job) {
    const gaps = [...new Set([...(job.gaps ?? []), ...(detail.result?.gaps ?? [])])];
    const conflicts = detail.result?.conflicts ?? [];
    return [
      gaps.length > 0 ? h(
        "section", { class: "part", key: "gaps" }, h("h3", { class: "part-title" }, "Gaps"),
        h("ul", { class: "plain-list" }, gaps.map((gap) => h("li", { key: gap }, gap))),
      ) : null,
      conflicts.length > 0 ? h(
        "section", { class: "part", key: "conflicts" }, h("h3", { class: "part-title" }, "Sources disagree"),
        h("ul", { class: "plain-list" }, conflicts.map((conflict, index) => h("li", { key: index },
        h("p", null, detail.result.claims[conflict.claim]?.text ?? ""),
        h("p", { class: "note" }, "But: ", conflict.text, " ", citation(conflict.source, conflict.text, `[${conflict.source}]`)))))) : null,
    ];
  }

  function fold(name, title, body) {
    return h(
      "details",
      {
        class: "fold", key: name, open: openParts.has(name),
        ontoggle: (event) => { if (event.target.open) openParts.add(name); else openParts.delete(name); }
      },
      h("summary", null, title, icon("right", "fold-mark")), h("div", { class: "fold-body" }, body));
  }

  function workPart(job) {
    const steps = stepList(detail.steps ?? [], detail.events ?? [], job);
    const report = detail.result;
    const web = report?.web;
    const facts = [];
    if (report) {
      if (report.model) facts.push(["Model", report.model]);
      if (report.timings?.total) facts.push(["Time", duration(report.timings.total)]);
      if (report.queries?.length) facts.push(["Searches", report.queries.join(" · ")]);
      if (web) facts.push(
        [
          "Web",
          [
            counted(web.read ?? 0, "page read", "pages read"), counted(web.snippets ?? 0, "snippet"), `${web.failed ?? 0} failed`,
            counted(web.rounds ?? 1, "round"),
          ].join(", "),
        ]
      );
      if (report.screened) facts.push(["Screened out", `${counted(report.screened, "sentence")} that spoke to programs, not to people`]);
      if (report.leftOut) facts.push(["Left out for length", counted(report.leftOut, "passage")]);
    }
    const problems = (web?.searches ?? []).flatMap((search) => search.problems ?? []);
    return h("section", { class: "part", key: "work" }, h("h3", { class: "part-title" }, "How it was done"),
      steps.length > 0 ? h("ol", { class: "steps" }, steps.map((step) => h("li", { key: step.name, class: `step ${step.state}` },
        h(
          "span", { class: "step-mark" },
          step.state === "done" ? icon("check") : step.state === "failed" ? icon("cross") : h("span", { class: "spinner" }),
        ),
        h(
          "span", { class: "step-name" }, stepName(step.name),
          step.state === "running" ? h("span", { class: "visually-hidden" }, ", under way") : null,
        ),
        h("span", { class: "step-time" }, step.seconds === null ? "" : duration(step.seconds))))) : null,
      facts.length > 0 ? h("dl", { class: "facts" }, facts.map(([name, value]) => [h("dt", null, name), h("dd", null, value)])) : null,
      problems.length > 0 ? h(
        "ul", { class: "plain-list" },
        [
          ...new Set(problems.map((problem) => (typeof problem === "string" ? problem : JSON.stringify(problem))))
        ].map((problem) => h("li", { class: "note" }, problem)),
      ) : null,
      fold(
        "log", `Log, ${counted(detail.events?.length ?? 0, "line")}`,
        h("ol", { class: "log" }, (detail.events ?? []).map((event) => h("li", { key: event.id },
        h("time", { datetime: event.date }, new Date(event.date).toLocaleTimeString()),
        h("span", null, [event.step ? stepName(event.step) : "", words(event.kind), event.text].filter(Boolean).join(" · ")))))));
  }

  function words(kind) {
    return { stepStarted: "begun", stepFinished: "done", stepFailed: "failed", state: "", progress: "", note: "" }[kind] ?? kind;
  }

  function progressPart(job) {
    if (!isOpen(job)) return null;
    const standing = jobStanding(job, Date.now());
    return h("section", { class: "part progress-part", key: "progress", "aria-label": "Progress" },
      job.state === "running" ? h("span", { class: "spinner", "aria-hidden": "true" }) : h("span", { class: "dot waiting", "aria-hidden": "true" }),
      h(
        "p", null,
        job.state === "running" ? job.progress || "Beginning…" : standing.words === "Planned" ? `Planned for ${moment(job.dueAt)}` : job.error
          ? `${standing.words}: ${job.error}` : `${standing.words}. It begins when the one before is done.`,
      ));
  }

  function followUps() {
    const waiting = app.outbox.entries().filter((entry) => entry.path === `/api/agents/${id}/follow-up`);
    const list = detail.followUps ?? [];
    if (list.length === 0 && waiting.length === 0) return null;
    return h("section", { class: "part", key: "follow-ups" }, h("h3", { class: "part-title" }, "Follow-ups"), h("ul", { class: "rows" },
      list.map((job) => {
        const standing = jobStanding(job, Date.now());
        return h(
          "li", { key: job.id },
          h("a", { class: "job-row", href: route("agents", job.id) }, h("span", { class: `dot ${standing.mark}`, "aria-hidden": "true" }),
          h("span", { class: "job-text" }, h("span", { class: "job-title" }, job.title), h("span", { class: "job-line" }, standing.words))));
      }),
      waiting.map((entry) => h("li", { key: entry.token, class: "waiting-row" }, h("span", { class: "dot waiting", "aria-hidden": "true" }),
        h(
          "span", { class: "job-text" }, h("span", { class: "job-title" }, entry.body.question),
          h("span", { class: "job-line" }, entry.error ?? "Waits to be sent"),
        )))));
  }

  function actions(job) {
    const result = [];
    if (isOpen(job)) result.push(
      button(
        job.isCancelRequested ? "Stopping…" : "Cancel", () => act("POST", `/api/agents/${id}/cancel`, "It was not cancelled."),
        { class: "quiet", disabled: job.isCancelRequested },
      )
    );
    if (job.state === "failed" || job.state === "cancelled") result.push(
      button("Retry", () => act("POST", `/api/agents/${id}/retry`, "It was not begun again."), { class: "quiet", picture: "retry" })
    );
    result.push(iconButton("more", "More", more, { "aria-haspopup": "dialog" }));
    return result;
  }

  function more() {
    const has = Boolean(detail.findings);
    const leaveTo = (next) => {
      sheet.close();
      next();
    };
    const sheet = openSheet({
      title: "This question", kind: "dialog menu-sheet",
      body: h("ul", { class: "menu" },
        has ? h(
          "li", null,
          h("a", { class: "menu-item", href: `/api/agents/${id}/export?format=markdown`, download: "" }, icon("download"), "Save as Markdown"),
        ) : null,
        has ? h(
          "li", null, h("a", { class: "menu-item", href: `/api/agents/${id}/export?format=html`, download: "" }, icon("download"), "Save as a page"),
        ) : null,
        has ? h(
          "li", null,
          h(
            "button", { type: "button", class: "menu-item", onclick: () => { copyText(app, detail.findings); sheet.close(); } }, icon("copy"),
            "Copy the findings",
          ),
        ) : null,
        h("li", null, h("button", { type: "button", class: "menu-item danger-text", onclick: () => leaveTo(remove) }, icon("trash"), "Delete"))),
    });
  }

  function standingLine(job) {
    const standing = jobStanding(job, Date.now());
    const took = job.startedAt && job.finishedAt ? ` in ${duration((Date.parse(job.finishedAt) - Date.parse(job.startedAt)) / 1000)}` : "";
    const when = job.finishedAt ?? job.startedAt ?? job.createdAt;
    const parts = [`${standing.words}${job.state === "completed" ? took : ""}`, moment(when)];
    if (detail.request?.mode && detail.request.mode !== "balanced") parts.push(detail.request.mode);
    if (job.attempt > 1) parts.push(`attempt ${job.attempt} of ${job.maximumAttempts}`);
    return h("p", { class: "standing" }, h("span", { class: `dot ${standing.mark}`, "aria-hidden": "true" }), parts.join(" · "));
  }

  function body() {
    const { job } = detail;
    return h("div", { class: "detail-body" },
      standingLine(job),
      detail.request?.question && detail.request.question.length > job.title.length ? h("p", { class: "question" }, detail.request.question) : null,
      job.parent ? h("p", { class: "note" }, h("a", { href: route("agents", job.parent) }, "Follows an earlier question")) : null,
      job.kind === "voice-fit" ? h("p", { class: "note" }, h("a", { href: route("voice") }, "Belongs to My Voice")) : null,
      progressPart(job),
      job.state === "failed" && job.error ? failure(job.error) : null,
      STATUS[job.status] ?? STATUS[detail.result?.status] ? h("p", { class: "callout" }, STATUS[job.status] ?? STATUS[detail.result?.status]) : null,
      summaryPart(job), findingsPart(job), gapsPart(job), claimsPart(), sourcesPart(), workPart(job), followUps());
  }

  function draw() {
    const job = detail?.job ?? app.jobs.get().jobs.find((one) => one.id === id);
    render(element, pane({
      name: "agent", title: job?.title ?? "…", back: () => app.go("agents"), kind: "pane-agent",
      actions: detail ? actions(detail.job) : [],
      body: error && !detail ? (
        error.status === 404 ? h("p", { class: "empty" }, "This question is not there any more.") : failure(error.message, load)
      ) : detail ? body() : h("p", { class: "loading" }, "Loading…"),
      foot: detail && detail.job.kind === "research" && detail.job.state === "completed" ? slot(composer.element) : null,
    }));
  }

  function textOf(node) {
    return node.text ?? (node.children ?? []).map(textOf).join("");
  }

  draw = drawing(draw);
  return {
    element,
    title: () => detail?.job.title,
    show() {
      if (isShown) return;
      isShown = true;
      draw();
      load().then(() => queueMicrotask(composer.fit));
    },
    hide() {
      isShown = false;
    },
    dispose() {
      for (const end of leave) end();
    },
    key: (isDown) => composer.key(isDown),
    press(event) {
      if (event.key === "p" && (detail?.summary ?? detail?.job.summary)) {
        event.preventDefault();
        if (app.speaker.state().key === key && app.speaker.state().phase !== "idle") app.speaker.toggle();
        else app.speaker.speak({ key, job: id, title: detail.job.title, speed: app.preferences.get("speed", 1) });
      }
    },
  };
}
