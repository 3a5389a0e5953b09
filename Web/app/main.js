import { ApiError, createClient, socketAddress } from "../net/client.js";
import { createDrafts, createPreferences } from "../net/drafts.js";
import { createLive } from "../net/live.js";
import { createOutbox } from "../net/outbox.js";
import { createListening } from "../audio/listening.js";
import { openMicrophone } from "../audio/microphone.js";
import { createSpeaker } from "../audio/speaker.js";
import { render, slot } from "../components/dom.js";
import { createToasts } from "../components/toasts.js";
import { noJobs, reduceJobs } from "../state/jobs.js";
import { createStore } from "../state/store.js";
import { createAgentsView } from "../views/agents.js";
import { createLibraryView } from "../views/library.js";
import { createSettingsView } from "../views/settings.js";
import { createSignInView } from "../views/signin.js";
import { createSpeakView } from "../views/speak.js";
import { createTranscribeView } from "../views/transcribe.js";
import { createVoiceView } from "../views/voice.js";
import { openHelp } from "../views/help.js";
import { showAppearance } from "./appearance.js";
import { parseRoute, route, signInCode } from "./router.js";
import { ROOMS, createShell } from "./shell.js";

const VIEWS = {
  agents: createAgentsView, transcribe: createTranscribeView, speak: createSpeakView, voice: createVoiceView, library: createLibraryView,
  settings: createSettingsView,
};

