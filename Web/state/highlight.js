const words = (text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []);

/**
 * Where in a passage a claim is stated: the sentence that shares the most words with it.
 * @param {string} passage The passage.
 * @param {string} claim The claim.
 * @returns {{start: number, end: number}|null} UTF-16 positions; `null` when nothing is alike enough.
 */
export function statedAt(passage, claim) {
  const wanted = words(claim);
  if (wanted.size === 0) return null;
  let best = null;
  let share = 0;
  for (const match of passage.matchAll(/[^\s][^\n]*?(?:[.!?](?=\s|$)|(?=\n)|$)/g)) {
    const own = words(match[0]);
    let common = 0;
    for (const word of wanted) if (own.has(word)) common += 1;
    const score = common / wanted.size;
    if (score > share) {
      share = score;
      best = { start: match.index, end: match.index + match[0].length };
    }
  }
  return share >= 0.4 ? best : null;
}

/**
 * The passages that a citation means: those of the claims that its sentence states, or all of the source.
 * @param {object} report A research report.
 * @param {number} source The number in the citation.
 * @param {string} context The text around the citation.
 * @returns {{claim: (object|null), passages: string[]}} The claim and the ids of its passages in that source.
 */
export function citedPassages(report, source, context) {
  const plain = (text) => text.replace(/\[\d+\]/g, "").replace(/[*_`]/g, "").replace(/\s+/g, " ").trim().toLowerCase();
  const around = plain(context);
  const claim = (report.claims ?? []).find(
    (one) => one.sources.includes(source) && around && (around.includes(plain(one.text)) || plain(one.text).includes(around))
  )
    ?? (report.claims ?? []).find((one) => one.sources.includes(source) && one.verdict === "supported") ?? null;
  return { claim, passages: (claim?.passages ?? []).filter((id) => id.split(".")[0] === String(source)) };
}
