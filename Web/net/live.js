import { backoff } from "../state/backoff.js";

/** The server says something at least every 15 s; after this many milliseconds of silence the connection is taken for dead. */
const PATIENCE = 40_000;

/**
 * One connection for all that changes by itself. It comes back by itself, goes on after the last event, and says when events are missing.
 *
 * @param {object} surroundings
 * @param {(after: (string|null)) => string} surroundings.address The WebSocket's address.
 * @param {(event: string, data: any) => void} surroundings.heard One event; `reset` means that all is to be asked anew.
 * @param {(state: "connecting"|"open"|"away") => void} surroundings.changed How the connection is.
 * @param {() => Promise<void>} [surroundings.check] Asked after failures: finds out whether this browser is signed out.
 * @param {typeof WebSocket} [surroundings.Socket] For tests.
 * @returns {{start: (after: (string|null)) => void, stop: () => void, nudge: () => void, state: () => string, last: () => (string|null)}} The
 * connection.
 */
export function createLive({ address, heard, changed, check = async () => {}, Socket = globalThis.WebSocket }) {
  let socket = null;
  let last = null;
  let failures = 0;
  let timer = null;
  let watchdog = null;
  let state = "connecting";
  let isWanted = false;

  function tell(next) {
    if (next === state) return;
    state = next;
    changed(next);
  }

  function watch() {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => socket?.close(), PATIENCE);
  }

  function connect() {
    clearTimeout(timer);
    timer = null;
    const current = new Socket(address(last));
    socket = current;
    watch();
    current.onopen = () => {
      failures = 0;
      tell("open");
      watch();
    };
    current.onmessage = (message) => {
      if (socket !== current) return;
      watch();
      let value;
      try {
        value = JSON.parse(message.data);
      } catch {
        return;
      }
      if (value.id !== undefined && value.id !== null) last = String(value.id);
      if (value.event !== "heartbeat") heard(value.event, value.data);
    };
    current.onclose = () => {
      if (socket !== current) return;
      socket = null;
      clearTimeout(watchdog);
      if (!isWanted) return;
      failures += 1;
      // A short break, as at a restart that the person does not notice, is not worth a banner.
      if (failures > 1) tell("away");
      else tell("connecting");
      timer = setTimeout(connect, backoff(failures, Math.random()));
      if (failures === 2) check().catch(() => {});
    };
  }

  return {
    start(after) {
      isWanted = true;
      last = after ?? last;
      if (!socket && !timer) connect();
    },
    stop() {
      isWanted = false;
      clearTimeout(timer);
      clearTimeout(watchdog);
      timer = null;
      const current = socket;
      socket = null;
      current?.close();
    },
    nudge() {
      if (!isWanted) return;
      if (timer) connect();
    },
    state: () => state,
    last: () => last,
  };
}
