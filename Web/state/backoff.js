/**
 * How long to wait before the next try: doubles from half a second to fifteen, shortened by chance so that clients do not come back together.
 * @param {number} failures Tries that failed in a row, at least 1.
 * @param {number} chance In [0, 1).
 * @returns {number} Milliseconds, from 250 to 15 000.
 */
export function backoff(failures, chance) {
  const most = Math.min(15_000, 500 * 2 ** Math.min(failures - 1, 10));
  return Math.round(most / 2 + (most / 2) * chance);
}
