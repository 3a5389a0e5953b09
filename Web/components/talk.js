import { idlePress, press } from "../state/press.js";

/**
 * Binds the one key for talking: a tap switches, a hold talks. Works with pointers, the space bar, Enter, and the click of a screen reader.
 * @param {{start: () => void, stop: () => void, changed: () => void}} effects What to do.
 * @returns {{props: object, key: (isDown: boolean) => void, ended: () => void, listens: () => boolean}} `props` are for the button.
 */
export function createTalkKey({ start, stop, changed }) {
  let state = idlePress;
  let handledAt = -Infinity;

  function feed(type) {
    const result = press(state, { type, at: performance.now() });
    const differs = result.state.listens !== state.listens;
    state = result.state;
    if (result.effect === "start") start();
    if (result.effect === "stop") stop();
    if (differs) changed();
  }

  const isKey = (event) => event.key === " " || event.key === "Enter";
  return {
    listens: () => state.listens,
    key: (isDown) => feed(isDown ? "down" : "up"),
    ended: () => feed("ended"),
    props: {
      onpointerdown(event) {
        if (event.button !== 0) return;
        handledAt = performance.now();
        event.currentTarget.setPointerCapture?.(event.pointerId);
        feed("down");
      },
      onpointerup() {
        handledAt = performance.now();
        feed("up");
      },
      onpointercancel: () => feed("up"),
      oncontextmenu: (event) => event.preventDefault(),
      onkeydown(event) {
        if (!isKey(event)) return;
        event.preventDefault();
        handledAt = performance.now();
        if (!event.repeat) feed("down");
      },
      onkeyup(event) {
        if (!isKey(event)) return;
        event.preventDefault();
        handledAt = performance.now();
        feed("up");
      },
      onblur: () => feed("up"),
      onclick() {
        if (performance.now() - handledAt < 800) return;
        feed("down");
        feed("up");
      },
    },
  };
}
