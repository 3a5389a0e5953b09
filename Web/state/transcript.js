/**
 * What was heard, as the socket tells it. Pure.
 *
 * @typedef {{text: string, start: number, end: number, take: (number|string|null), language?: string}} Segment
 * @typedef {{segments: Segment[], committed: string, tail: string, take: (number|string|null), offset: number, behind: number, isSilent: boolean}}
 * Heard
 */

/** Nothing heard yet. */
export const nothingHeard = Object.freeze({ segments: [], committed: "", tail: "", take: null, offset: 0, behind: 0, isSilent: false });

/**
 * Takes in one message of the socket.
 * @param {Heard} state What was heard.
 * @param {object} message A message; also `{type:"broken", seconds}` when a connection ended before its recording, `{type:"take", take, text}` with
 * what the
 * server kept of one, and `{type:"clear"}`.
 * @returns {Heard} The next state.
 */
export function reduceHeard(state, message) {
  switch (message.type) {
    case "ready":
      return { ...state, take: message.take ?? null };
    case "partial":
      return { ...state, committed: message.committed ?? "", tail: message.tail ?? "", behind: 0 };
    case "final": {
      const text = (message.text ?? "").trim();
      if (!text) return { ...state, committed: "", tail: "" };
      const segment = { text, start: state.offset + (message.start ?? 0), end: state.offset + (message.end ?? 0), take: state.take };
      if (message.language) segment.language = message.language;
      return { ...state, segments: [...state.segments, segment], committed: "", tail: "" };
    }
    case "behind":
      return { ...state, behind: message.seconds ?? 0 };
    case "silent":
      return { ...state, isSilent: Boolean(message.silent) };
    case "end":
      return { ...state, committed: "", tail: "", behind: 0, isSilent: false };
    case "broken": {
      // What was on its way is shown until the take tells what it came to.
      const pending = joined(state.committed, state.tail);
      const segments = pending ? [
        ...state.segments, { text: pending, start: state.offset, end: state.offset, take: state.take, isUnsettled: true }
      ] : state.segments;
      return { ...state, segments, committed: "", tail: "", offset: message.seconds ?? state.offset, behind: 0, isSilent: false };
    }
    case "take": {
      const own = state.segments.filter((segment) => segment.take === message.take);
      if (own.length === 0 || !message.text) return state;
      const first = state.segments.indexOf(own[0]);
      const whole = { text: message.text.trim(), start: own[0].start, end: own[own.length - 1].end, take: message.take };
      const others = state.segments.filter((segment) => segment.take !== message.take);
      return { ...state, segments: [...others.slice(0, first), whole, ...others.slice(first)] };
    }
    case "clear":
      return nothingHeard;
    default:
      return state;
  }
}

/**
 * Joins two pieces of text with one space, where one is wanted.
 * @param {string} one The first.
 * @param {string} other The second.
 * @returns {string} Both.
 */
export function joined(one, other) {
  if (!one) return other.trimStart();
  if (!other) return one;
  return /\s$/.test(one) || /^[\s,.;:!?)]/.test(other) ? one + other : `${one} ${other}`;
}

/**
 * All that was settled, as one text.
 * @param {Heard} state What was heard.
 * @returns {string} The text.
 */
export function heardText(state) {
  return state.segments.map((segment) => segment.text).join(" ");
}

function clock(seconds, comma) {
  const whole = Math.max(0, Math.round(seconds * 1000));
  const two = (value) => String(value).padStart(2, "0");
  const parts = [Math.floor(whole / 3_600_000), Math.floor(whole / 60_000) % 60, Math.floor(whole / 1000) % 60].map(two);
  return `${parts.join(":")}${comma}${String(whole % 1000).padStart(3, "0")}`;
}

/**
 * Subtitles in the SRT format.
 * @param {{text: string, start: number, end: number}[]} segments In seconds.
 * @returns {string} The file's text.
 */
export function srt(segments) {
  return segments.map((segment, index) => `${index + 1}\n${clock(segment.start, ",")} --> ${clock(segment.end, ",")}\n${segment.text}\n`).join("\n");
}

/**
 * Subtitles in the WebVTT format.
 * @param {{text: string, start: number, end: number}[]} segments In seconds.
 * @returns {string} The file's text.
 */
export function vtt(segments) {
  const safe = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return `WEBVTT\n\n${segments.map((segment) => `${clock(segment.start, ".")} --> ${clock(segment.end, ".")}\n${safe(segment.text)}\n`).join("\n")}`;
}

/**
 * Puts dictated text into what is already written, at the caret, with spaces and a capital where they belong.
 * @param {string} text What is written.
 * @param {number} start Beginning of the selection.
 * @param {number} end Its end.
 * @param {string} spoken What was said.
 * @returns {{insert: string, start: number, end: number, caret: number}} What to put in place of `start..<end`, and where the caret goes.
 */
export function insertion(text, start, end, spoken) {
  let insert = spoken.trim();
  const before = text.slice(0, start);
  const after = text.slice(end);
  if (insert && before && !/[\s(\[{“"'‘]$/.test(before) && !/^[,.;:!?)]/.test(insert)) insert = ` ${insert}`;
  if (insert && after && !/^[\s,.;:!?)\]}”’]/.test(after)) insert = `${insert} `;
  return { insert, start, end, caret: start + insert.length };
}