function start() {
  const root = document.getElementById("app");
  const toasts = createToasts();
  document.body.append(toasts.element);
  const preferences = createPreferences(localStorage);
  const listeners = new Map();
  const views = new Map();
  let shown = null;
  let isSignedIn = null;
  let listening = null;
  let isReached = true;
  let session = null;
  let depth = 1;

  const client = createClient({
    signedOut: () => setSignedIn(false),
    reached(value) {
      if (value === isReached) return;
      isReached = value;
      drawShell();
      if (value) live.nudge();
    },
  });
  const jobs = createStore(reduceJobs, noJobs);
  const live = createLive({
    address: (after) => socketAddress("/api/live", { after }),
    heard,
    changed(state) {
      if (state === "open") {
        isReached = true;
        outbox.flush();
        emit("online", {});
      }
      drawShell();
    },
    check: async () => { await client.get("/api/session"); },
  });
  const outbox = createOutbox({
    storage: localStorage,
    deliver: (entry) => client.send("POST", entry.path, { ...entry.body, token: entry.token }),
    changed: () => emit("outbox", {}),
  });
  const speaker = createSpeaker({ address: () => socketAddress("/api/speak"), changed: (state) => emit("speaker", state), preferences });
  const shell = createShell({ skip: () => shell.main.focus() });

  /** What the views are given. */
  const app = {
    client, jobs, live, outbox, preferences, speaker,
    drafts: createDrafts(localStorage),
    announce: toasts.announce,
    toast: toasts.show,
    hideToast: toasts.hide,
    session: () => session,
    isAway: () => live.state() === "away" || !isReached,
    isWide: () => matchMedia("(min-width: 64rem)").matches,
    /** Follows an event of the server or of the app until the returned function is called. */
    on(event, listener) {
      if (!listeners.has(event)) listeners.set(event, new Set());
      listeners.get(event).add(listener);
      return () => listeners.get(event).delete(listener);
    },
    go: (...path) => { location.hash = route(...path); },
    /** Does something at the server; what goes wrong is told, with a way to try again. */
    async attempt(action, { failed = "" } = {}) {
      try {
        return { value: await action() };
      } catch (error) {
        if (error.name === "AbortError") return { error };
        if (!(error instanceof ApiError)) console.error(error);
        toasts.show({
          kind: "error", tag: `failed-${failed}`, text: failed ? `${failed} ${error.message}` : error.message,
          action: error.isAway ? { label: "Try again", run: () => app.attempt(action, { failed }) } : undefined, seconds: error.isAway ? 60 : 12,
        });
        return { error };
      }
    },
    /** Makes a listening session; the one before it ends, because there is one microphone. */
    listen({ purpose, language, heard: listener, changed }) {
      listening?.stop();
      speaker.pause();
      const spoken = language ?? (preferences.get("language", "") || undefined);
      const own = createListening({
        open: openMicrophone, heard: listener, changed,
        address: (rate) => socketAddress("/api/listen", { rate, language: spoken, purpose }),
        wishes: { device: preferences.get("microphone", "") || undefined, processing: preferences.get("processing", true) },
      });
      listening = own;
      return own;
    },
    signOut: async () => {
      await client.send("DELETE", "/api/session");
      setSignedIn(false);
    },
    loadJobs, moreJobs, redraw: drawShell, showAppearance: () => appearance(),
    emit,
  };

  function emit(event, data) {
    for (const listener of [...(listeners.get(event) ?? [])]) listener(data);
  }

  function heard(event, data) {
    if (event === "job") jobs.dispatch({ type: "job", job: data });
    if (event === "job-removed") jobs.dispatch({ type: "removed", id: data.id });
    if (event === "schedules") loadSchedules();
    if (event === "reset" || event === "erased") loadJobs();
    if (event === "notice") notify(data);
    emit(event, data);
  }

  async function loadJobs() {
    const { query, filter } = jobs.get();
    return ask({ query, filter });
  }

  async function ask({ query, filter }) {
    jobs.dispatch({ type: "asked", query, filter });
    try {
      const page = await client.get("/api/agents", { limit: 50, query, state: filter });
      jobs.dispatch({ type: "page", query, filter, isFirst: true, jobs: page.jobs, schedules: page.schedules, next: page.next ?? null });
      live.start(page.at);
    } catch (error) {
      jobs.dispatch({ type: "failed", query, filter, error: error.message });
      // Live events come back before anybody presses "try again".
      if (isSignedIn !== false) live.start(null);
    }
  }

  async function moreJobs() {
    const { query, filter, next } = jobs.get();
    if (next === null) return;
    const { value: page } = await app.attempt(
      () => client.get("/api/agents", { limit: 50, before: next, query, state: filter }), { failed: "The next page did not come." },
    );
    if (page) jobs.dispatch({ type: "page", query, filter, isFirst: false, jobs: page.jobs, next: page.next ?? null });
  }

  async function loadSchedules() {
    try {
      const page = await client.get("/api/agents", { limit: 1 });
      jobs.dispatch({ type: "schedules", schedules: page.schedules ?? [] });
    } catch { /* The next event or visit asks again. */ }
  }

  app.findJobs = ask;

  function notify({ job, title, body }) {
    toasts.show(
      { tag: `job-${job}`, text: body ? `${title}: ${body}` : title, action: { label: "Open", run: () => app.go("agents", job) }, seconds: 10 }
    );
    if (
      !preferences.get("notifications", false) || globalThis.Notification?.permission !== "granted" || document.visibilityState === "visible"
    ) return;
    const options = { body, tag: `sotto-job-${job}`, icon: "/icons/icon-192.png", data: { route: route("agents", job) } };
    // Where a service worker is, its notifications work on phones too.
    navigator.serviceWorker?.getRegistration().then((registration) => {
      if (registration?.active) return registration.showNotification(title, options);
      const note = new Notification(title, options);
      note.onclick = () => {
        window.focus();
        app.go("agents", job);
      };
      return null;
    }).catch(() => {});
  }

  function setSignedIn(value) {
    if (value === isSignedIn) return;
    isSignedIn = value;
    if (value) {
      loadJobs();
      outbox.flush();
    } else {
      live.stop();
      speaker.stop();
    }
    draw();
  }

  async function signIn(code) {
    await client.send("POST", "/api/session", { code });
    try {
      session = await client.get("/api/session");
    } catch { /* Asked again in Settings. */ }
    isSignedIn = null;
    setSignedIn(true);
  }
  app.signIn = signIn;

  function appearance() {
    showAppearance({ appearance: preferences.get("appearance", "system"), textSize: preferences.get("textSize", "100") });
  }

  function drawShell() {
    if (!isSignedIn) return;
    const banners = [];
    if (app.isAway()) banners.push(
      {
        id: "away", kind: "warning", text: "Sotto is away. What you write is kept and sent when it is back.",
        action: { label: "Try now", run: () => { client.get("/health").catch(() => {}); live.nudge(); } }
      }
    );
    shell.show({ room: shown ?? "agents", banners, running: jobs.get().jobs.filter((job) => job.state === "running").length });
  }

  function draw() {
    if (isSignedIn === null) return;
    if (!isSignedIn) {
      views.get(shown)?.hide?.();
      shown = null;
      document.title = "Sotto";
      if (!views.has("signin")) views.set("signin", createSignInView(app));
      render(root, slot(views.get("signin").element));
      return;
    }
    const { path, query } = parseRoute(location.hash);
    const room = VIEWS[path[0]] ? path[0] : "agents";
    const isOther = room !== shown;
    if (isOther) views.get(shown)?.hide?.();
    if (!views.has(room)) views.set(room, VIEWS[room](app));
    const view = views.get(room);
    shown = room;
    const title = ROOMS.find((one) => one.id === room).label;
    shell.place(view.element, title);
    drawShell();
    render(root, slot(shell.element));
    view.show(path.slice(1), query);
    document.title = view.title?.() ? `${view.title()} · Sotto` : `${title} · Sotto`;
    if (isOther) emit("room", room);
    // On a phone the screen changes under the person: the heading of the new one is where reading begins.
    if (!app.isWide() && path.length !== depth) {
      queueMicrotask(() => {
        const now = document.activeElement;
        if (
          !now || now === document.body || !now.checkVisibility?.()
        ) view.element.querySelector('[data-shows="detail"] > .slot-detail h2')?.focus({ preventScroll: true });
      });
    }
    depth = path.length;
  }

  app.retitle = () => {
    const view = views.get(shown);
    const title = ROOMS.find((one) => one.id === shown)?.label ?? "";
    document.title = view?.title?.() ? `${view.title()} · Sotto` : `${title} · Sotto`;
  };

  async function arrive() {
    const code = signInCode(location.hash);
    if (code) {
      // The code is single-use and must not stay in the history.
      history.replaceState(null, "", `${location.pathname}#/agents`);
      try {
        await signIn(code);
        return;
      } catch (error) {
        // A page that was opened twice is signed in already.
        if (!error.isAway) app.signInProblem = error.message;
      }
    }
    try {
      session = await client.get("/api/session");
      setSignedIn(true);
    } catch (error) {
      if (error.status === 401) setSignedIn(false);
      else {
        // Away: the app is shown all the same, with what this browser keeps.
        isReached = false;
        setSignedIn(true);
      }
    }
  }

  jobs.subscribe(() => drawShell());
  window.addEventListener("hashchange", () => {
    const code = signInCode(location.hash);
    if (code) arrive();
    else draw();
  });
  window.addEventListener("online", () => live.nudge());
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") live.nudge();
  });
  window.addEventListener("storage", (event) => {
    if (event.key === "sotto.outbox") outbox.reload();
    if (event.key === "sotto.appearance" || event.key === "sotto.textSize") appearance();
  });
  matchMedia("(min-width: 64rem)").addEventListener("change", () => emit("resized", {}));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", appearance);
  window.addEventListener("beforeunload", (event) => {
    // What is being recorded would end in the middle of a word; everything else survives.
    if (listening && ["listening", "settling"].includes(listening.state().phase)) event.preventDefault();
  });
  shortcuts();
  appearance();
  setInterval(() => {
    if (document.visibilityState === "visible") emit("minute", {});
  }, 30_000);
  navigator.serviceWorker?.register("/sw.js").catch(() => {});
  navigator.serviceWorker?.addEventListener("message", (event) => {
    if (event.data?.route) location.hash = event.data.route;
  });
  arrive();

  function shortcuts() {
    let lead = 0;
    let held = null;
    const isWriting = (target) => target.closest?.("input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]");
    window.addEventListener("keydown", (event) => {
      if (event.key === "F2" && !event.repeat) {
        const view = views.get(shown);
        if (!view?.talk || document.querySelector("dialog[open]")) return;
        event.preventDefault();
        held = view;
        view.talk(true);
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target) || document.querySelector("dialog[open]") || !isSignedIn) return;
      const isLetter = event.key.length === 1 && event.key !== " " && event.key !== "?";
      if (isLetter && !preferences.get("shortcuts", true)) return;
      if (event.key === "?") {
        event.preventDefault();
        openHelp();
      } else if (event.key === "/" || event.key === "n") {
        const view = views.get(shown);
        const act = event.key === "/" ? view?.search : view?.compose;
        if (act) {
          event.preventDefault();
          act();
        }
      } else if (event.key === "g") lead = Date.now();
      else if (Date.now() - lead < 1500) {
        const room = { a: "agents", t: "transcribe", s: "speak", v: "voice", l: "library", ",": "settings" }[event.key];
        lead = 0;
        if (room) {
          event.preventDefault();
          app.go(room);
        }
      } else if (event.key === " " && event.target === document.body && speaker.state().phase !== "idle") {
        event.preventDefault();
        speaker.toggle();
      } else if (event.key === "Escape") views.get(shown)?.escape?.();
      else views.get(shown)?.press?.(event);
    });
    window.addEventListener("keyup", (event) => {
      if (event.key !== "F2" || !held) return;
      event.preventDefault();
      held.talk(false);
      held = null;
    });
    window.addEventListener("blur", () => {
      held?.talk(false);
      held = null;
    });
  }

  // For measurements by the tests of this app: how the last speech's pieces joined.
  window.sotto = Object.freeze({ speech: () => speaker.report(), live: () => ({ state: live.state(), last: live.last() }) });
}

start();
