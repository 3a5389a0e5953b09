import { backoff } from "../state/backoff.js";
import { createSpool } from "./spool.js";

/** Sound that is kept while the server is away or does not read: ten minutes at 48 kHz. */
const KEPT = 10 * 60 * 48_000 * 2;
/** More than this in the socket's own buffer is kept here instead. */
const IN_FLIGHT = 1_000_000;

/**
 * Sends the microphone's sound to the server and tells what it hears. A connection that breaks is made again, and what was said meanwhile is sent
 * then.
 *
 * @param {object} surroundings
 * @param {(wishes: object) => Promise<object>} surroundings.open Opens the microphone, as `openMicrophone`.
 * @param {(rate: number) => string} surroundings.address The WebSocket's address.
 * @param {(message: object) => void} surroundings.heard The server's messages, and `broken` with the seconds of sound sent so far.
 * @param {(state: object) => void} surroundings.changed `{phase, away, kept, notice, level, peak, problem}`; phase `opening`, `listening`,
 * `settling`, `ended`.
 * @param {object} [surroundings.wishes] For the microphone.
 * @param {typeof WebSocket} [surroundings.Socket] For tests.
 * @returns {{start: () => Promise<void>, stop: () => Promise<void>, cancel: () => Promise<void>, echo: (isOn: boolean) => void, state: () =>
 * object}} The session; it is used once.
 */
export function createListening({ open, address, heard, changed, wishes = {}, Socket = globalThis.WebSocket }) {
  const spool = createSpool(KEPT);
  let microphone = null;
  let socket = null;
  let timer = null;
  let drain = null;
  let failures = 0;
  let brokenAt = 0;
  let sentBytes = 0;
  let isStopping = false;
  let hasAskedToStop = false;
  let isEnded = false;
  let rate = 48_000;
  let zeros = 0;
  let state = { phase: "opening", away: false, kept: 0, dropped: 0, notice: null, problem: null, level: 0, peak: 0, isMuted: false };

  function tell(fields) {
    state = { ...state, ...fields };
    changed(state);
  }

  function flush() {
    if (socket?.readyState !== Socket.OPEN) return;
    while (spool.bytes() > 0 && socket.bufferedAmount < IN_FLIGHT) {
      const piece = spool.take();
      socket.send(piece);
      sentBytes += piece.byteLength;
    }
    if (spool.bytes() > 0) {
      clearTimeout(drain);
      drain = setTimeout(flush, 100);
    } else if (isStopping && !hasAskedToStop) {
      hasAskedToStop = true;
      socket.send(JSON.stringify({ type: "stop" }));
    }
  }

  function connect() {
    clearTimeout(timer);
    timer = null;
    const current = new Socket(address(rate));
    current.binaryType = "arraybuffer";
    socket = current;
    hasAskedToStop = false;
    let hasAnswered = false;
    let trouble = null;
    current.onopen = () => {
      if (socket !== current) return;
      tell({ away: false });
      flush();
    };
    current.onmessage = (message) => {
      if (socket !== current || typeof message.data !== "string") return;
      const value = JSON.parse(message.data);
      hasAnswered = true;
      // Our own connection that broke a moment ago may still hold the microphone's place.
      if (value.type === "busy" && performance.now() - brokenAt < 15_000 && brokenAt > 0) return;
      if (value.type !== "busy" && value.type !== "error") failures = 0;
      if (value.type === "busy") {
        finish(
          {
            problem: {
              code: "busy", title: "Somebody else is recording",
              advice: value.holder ? `It is the turn of ${value.holder}. Try again when it is done.` : value.detail ?? "Try again when it is done.",
            },
          }
        );
      } else if (value.type === "error") {
        // Recording may go on all the same; if it does not, the connection ends now.
        trouble = { code: "server", title: "Sotto has a problem with listening", advice: `${value.detail ?? "The server gave no reason."}` };
        tell({ notice: value.detail ?? null });
      } else {
        heard(value);
        if (value.type === "endpoint") {
          // The server stops by itself.
          isStopping = true;
          hasAskedToStop = true;
          tell({ phase: "settling" });
          closeMicrophone();
        }
        if (value.type === "end") finish({});
      }
    };
    current.onclose = (event) => {
      if (socket !== current || isEnded) return;
      socket = null;
      if (trouble && (event.code === 1000 || event.code === 1008 || event.code === 1011 || event.code === 1013)) {
        finish({ problem: trouble });
        return;
      }
      if (failures === 0 && (hasAnswered || sentBytes > 0)) {
        brokenAt = performance.now();
        heard({ type: "broken", seconds: sentBytes / 2 / rate });
      }
      failures += 1;
      if (isStopping && spool.bytes() === 0 && sentBytes > 0) {
        finish({ notice: "The connection broke at the end. What was said is kept; its text comes with the takes." });
        return;
      }
      tell({ away: true });
      timer = setTimeout(connect, backoff(failures, Math.random()));
    };
  }

  async function closeMicrophone() {
    const open = microphone;
    microphone = null;
    await open?.close();
  }

  function finish(fields) {
    if (isEnded) return;
    isEnded = true;
    clearTimeout(timer);
    clearTimeout(drain);
    globalThis.removeEventListener?.("online", nudge);
    document.removeEventListener("visibilitychange", nudge);
    const current = socket;
    socket = null;
    current?.close();
    closeMicrophone();
    tell({ phase: "ended", away: false, level: 0, peak: 0, ...fields });
  }

  function nudge() {
    if (timer && !isEnded) connect();
  }

  function sound(piece) {
    if (isEnded) return;
    zeros = piece.isZero ? zeros + piece.pcm.byteLength / 2 / rate : 0;
    spool.push(piece.pcm);
    flush();
    tell({ level: piece.level, peak: piece.peak, isMuted: zeros >= 1, kept: spool.bytes() / 2 / rate, dropped: spool.dropped() / 2 / rate });
  }

  return {
    state: () => state,
    async start() {
      try {
        const opened = await open({
          ...wishes, sound,
          changed: (change) => {
            if (change.type === "switched") tell({ notice: `The microphone was unplugged. Going on with ${change.label || "the next one"}.` });
            else if (change.type === "lost") tell(
              { notice: "The microphone is gone and there is no other. Plug one in to go on; what was said is kept." }
            );
            else tell({ isMuted: change.type === "muted" });
          },
        });
        if (isStopping || isEnded) {
          await opened.close();
          if (!isEnded) finish({});
          return;
        }
        microphone = opened;
        rate = opened.rate;
      } catch (error) {
        finish({ problem: { code: error.code ?? "failed", title: error.message, advice: error.advice ?? "" } });
        return;
      }
      globalThis.addEventListener?.("online", nudge);
      document.addEventListener("visibilitychange", nudge);
      tell({ phase: "listening", label: microphone.label() });
      connect();
    },
    async stop() {
      if (isStopping || isEnded) return;
      // The microphone is let go first: a tap on the button must be enough even when nothing else answers.
      tell({ phase: "settling", level: 0, peak: 0, isMuted: false });
      const wasOpen = microphone !== null;
      await closeMicrophone();
      isStopping = true;
      if (!wasOpen) return;
      flush();
    },
    async cancel() {
      if (isEnded) return;
      if (socket?.readyState === Socket.OPEN) socket.send(JSON.stringify({ type: "cancel" }));
      spool.clear();
      finish({});
    },
    echo(isOn) {
      microphone?.echo(isOn);
    },
  };
}
