/**
 * What came of a speech so far, piece by piece, on the time of its sound. Pure.
 *
 * @typedef {{part: number, seconds: number, start: number}} Piece `start` is in seconds of all that came before it.
 */

/**
 * Adds a piece.
 * @param {Piece[]} pieces The pieces so far; not changed.
 * @param {number} part The sentence it belongs to.
 * @param {number} seconds Its length.
 * @returns {Piece[]} With the new one.
 */
export function added(pieces, part, seconds) {
  const last = pieces[pieces.length - 1];
  return [...pieces, { part, seconds, start: last ? last.start + last.seconds : 0 }];
}

/**
 * The first piece of a sentence.
 * @param {Piece[]} pieces The pieces.
 * @param {number} part The sentence.
 * @returns {number} Its index; -1 when it has not come, or not from its beginning.
 */
export function firstOf(pieces, part) {
  return pieces.findIndex((piece) => piece.part === part);
}

/**
 * How much of a sentence is there.
 * @param {Piece[]} pieces The pieces.
 * @param {number} part The sentence.
 * @returns {number} Seconds.
 */
export function heldOf(pieces, part) {
  return pieces.reduce((sum, piece) => (piece.part === part ? sum + piece.seconds : sum), 0);
}

/**
 * When the next piece is to sound.
 * @param {object} facts All in seconds of the one clock, but `buffered` and the lengths.
 * @param {number|null} facts.cursor Where the piece before ends; `null` before the first.
 * @param {number} facts.now The clock.
 * @param {number} facts.lead The least time between planning and sounding.
 * @param {number} facts.buffered Seconds of sound that are there and not planned.
 * @param {number} facts.wanted Seconds that must be there before it goes on after it ran dry.
 * @param {boolean} facts.isComplete Whether all has come.
 * @returns {{at: number, isDry: boolean}|null} When, and whether there was a gap; `null` to wait.
 */
export function nextStart({ cursor, now, lead, buffered, wanted, isComplete }) {
  if (cursor !== null && cursor >= now) return { at: cursor, isDry: false };
  if (cursor === null) return { at: now + lead, isDry: false };
  if (buffered < wanted && !isComplete) return null;
  return { at: now + lead, isDry: true };
}
