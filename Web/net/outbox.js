/**
 * Questions that were asked and are not yet with the server: kept over a reload, sent again with the same token, so that none is lost and none runs
 * twice.
 *
 * @param {object} surroundings
 * @param {Storage} surroundings.storage Where they are kept.
 * @param {(entry: object) => Promise<any>} surroundings.deliver Sends one.
 * @param {() => void} surroundings.changed Called at every change.
 * @param {() => string} [surroundings.token] Makes a token.
 * @returns {object} `add`, `flush`, `remove`, `entries`, `reload`.
 */
export function createOutbox({ storage, deliver, changed, token = newToken }) {
  const KEY = "sotto.outbox";
  let entries = read();
  const busy = new Set();

  function read() {
    try {
      const value = JSON.parse(storage.getItem(KEY) ?? "[]");
      return Array.isArray(value) ? value : [];
    } catch {
      return [];
    }
  }

  function keep(next) {
    entries = next;
    try {
      storage.setItem(KEY, JSON.stringify(entries));
    } catch { /* A full or forbidden storage costs only what a reload would keep. */ }
    changed();
  }

  function mark(entry, fields) {
    keep(entries.map((other) => (other.token === entry.token ? { ...other, ...fields } : other)));
  }

  async function send(entry) {
    if (busy.has(entry.token)) return null;
    busy.add(entry.token);
    mark(entry, { error: null, isSending: true });
    try {
      const answer = await deliver(entry);
      keep(entries.filter((other) => other.token !== entry.token));
      return answer;
    } catch (error) {
      mark(entry, { isSending: false, error: error.message, isRefused: !error.isAway && error.status !== 401 && error.status !== 429 });
      throw error;
    } finally {
      busy.delete(entry.token);
    }
  }

  return {
    entries: () => entries,
    /** Keeps a question and tries to send it. @returns the answer; throws what the server said, with the question kept. */
    add(path, body) {
      const entry = { token: token(), path, body, createdAt: Date.now(), error: null, isSending: false, isRefused: false };
      keep([...entries, entry]);
      return send(entry);
    },
    /** Sends what waits, but for what the server refused. */
    async flush() {
      for (const entry of [...entries]) {
        if (entry.isRefused) continue;
        try {
          await send(entry);
        } catch (error) {
          if (error.isAway) return;
        }
      }
    },
    remove(entryToken) {
      keep(entries.filter((entry) => entry.token !== entryToken));
    },
    /** Another tab changed it. */
    reload() {
      entries = read();
      changed();
    },
  };
}

/**
 * A token that nobody else makes.
 * @returns {string} 32 hexadecimal digits.
 */
export function newToken() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
