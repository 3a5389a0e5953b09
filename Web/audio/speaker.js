import { backoff } from "../state/backoff.js";
import { added, firstOf, heldOf, nextStart } from "../state/timeline.js";
import { fromPCM, wav } from "./pcm.js";

/** Seconds of sound that are handed to the audio thread ahead of time. */
const HORIZON = 20;
/** Between planning and sounding. */
const LEAD = 0.06;
/** What must be there before sound goes on after it ran dry; doubles each time, so that a slow machine pauses seldom. */
const FIRST_BUFFER = 0.4;

/** Nothing to be heard. */
export const silentSpeaker = Object.freeze({
  phase: "idle", key: null, title: "", parts: [], part: 0, seconds: 0, played: 0, isDry: false, error: null, voice: "", speed: 1, isComplete: false,
  firstAudio: null,
});

/**
 * Says texts: one clock for all pieces, so that one begins where the other ends.
 *
 * @param {object} surroundings
 * @param {() => string} surroundings.address The WebSocket's address.
 * @param {(state: object) => void} surroundings.changed How it stands: `phase` is `idle`, `loading`, `playing`, `paused`, `ended` or `failed`.
 * @param {{get: Function, set: Function}} surroundings.preferences Remembers the place in each text, and the speaker that was chosen.
 * @param {typeof WebSocket} [surroundings.Socket] For tests.
 * @returns {object} `speak`, `pause`, `resume`, `toggle`, `stop`, `go`, `speed`, `state`, `file`, `report`.
 */
