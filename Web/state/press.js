/** A press shorter than this many milliseconds is a tap. */
export const TAP = 350;

/**
 * One key for two ways to talk: a tap switches listening on and off, a hold listens while it is held. Pure.
 * @param {{listens: boolean, downAt: (number|null), startedHere: boolean}} state How the key and the microphone are.
 * @param {{type: "down"|"up"|"ended", at: number}} event `down` and `up` of the key with the time in milliseconds; `ended` when listening ended by
 * itself.
 * @returns {{state: object, effect: ("start"|"stop"|null)}} The next state and what to do.
 */
export function press(state, event) {
  switch (event.type) {
    case "down":
      // Keys repeat while they are held.
      if (state.downAt !== null) return { state, effect: null };
      if (state.listens) return { state: { listens: true, downAt: event.at, startedHere: false }, effect: null };
      return { state: { listens: true, downAt: event.at, startedHere: true }, effect: "start" };
    case "up": {
      if (state.downAt === null) return { state, effect: null };
      const isTap = event.at - state.downAt < TAP;
      if (!state.listens) return { state: { ...state, downAt: null, startedHere: false }, effect: null };
      if (state.startedHere && isTap) return { state: { listens: true, downAt: null, startedHere: false }, effect: null };
      return { state: { listens: false, downAt: null, startedHere: false }, effect: "stop" };
    }
    case "ended":
      return { state: { ...state, listens: false, startedHere: false }, effect: null };
    default:
      return { state, effect: null };
  }
}

/** Nothing pressed, nobody listening. */
export const idlePress = Object.freeze({ listens: false, downAt: null, startedHere: false });
