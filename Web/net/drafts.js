/**
 * Keeps what is typed over a reload, field by field.
 * @param {Storage} storage Where.
 * @returns {{get: (name: string) => string, set: (name: string, text: string) => void, follow: (name: string, listener: (text: string) => void) =>
 * () => void}} The drafts.
 */
export function createDrafts(storage) {
  const listeners = new Map();
  globalThis.addEventListener?.("storage", (event) => {
    if (!event.key?.startsWith("sotto.draft.")) return;
    for (const listener of listeners.get(event.key) ?? []) listener(event.newValue ?? "");
  });
  return {
    get(name) {
      try {
        return storage.getItem(`sotto.draft.${name}`) ?? "";
      } catch {
        return "";
      }
    },
    set(name, text) {
      try {
        if (text) storage.setItem(`sotto.draft.${name}`, text);
        else storage.removeItem(`sotto.draft.${name}`);
      } catch { /* Without a storage the field itself is all there is. */ }
    },
    follow(name, listener) {
      const key = `sotto.draft.${name}`;
      if (!listeners.has(key)) listeners.set(key, new Set());
      listeners.get(key).add(listener);
      return () => listeners.get(key).delete(listener);
    },
  };
}

/**
 * What this browser remembers of a person's choices.
 * @param {Storage} storage Where.
 * @returns {{get: (name: string, fallback: any) => any, set: (name: string, value: any) => void}} The choices.
 */
export function createPreferences(storage) {
  return {
    get(name, fallback) {
      try {
        const text = storage.getItem(`sotto.${name}`);
        return text === null ? fallback : JSON.parse(text);
      } catch {
        return fallback;
      }
    },
    set(name, value) {
      try {
        storage.setItem(`sotto.${name}`, JSON.stringify(value));
      } catch { /* Then it lasts as long as the page. */ }
    },
  };
}
