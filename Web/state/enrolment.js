/**
 * The way to a voice of one's own, step by step. Pure.
 *
 * @typedef {{step: "name"|"sample"|"consent"|"sending"|"done", name: string, sample: (object|null), check: (object|null), consent: (object|null),
 * sentence: (object|null), error: (string|null), isBusy: boolean, result: (object|null), fraction: (number|undefined)}} Enrolment
 */

/** The beginning. */
export const noEnrolment = Object.freeze(
  { step: "name", name: "", sample: null, check: null, consent: null, sentence: null, error: null, isBusy: false, result: null, fraction: undefined }
);

/** The steps that a person sees, in order. */
export const STEPS = [
  { id: "name", label: "Name" }, { id: "sample", label: "Sample" }, { id: "consent", label: "Consent" }, { id: "done", label: "Voice" },
];

/**
 * What is wrong with a name for a voice.
 * @param {string} name The name.
 * @param {string[]} taken Names there are.
 * @returns {string|null} What is wrong; `null` when nothing is.
 */
export function nameProblem(name, taken) {
  if (!name) return "Give the voice a name.";
  if (!/^[A-Za-z][A-Za-z0-9_-]{0,39}$/.test(name)) return "Use up to 40 letters without accents, digits, “-” and “_”, a letter first.";
  if (taken.includes(name)) return `There is a voice “${name}” already.`;
  return null;
}

/**
 * Goes a step.
 * @param {Enrolment} state Where one is.
 * @param {object} action What happened.
 * @returns {Enrolment} Where one is then.
 */
export function reduceEnrolment(state, action) {
  switch (action.type) {
    case "named": return { ...state, name: action.name, step: "sample", error: null };
    case "recorded": return { ...state, sample: action.sample, check: null, error: null, isBusy: true };
    case "discarded": return { ...state, sample: null, check: null, error: null, isBusy: false };
    case "checked": return action.sample === state.sample ? { ...state, check: action.check, isBusy: false } : state;
    case "accepted": return state.sample && state.check?.isGood ? { ...state, step: "consent", isBusy: true, error: null } : state;
    case "asked": return { ...state, sentence: action.sentence, consent: null, isBusy: false, error: null };
    case "consented": return { ...state, consent: action.consent, error: null };
    case "sending": return state.consent ? { ...state, step: "sending", error: null, fraction: 0 } : state;
    case "sent": return { ...state, fraction: action.fraction };
    case "added": return { ...state, step: "done", result: action.result, error: null };
    case "failed":
      // The sentence is used once; after a refusal a new one is read.
      return {
        ...state, error: action.error, isBusy: false, step: state.step === "sending" ? "consent" : state.step,
        ...(state.step === "sending" ? { consent: null, sentence: null } : {})
      };
    case "back": return state.step === "consent" ? {
      ...state, step: "sample", error: null, consent: null, sentence: null
    } : state.step === "sample" ? { ...state, step: "name", error: null } : state;
    case "again": return noEnrolment;
    default: return state;
  }
}