export function createSpeaker({ address, changed, preferences, Socket = globalThis.WebSocket }) {
  let context = null;
  let socket = null;
  let timer = null;
  let failures = 0;
  let request = null;
  let isExpecting = false;
  let announced = null;
  /** The sound of each piece, as it came. */
  let sounds = [];
  let pieces = [];
  let rate = 24_000;
  let cursor = null;
  let next = 0;
  let planned = [];
  let base = 0;
  let reported = 0;
  let skip = 0;
  let wanted = FIRST_BUFFER;
  let ticker = null;
  let gaps = [];
  let state = silentSpeaker;

  function tell(fields) {
    state = { ...state, ...fields };
    changed(state);
  }

  async function ready(hertz) {
    if (context && context.sampleRate !== hertz) {
      await context.close();
      context = null;
    }
    if (!context) {
      context = new AudioContext({ sampleRate: hertz, latencyHint: "playback" });
    }
    const sink = preferences.get("speaker", "");
    // A speaker that is gone leaves the system's own choice.
    if (context.setSinkId && (context.sinkId || "") !== sink) context.setSinkId(sink).catch(() => {});
    if (state.phase !== "paused" && context.state === "suspended") context.resume().catch(() => {});
  }

  function silence() {
    for (const one of planned) {
      one.source.onended = null;
      try {
        one.source.stop();
      } catch { /* It ended by itself. */ }
      one.source.disconnect();
    }
    planned = [];
    cursor = null;
  }

  function plan() {
    if (!context || context.sampleRate !== rate || state.phase === "paused") return;
    const now = context.currentTime;
    while (next < pieces.length) {
      if (cursor !== null && cursor - now > HORIZON) return;
      const last = pieces[pieces.length - 1];
      const buffered = last.start + last.seconds - pieces[next].start;
      const start = nextStart({ cursor, now, lead: LEAD, buffered, wanted, isComplete: state.isComplete });
      if (start === null) {
        if (!state.isDry) tell({ isDry: true });
        return;
      }
      if (start.isDry) {
        gaps.push({ at: pieces[next].start, seconds: start.at - cursor, isDry: true });
        wanted = Math.min(8, wanted * 2);
      } else if (cursor !== null) gaps.push({ at: pieces[next].start, seconds: start.at - cursor, isDry: false });
      if (state.isDry) tell({ isDry: false });
      const sound = fromPCM(sounds[next]);
      const buffer = new AudioBuffer({ length: Math.max(1, sound.length), numberOfChannels: 1, sampleRate: rate });
      buffer.copyToChannel(sound, 0);
      const source = new AudioBufferSourceNode(context, { buffer });
      source.connect(context.destination);
      source.start(start.at);
      const one = { source, index: next, at: start.at, until: start.at + sound.length / rate };
      source.onended = () => {
        planned = planned.filter((other) => other !== one);
        tick();
      };
      planned.push(one);
      cursor = one.until;
      next += 1;
    }
  }

  function tick() {
    if (!context) return;
    plan();
    const now = context.currentTime;
    const current = planned.find((one) => one.at <= now && now < one.until);
    if (current) {
      const piece = pieces[current.index];
      const played = piece.start + Math.min(piece.seconds, now - current.at);
      if (piece.part !== state.part || Math.abs(played - state.played) >= 0.2) {
        if (piece.part !== state.part && state.key) remember(piece.part);
        tell({ part: piece.part, played, phase: state.phase === "loading" ? "playing" : state.phase });
      }
      if (played - base - reported >= 1) {
        reported = played - base;
        send({ type: "played", seconds: reported });
      }
    }
    if (state.isComplete && next >= pieces.length && planned.length === 0 && state.phase === "playing") {
      if (state.key) remember(0);
      clearInterval(ticker);
      tell({ phase: "ended", played: state.seconds });
      mediaSession();
    }
  }

  function remember(part) {
    const places = preferences.get("places", {});
    delete places[state.key];
    if (part > 0) places[state.key] = part;
    // The newest hundred texts are enough.
    preferences.set("places", Object.fromEntries(Object.entries(places).slice(-100)));
  }

  function send(message) {
    if (socket?.readyState === Socket.OPEN) socket.send(JSON.stringify(message));
  }

  function ask(from) {
    const { text, job, voice, speed } = request;
    isExpecting = true;
    announced = null;
    reported = 0;
    const last = pieces[pieces.length - 1];
    base = last ? last.start + last.seconds : 0;
    const message = { type: "speak", from, speed };
    if (job !== undefined) message.job = job;
    else message.text = text;
    if (voice) message.voice = voice;
    if (socket?.readyState === Socket.OPEN) send(message);
    else connect(message);
  }

  function connect(message) {
    clearTimeout(timer);
    timer = null;
    const current = new Socket(address());
    current.binaryType = "arraybuffer";
    socket = current;
    current.onopen = () => current.send(JSON.stringify(message));
    current.onmessage = (event) => {
      if (socket === current) take(event.data);
    };
    current.onclose = () => {
      if (socket !== current) return;
      socket = null;
      if (request === null || state.isComplete || state.phase === "failed") return;
      failures += 1;
      if (failures > 6) {
        fail("The connection broke while speaking. Press play to go on.");
        return;
      }
      timer = setTimeout(resumeStream, backoff(failures, Math.random()));
    };
  }

  // What came is kept; of the sentence that broke off only the rest is wanted.
  function resumeStream() {
    timer = null;
    const last = pieces[pieces.length - 1];
    const part = last ? last.part : request.from ?? 0;
    skip = last ? heldOf(pieces, part) : 0;
    ask(part);
  }

  function take(data) {
    if (typeof data !== "string") {
      if (announced && !isExpecting) receive(announced, new Int16Array(data));
      announced = null;
      return;
    }
    const message = JSON.parse(data);
    switch (message.type) {
      case "start":
        isExpecting = false;
        failures = 0;
        rate = message.sampleRate;
        ready(rate).then(plan);
        tell({ parts: message.parts ?? [], error: null });
        break;
      case "piece":
        announced = message;
        break;
      case "end":
        if (isExpecting) return;
        tell({ isComplete: true, firstAudio: message.firstAudio ?? null });
        if (pieces.length === 0) tell({ phase: "ended" });
        tick();
        break;
      case "error":
        fail(message.detail ?? "The text could not be said.");
        break;
      default:
    }
  }

  function receive(piece, sound) {
    let rest = sound;
    if (skip > 0) {
      const known = pieces[pieces.length - 1].part;
      if (piece.part === known) {
        const cut = Math.min(rest.length, Math.round(skip * rate));
        skip -= cut / rate;
        if (skip < 0.5 / rate) skip = 0;
        rest = rest.subarray(cut);
        if (rest.length === 0) return;
      } else skip = 0;
    }
    pieces = added(pieces, piece.part, rest.length / rate);
    sounds.push(rest);
    const last = pieces[pieces.length - 1];
    state = { ...state, seconds: last.start + last.seconds };
    plan();
    tick();
  }

  function fail(words) {
    silence();
    clearInterval(ticker);
    tell({ phase: "failed", error: words });
    mediaSession();
  }

  function run() {
    clearInterval(ticker);
    ticker = setInterval(tick, 100);
  }

  function fresh() {
    silence();
    clearTimeout(timer);
    timer = null;
    sounds = [];
    pieces = [];
    next = 0;
    skip = 0;
    failures = 0;
    wanted = FIRST_BUFFER;
    gaps = [];
  }

  function mediaSession() {
    const session = navigator.mediaSession;
    if (!session) return;
    const isThere = state.phase === "playing" || state.phase === "paused" || state.phase === "loading";
    session.playbackState = state.phase === "playing" ? "playing" : state.phase === "paused" ? "paused" : "none";
    session.metadata = isThere && globalThis.MediaMetadata
      ? new MediaMetadata(
        { title: state.title, artist: "Sotto", artwork: [{ src: "/icons/icon-512.png", sizes: "512x512", type: "image/png" }] }
      ) : null;
    const actions = {
      play: api.resume, pause: api.pause, stop: api.stop, nexttrack: () => api.go(state.part + 1), previoustrack: () => api.go(state.part - 1),
    };
    for (const [name, action] of Object.entries(actions)) {
      try {
        session.setActionHandler(name, isThere ? action : null);
      } catch { /* Not every browser knows every action. */ }
    }
  }

  const api = {
    state: () => state,
    /**
     * Says something; what was being said ends.
     * @param {{text?: string, job?: number, voice?: string, speed?: number, from?: number, key?: string, title?: string}} wish `key` remembers the
     * place.
     */
    speak(wish) {
      fresh();
      const place = wish.key ? preferences.get("places", {})[wish.key] ?? 0 : 0;
      const from = wish.from ?? place;
      request = { ...wish, speed: wish.speed ?? state.speed, from };
      state = { ...silentSpeaker, speed: request.speed };
      tell({ phase: "loading", key: wish.key ?? null, title: wish.title ?? "", part: from, voice: wish.voice ?? "" });
      // Browsers let sound begin only within the person's own click, so the clock is started here.
      ready(rate);
      ask(from);
      run();
      mediaSession();
    },
    pause() {
      if (state.phase !== "playing" && state.phase !== "loading") return;
      context?.suspend();
      tell({ phase: "paused" });
      mediaSession();
    },
    resume() {
      if (state.phase === "paused") {
        tell({ phase: state.played > 0 || planned.length > 0 ? "playing" : "loading" });
        context?.resume();
        run();
        plan();
      } else if ((state.phase === "ended" || state.phase === "failed") && request) {
        api.speak({ ...request, from: state.phase === "failed" ? state.part : 0 });
      }
      mediaSession();
    },
    toggle() {
      if (state.phase === "playing" || state.phase === "loading") api.pause();
      else api.resume();
    },
    stop() {
      send({ type: "stop" });
      request = null;
      fresh();
      clearInterval(ticker);
      const current = socket;
      socket = null;
      current?.close();
      state = { ...silentSpeaker, speed: state.speed };
      tell({});
      mediaSession();
    },
    /** Goes to a sentence; one that has come is there at once. */
    go(part) {
      if (!request || state.parts.length === 0) return;
      const wantedPart = Math.max(0, Math.min(state.parts.length - 1, part));
      if (state.phase === "ended" || state.phase === "failed") run();
      const index = firstOf(pieces, wantedPart);
      const phase = state.phase === "paused" ? "paused" : "playing";
      if (index >= 0) {
        silence();
        next = index;
        if (state.key) remember(wantedPart);
        tell({ phase, part: wantedPart, played: pieces[index].start, isDry: false });
        plan();
        mediaSession();
      } else {
        const { parts } = state;
        api.speak({ ...request, from: wantedPart });
        tell({ parts });
      }
    },
    /** Says the rest faster or slower, from the sentence that is being said. */
    speed(factor) {
      const isRunning = ["playing", "loading", "paused"].includes(state.phase);
      tell({ speed: factor });
      if (!request) return;
      request = { ...request, speed: factor };
      if (isRunning) {
        const { parts, part, phase } = state;
        api.speak({ ...request, from: part });
        tell({ parts });
        if (phase === "paused") api.pause();
      }
    },
    /** What was said so far, as a WAV file. */
    file: () => wav(sounds, rate),
    /** How the pieces joined, for measurements: planned gaps in seconds. */
    report: () => ({ gaps: [...gaps], pieces: pieces.length, state: context?.state ?? "none" }),
  };
  return api;
}
