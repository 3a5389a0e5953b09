import { h } from "../../components/dom.js";
import { choice, failure, field, toggle } from "../../components/controls.js";

const LABELS = {
  research: "Search the web for questions", offline: "Keep everything on this machine", lan: "Let other devices of the network in",
  searchProviders: "Order of search providers",
  searxngAddress: "SearXNG server", kiwixAddress: "Kiwix archive server",
  region: "Region of results", proxy: "Proxy", language: "Language of answers", spokenLanguage: "Language that is spoken",
  languageModel: "Language model", modelIdleSeconds: "Keep models in memory",
  threads: "Threads", voice: "Voice of this machine", speed: "Speed of this machine's voice", ledgerDays: "Keep the ledger",
  pageCacheDays: "Keep pages of the web", takeDays: "Keep recordings", microphone: "Microphone of this machine",
  removeFillers: "Leave out “um” and “uh”", digits: "Write numbers in digits", spokenCommands: "Obey “new line” and “full stop”",
};

/** Settings that have a section of their own. */
const PLACED = new Set([
  "research", "offline", "lan", "searchProviders", "region", "searxngAddress", "kiwixAddress", "proxy", "languageModel", "modelIdleSeconds",
  "threads",
  "microphone", "spokenLanguage", "language", "voice", "speed",
  "removeFillers", "digits", "spokenCommands", "ledgerDays", "takeDays", "pageCacheDays",
]);

/**
 * What is set at the server, shared by all sections; each change names the revision it was made on, so that a stale page overwrites nothing.
 * @param {object} app The app.
 * @param {() => void} changed Called at every change.
 * @returns {object} `load`, `control`, `others`, `secret`, `value`, `problem`.
 */
export function createServerSettings(app, changed) {
  let answer = null;
  let error = null;
  const errors = new Map();
  const drafts = new Map();

  async function load() {
    try {
      answer = await app.client.get("/api/settings");
      error = null;
    } catch (failed) {
      error = failed;
    }
    changed();
  }

  async function removeSecret(name) {
    await app.attempt(() => app.client.send("DELETE", `/api/secrets/${encodeURIComponent(name)}`), { failed: "The key is still there." });
    load();
  }

  const find = (key) => answer?.settings.find((one) => one.key === key);

  async function set(key, value) {
    const before = find(key)?.value;
    errors.delete(key);
    // Shown at once; taken back if the server refuses.
    const previous = answer;
    answer = { ...answer, settings: answer.settings.map((one) => (one.key === key ? { ...one, value } : one)) };
    changed();
    for (let round = 0; round < 2; round += 1) {
      try {
        answer = await app.client.send("PATCH", "/api/settings", { revision: previous.revision, values: { [key]: value } });
        drafts.delete(key);
        app.announce(`${LABELS[key] ?? key} saved`);
        break;
      } catch (failed) {
        if (failed.status === 409 && round === 0) {
          await load();
          if (!error && find(key)?.value === before) {
            previous.revision = answer.revision;
            continue;
          }
          // What was typed was meant for another value; the person decides anew.
          drafts.delete(key);
          errors.set(key, "It was changed elsewhere meanwhile; this is what it is now.");
          break;
        }
        answer = previous;
        errors.set(key, failed.message);
        break;
      }
    }
    changed();
  }

  // In the words in which the server writes it.
  const switchWord = (now, isOn) => (/^(true|false)$/.test(now) ? String(isOn) : isOn ? "on" : "off");
  const on = (value) => ["on", "true", "yes", "1"].includes(value);

  return {
    load,
    isThere: () => answer !== null,
    /** What went wrong with asking, described; nothing when all is well. */
    problem: () => (error && !answer ? failure(error.message, load) : null),
    value: (key) => find(key)?.value,
    isOn: (key) => on(find(key)?.value),
    /** The control for one setting; nothing when this server does not know it. */
    control(key, { label, options } = {}) {
      const one = find(key);
      if (!one) return null;
      const id = `setting-${key}`;
      const name = label ?? LABELS[key] ?? key;
      const mistake = errors.get(key);
      const words = mistake ? h("p", { class: "error-text", role: "alert", id: `${id}-error` }, mistake) : null;
      if (one.kind === "switch") {
        return h(
          "div", { key },
          toggle({ id, label: name, note: one.note, checked: on(one.value), onchange: (isOn) => set(key, switchWord(one.value, isOn)) }), words,
        );
      }
      const choices = options ?? (one.kind === "choice" ? (one.choices ?? []).map((value) => ({ value, label: value || "Default" })) : null);
      if (choices) {
        const all = choices.some((option) => option.value === one.value) ? choices : [...choices, { value: one.value, label: one.value }];
        return h(
          "div", { key }, choice({ id, label: name, note: one.note, value: one.value, options: all, onchange: (value) => set(key, value) }), words,
        );
      }
      const isNumber = one.kind === "number";
      const keep = (event) => {
        const value = event.target.value.trim();
        if (value !== one.value) set(key, value);
      };
      return h("div", { class: "row", key },
        h(
          "label", { class: "row-text", for: id }, h("span", { class: "row-title" }, name),
          h("span", { class: "row-note", id: `${id}-note` }, one.note), words,
        ),
        h("span", { class: "value-field" },
          h("input", {
            id, class: `input ${isNumber ? "short" : ""}`.trim(), type: isNumber ? "number" : "text", min: one.minimum, max: one.maximum, step: "any",
            value: drafts.get(key) ?? one.value, spellcheck: "false", autocapitalize: "none",
            "aria-describedby": `${id}-note`, "aria-invalid": mistake ? "true" : undefined, placeholder: one.default || "none",
            oninput: (event) => drafts.set(key, event.target.value), onchange: keep,
          }), one.unit ? h("span", { class: "unit" }, one.unit) : null));
    },
    /** Controls for what no section has asked for. */
    others() {
      return (answer?.settings ?? []).filter((one) => !PLACED.has(one.key)).map((one) => this.control(one.key));
    },
    /** A key of a provider: can be put there or removed, never seen. */
    secret(one, drawAgain) {
      const id = `secret-${one.name}`;
      const draft = drafts.get(id) ?? "";
      return h("form", {
        class: "row", key: id, onsubmit: async (event) => {
          event.preventDefault();
          const { error: failed } = await app.attempt(
            () => app.client.send("PUT", `/api/secrets/${encodeURIComponent(one.name)}`, { value: drafts.get(id) ?? "" }),
            { failed: "The key was not kept." },
          );
          if (!failed) drafts.delete(id);
          load();
        },
      },
      h("div", { class: "row-text" }, field({
        id, label: `Key: ${one.name}`, note: one.isSet ? "A key is kept. It is never shown." : "No key is kept.",
        props: { type: "password", autocomplete: "off", value: draft, oninput: (event) => { drafts.set(id, event.target.value); drawAgain(); } },
      })),
      h("div", { class: "button-row" }, h("button", { type: "submit", class: "button quiet", disabled: !draft }, "Keep"),
        one.isSet
          ? h("button", { type: "button", class: "button quiet danger-text", onclick: () => removeSecret(one.name) }, "Remove") : null));
    },
    secrets: () => answer?.secrets ?? [],
  };
}
