import { h } from "./dom.js";
import { button, choice, iconButton } from "./controls.js";

const SPEEDS = ["0.75", "1", "1.25", "1.5", "1.75", "2"];

/**
 * The controls of the voice that is speaking, for the place where its text is.
 * @param {object} app The app.
 * @param {object} state Of the speaker.
 * @returns {object} A description.
 */
export function playerControls(app, state) {
  const isRunning = state.phase === "playing" || state.phase === "loading";
  const total = state.parts.length;
  const value = String(state.speed);
  return h("div", { class: "player", role: "group", "aria-label": "Player" },
    iconButton("back", "Back one sentence", () => app.speaker.go(state.part - 1), { disabled: total === 0 || state.part === 0 }),
    iconButton(isRunning ? "pause" : "play", isRunning ? "Pause" : "Play", () => app.speaker.toggle(), { class: "strong" }),
    iconButton("forward", "Forward one sentence", () => app.speaker.go(state.part + 1), { disabled: total === 0 || state.part >= total - 1 }),
    h(
      "span", { class: "player-place" },
      state.phase === "loading" ? "Preparing…" : state.isDry ? "Waiting for sound…" : total > 0
        ? `${Math.min(state.part + 1, total)} of ${total}` : "",
    ),
    choice({
      id: `speed-${state.key ?? "text"}`, label: "Speed", value, isInline: true,
      options: (
        SPEEDS.includes(value) ? SPEEDS : [...SPEEDS, value].sort((one, other) => one - other)
      ).map((speed) => ({ value: speed, label: `${speed}×` })),
      onchange: (speed) => {
        app.preferences.set("speed", Number(speed));
        app.speaker.speed(Number(speed));
      },
    }),
    iconButton("close", "Stop", () => app.speaker.stop()));
}

/**
 * The sentences that are said, the present one marked; a click goes to one.
 * @param {object} app The app.
 * @param {object} state Of the speaker.
 * @returns {object} A description.
 */
export function spokenText(app, state) {
  return h("div", { class: "spoken" }, state.parts.map((part, index) => [
    h("button", {
      type: "button", key: `part-${index}`, class: `sentence ${index === state.part && state.phase !== "ended" ? "current" : ""}`.trim(),
      "aria-current": index === state.part && state.phase !== "ended" ? "true" : undefined, onclick: () => app.speaker.go(index),
    }, part), " "]));
}

/**
 * A button that begins to say something, or the player while it does.
 * @param {object} app The app.
 * @param {{key: string, label: string, wish: () => object, class?: string, disabled?: boolean}} facts `key` tells texts apart; `wish` is what to say.
 * @returns {object} A description.
 */
export function playButton(app, { key, label, wish, class: kind = "", disabled = false }) {
  const state = app.speaker.state();
  if (state.key === key && !["idle", "ended", "failed"].includes(state.phase)) return playerControls(app, state);
  return button(
    label, () => app.speaker.speak({ key, speed: app.preferences.get("speed", 1), ...wish() }), { picture: "play", class: kind, disabled },
  );
}
