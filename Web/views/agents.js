import { create, drawing, h, render, slot } from "../components/dom.js";
import { button, emptyState, failure, iconButton } from "../components/controls.js";
import { createComposer } from "../components/composer.js";
import { confirmed } from "../components/dialog.js";
import { icon } from "../components/icon.js";
import { pane, panes } from "../components/panes.js";
import { age, counted, moment } from "../state/format.js";
import { jobStanding } from "../state/jobs.js";
import { route } from "../app/router.js";
import { createAgentDetail } from "./agent.js";

const FILTERS = [
  { value: "", label: "All" }, { value: "queued,running", label: "Open" }, { value: "completed", label: "Done" },
  { value: "failed,cancelled", label: "Not done" },
];

/**
 * The agents: what was asked, how far it is, and one of them in full.
 * @param {object} app The app.
 * @returns {object} The view.
 */
export function createAgentsView(app) {
  const element = create(h("div", { class: "view" }));
  let selected = null;
  let isSearching = false;
  let searchTimer = null;
  let detail = null;
  const details = new Map();
  const composer = createComposer(app, { name: "agents", label: "Question", placeholder: "Ask anything", ask: (body) => ask("/api/agents", body) });

  /** Returns whether the field may be emptied: always once the question is kept, here or at the server. */
  async function ask(path, body) {
    try {
      const answer = await app.outbox.add(path, body);
      if (answer?.job) {
        app.jobs.dispatch({ type: "job", job: answer.job });
        app.announce("The question is queued");
        app.go("agents", answer.job.id);
      } else if (answer?.schedule) {
        app.loadJobs();
        app.toast({ text: `Kept: ${answer.schedule.rule}. First run ${moment(answer.schedule.nextRun)}.` });
      }
      return true;
    } catch (error) {
      const entry = app.outbox.entries().find((one) => one.error === error.message && one.isRefused);
      if (entry) {
        app.outbox.remove(entry.token);
        throw error;
      }
      app.toast({ tag: "outbox", text: "Sotto is away. The question is kept and sent when it is back." });
      return true;
    }
  }

  function search(text) {
    clearTimeout(searchTimer);
    searchTimer = setTimeout(() => app.findJobs({ query: text.trim(), filter: app.jobs.get().filter }), 250);
  }

  function arrows(event) {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const rows = [...element.querySelectorAll(".job-row")];
    const index = rows.indexOf(document.activeElement);
    const next = rows[index + (event.key === "ArrowDown" ? 1 : -1)];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  function jobRow(job) {
    const now = Date.now();
    const standing = jobStanding(job, now);
    const time = job.finishedAt ?? job.startedAt ?? job.createdAt;
    const words = standing.words === "Planned" ? `Planned for ${moment(job.dueAt)}` : standing.words;
    const line = job.state === "running" && job.progress ? job.progress : job.state === "completed" && job.summary ? job.summary
      : job.state === "failed" && job.error ? job.error : words;
    return h("li", { key: `job-${job.id}` }, h("a", {
      class: "job-row", href: route("agents", job.id), "aria-current": String(job.id) === selected ? "true" : undefined, "data-job": job.id,
    },
    h("span", { class: `dot ${standing.mark}`, "aria-hidden": "true" }),
    h("span", { class: "job-text" },
      h("span", { class: "job-title" }, job.title),
      h("span", { class: "job-line" }, h("span", { class: "visually-hidden" }, `${words}. `), line)),
    h("time", { class: "job-age", datetime: time, title: moment(time) }, age(Date.parse(time), now))));
  }

  function waitingRow(entry) {
    return h("li", { key: `entry-${entry.token}`, class: "waiting-row" },
      h("span", { class: "dot waiting", "aria-hidden": "true" }),
      h("span", { class: "job-text" }, h("span", { class: "job-title" }, entry.body.question),
        h("span", { class: "job-line" }, entry.isSending ? "Sending…" : entry.error ?? "Waits to be sent")),
      iconButton("retry", "Send now", () => app.outbox.flush(), { disabled: entry.isSending }),
      iconButton("trash", "Put back into the field", () => {
        app.outbox.remove(entry.token);
        composer.fill(entry.body.question);
      }));
  }

  function scheduleRow(schedule) {
    return h("li", { key: `schedule-${schedule.id}`, class: "schedule-row" },
      icon("clock"),
      h("span", { class: "job-text" },
        h("span", { class: "job-title" }, schedule.title),
        h(
          "span", { class: "job-line" },
          [`Every ${schedule.rule.replace(/^every /, "")}`, schedule.nextRun ? `next ${moment(schedule.nextRun)}` : "",
            schedule.missed ? `${schedule.missed} missed` : ""]
            .filter(Boolean).join(" · "),
        )),
      iconButton("trash", `Remove the schedule: ${schedule.title}`, async () => {
        if (
          !await confirmed(
            { title: "Remove this schedule?", text: `“${schedule.title}” will not run again. What it found so far stays.`, action: "Remove" }
          )
        ) return;
        const { error } = await app.attempt(
          () => app.client.send("DELETE", `/api/schedules/${schedule.id}`), { failed: "The schedule was not removed." },
        );
        if (!error) app.jobs.dispatch({ type: "schedules", schedules: app.jobs.get().schedules.filter((other) => other.id !== schedule.id) });
      }));
  }

  function listBody() {
    const state = app.jobs.get();
    const waiting = app.outbox.entries().filter((entry) => entry.path === "/api/agents");
    const parts = [];
    if (isSearching || state.query || state.filter) {
      parts.push(h("div", { class: "search-row", key: "search", role: "search" },
        h(
          "input",
          {
            class: "input", type: "search", id: "agents-search", "aria-label": "Search the agents", placeholder: "Search titles",
            oninput: (event) => search(event.target.value), ref: (node) => { node.value = state.query; }
          },
        ),
        h("div", { class: "filters", role: "group", "aria-label": "Show" }, FILTERS.map((filter) => h("button", {
          type: "button", key: filter.value, class: "filter", "aria-pressed": String(filter.value === state.filter),
          onclick: () => app.findJobs({ query: app.jobs.get().query, filter: filter.value }),
        }, filter.label)))));
    }
    if (waiting.length > 0) parts.push(h("ul", { class: "rows", key: "waiting", "aria-label": "Not yet sent" }, waiting.map(waitingRow)));
    if (state.schedules.length > 0 && !state.query && !state.filter) {
      parts.push(
        h(
          "details", { class: "fold", key: "schedules" }, h("summary", null, counted(state.schedules.length, "schedule"), icon("right", "fold-mark")),
          h("ul", { class: "rows" }, state.schedules.map(scheduleRow)),
        )
      );
    }
    if (state.phase === "failed") parts.push(h("div", { key: "failed" }, failure(state.error, () => app.loadJobs())));
    if (state.jobs.length > 0) parts.push(h("ul", { class: "rows", key: "jobs", "aria-label": "Agents", onkeydown: arrows }, state.jobs.map(jobRow)));
    else if (state.phase === "ready" && waiting.length === 0) {
      parts.push(state.query || state.filter
        ? emptyState("Nothing matches", "Only the titles are searched.")
        : emptyState(
          "Ask the first question",
          "Write it below, or tap the microphone and say it. Sotto searches the web and your library, reads, checks every sentence against its "
            + "source, and tells you when it is done.",
        ));
    } else if (state.phase === "loading" || state.phase === "empty") parts.push(h("p", { class: "loading", key: "loading" }, "Loading…"));
    if (state.next !== null && state.jobs.length > 0) parts.push(
      h("div", { class: "more-row", key: "more" }, button("Show earlier ones", () => app.moreJobs(), { class: "quiet" }))
    );
    return parts;
  }

  function draw() {
    const search = iconButton("search", "Search", () => {
      isSearching = !isSearching;
      if (!isSearching && (app.jobs.get().query || app.jobs.get().filter)) app.findJobs({ query: "", filter: "" });
      draw();
      if (isSearching) queueMicrotask(() => element.querySelector("#agents-search")?.focus());
    }, { "aria-expanded": String(isSearching) });
    const list = pane({ name: "agents", title: "Agents", actions: [search], body: listBody(), foot: slot(composer.element) });
    const right = detail ? slot(detail.element) : h(
      "section", { class: "pane pane-blank", key: "blank" },
      h("div", { class: "pane-body" }, emptyState("Nothing chosen", "Choose a question on the left, or ask a new one.")),
    );
    render(element, panes(list, right, detail !== null));
  }

  draw = drawing(draw);
  app.jobs.subscribe(() => draw());
  app.on("outbox", draw);
  app.on("minute", draw);

  return {
    element,
    title: () => detail?.title(),
    show(path) {
      const before = selected;
      selected = path[0] ?? null;
      if (selected !== before) {
        detail?.hide();
        detail = null;
        if (selected) {
          if (!details.has(selected)) {
            // A few are kept, so that going back is instant.
            if (details.size > 12) {
              const [oldest, gone] = details.entries().next().value;
              gone.dispose();
              details.delete(oldest);
            }
            details.set(selected, createAgentDetail(app, Number(selected), ask));
          }
          detail = details.get(selected);
          detail.show();
        }
      } else detail?.show();
      draw();
      queueMicrotask(composer.fit);
      if (before !== null && selected === null) queueMicrotask(
        () => element.querySelector(`[data-job="${CSS.escape(before)}"]`)?.focus({ preventScroll: true })
      );
    },
    hide: () => detail?.hide(),
    talk: (isDown) => (detail && !app.isWide() ? detail : composer).key(isDown),
    search() {
      isSearching = true;
      draw();
      queueMicrotask(() => element.querySelector("#agents-search")?.focus());
    },
    compose: () => composer.focus(),
    escape() {
      if (selected) app.go("agents");
    },
    press(event) {
      if (event.key === "j" || event.key === "k") arrows(
        { key: event.key === "j" ? "ArrowDown" : "ArrowUp", preventDefault: () => event.preventDefault() }
      );
      else detail?.press(event);
    },
  };
}
