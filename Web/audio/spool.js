/**
 * Sound that waits to be sent. Nothing is dropped until the bound is reached; then the oldest goes, and how much went is known.
 * @param {number} bound Most bytes that are kept.
 * @returns {{push: (piece: ArrayBuffer) => void, take: () => (ArrayBuffer|undefined), bytes: () => number, dropped: () => number, clear: () =>
 * void}} The spool.
 */
export function createSpool(bound) {
  let pieces = [];
  let size = 0;
  let lost = 0;
  return {
    push(piece) {
      pieces.push(piece);
      size += piece.byteLength;
      while (size > bound && pieces.length > 1) {
        const oldest = pieces.shift();
        size -= oldest.byteLength;
        lost += oldest.byteLength;
      }
    },
    take() {
      const piece = pieces.shift();
      if (piece) size -= piece.byteLength;
      return piece;
    },
    bytes: () => size,
    dropped: () => lost,
    clear() {
      pieces = [];
      size = 0;
    },
  };
}
