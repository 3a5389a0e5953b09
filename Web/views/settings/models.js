import { h } from "../../components/dom.js";
import { button, failure, iconButton, progress } from "../../components/controls.js";
import { confirmed } from "../../components/dialog.js";
import { bytes } from "../../state/format.js";

const ROLES = {
  recognizer: "Hears", synthesizer: "Speaks", voiceActivity: "Finds speech", turnDetector: "Knows when you have finished",
  languageModel: "Reads and writes", speakerEncoder: "Compares voices",
};

/**
 * The models on this machine: got, checked, removed.
 * @param {object} app The app.
 * @param {object} settings The server's settings.
 * @param {() => void} draw Draws anew.
 * @returns {{title: string, body: () => any, show: () => void}} The section.
 */
export function modelsSection(app, settings, draw) {
  let answer = null;
  let error = null;
  const states = new Map();

  async function load() {
    try {
      answer = await app.client.get("/api/models");
      error = null;
    } catch (failed) {
      error = failed;
    }
    draw();
  }

  app.on("model-progress", (state) => {
    states.set(state.id, state);
    if (state.done) {
      if (!state.error) states.delete(state.id);
      app.announce(state.error ? `${state.id}: ${state.error}` : `${state.id} is here`);
      load();
    }
    draw();
  });
  app.on("reset", () => { if (answer) load(); });
  app.on("online", () => { if (answer) load(); });

  async function act(model, action, failed) {
    states.delete(model.id);
    const { error: problem } = await app.attempt(
      () => app.client.send("POST", `/api/models/${encodeURIComponent(model.id)}/${action}`), { failed },
    );
    const text = action === "verify" ? "Checking…" : "Beginning…";
    if (!problem && action !== "cancel") states.set(model.id, { id: model.id, text, done: false });
    if (action === "cancel") load();
    draw();
  }

  async function remove(model) {
    if (!await confirmed({ title: `Remove ${model.name}?`, text: `${bytes(model.bytes)} are freed. It can be got again.`, action: "Remove" })) return;
    const { value } = await app.attempt(
      () => app.client.send("DELETE", `/api/models/${encodeURIComponent(model.id)}`), { failed: "It was not removed." },
    );
    if (value) app.toast({ text: `${bytes(value.bytes)} freed.` });
    load();
  }

  function row(model) {
    const state = states.get(model.id);
    const isBusy = model.pulling || (state && !state.done);
    const isHere = model.state === "installed";
    return h("li", { class: "plain-row", key: model.id },
      h("span", { class: "job-text" },
        h("span", { class: "job-title" }, model.name, isHere ? h("span", { class: "badge full" }, model.inUse ? "in use" : "here") : null),
        h(
          "span", { class: "job-line wrap" },
          [
            bytes(model.bytes), model.license, model.sets?.length ? model.sets.join(", ") : "",
            isHere || model.state === "absent" || model.state === "missing" ? "" : model.state,
          ].filter(Boolean).join(" · "),
        ),
        isBusy ? [h("span", { class: "job-line" }, state?.text ?? "Being got…"), progress(`Getting ${model.name}`, state?.fraction)] : null,
        state?.error ? h("span", { class: "error-text", role: "alert" }, state.error) : null),
      isBusy ? button("Cancel", () => act(model, "cancel", "It goes on."), { class: "quiet compact" })
        : isHere ? [
          button("Check", () => act(model, "verify", "It was not checked."), { class: "quiet compact", "aria-label": `Check ${model.name}` }),
          iconButton("trash", `Remove ${model.name}`, () => remove(model), { disabled: model.inUse }),
        ]
          : button(
            "Get", () => act(model, "pull", "It was not begun."),
            { class: "quiet compact", "aria-label": `Get ${model.name}`, disabled: settings.isOn("offline") },
          ));
  }

  return {
    title: "Models",
    show() {
      load();
    },
    body() {
      if (error && !answer) return failure(error.message, load);
      if (!answer) return h("p", { class: "loading" }, "Loading…");
      const roles = [...new Set(answer.models.map((model) => model.role))];
      return [
        h(
          "p", { class: "note pad" },
          `${bytes(answer.freeBytes)} free. Every file is checked against its SHA-256; a download that breaks off goes on where it was. `
          + "A model on a disk is taken in by “sotto models import”.",
        ),
        settings.isOn("offline") ? h("p", { class: "callout" }, "Sotto is offline (Web research): nothing can be got.") : null,
        roles.map(
          (role) => h(
            "section", { key: role }, h("h3", { class: "list-title" }, ROLES[role] ?? role),
            h("ul", { class: "rows" }, answer.models.filter((model) => model.role === role).map(row)),
          )
        ),
        settings.control(
          "languageModel",
          {
            options: [
              { value: "", label: "The best that is here" },
              ...answer.models.filter((model) => model.role === "languageModel").map((model) => ({ value: model.id, label: model.name })),
            ],
          },
        ),
        settings.control("modelIdleSeconds"), settings.control("threads"),
      ];
    },
  };
}
