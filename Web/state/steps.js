const NAMES = {
  plan: "Plan", search: "Search and read", claims: "Draft claims", check: "Check every claim", summary: "Summary", review: "Look for gaps",
};

/**
 * A step's name in words.
 * @param {string} name As `search 2`.
 * @returns {string} As `Search and read, round 2`.
 */
export function stepName(name) {
  const [first, round] = name.split(" ");
  const words = NAMES[first] ?? first.charAt(0).toUpperCase() + first.slice(1);
  return round ? `${words}, round ${round}` : words;
}

/**
 * The steps of a job with how long each took, those under way included.
 * @param {{name: string, attempt: number, startedAt: string, finishedAt: string}[]} steps What is finished.
 * @param {object[]} events The job's log.
 * @param {object} job The job.
 * @returns {{name: string, seconds: (number|null), startedAt: string, state: "done"|"running"|"failed"}[]} In the order in which they began.
 */
export function stepList(steps, events, job) {
  const result = steps.map(
    (step) => (
      { name: step.name, seconds: (Date.parse(step.finishedAt) - Date.parse(step.startedAt)) / 1000, startedAt: step.startedAt, state: "done" }
    )
  );
  const known = new Set(result.map((step) => step.name));
  for (const event of events) {
    if (!event.step || known.has(event.step)) continue;
    if (event.kind === "stepStarted") {
      result.push({ name: event.step, seconds: null, startedAt: event.date, state: job.state === "running" ? "running" : "failed" });
      known.add(event.step);
    }
  }
  // A step that is done in the log but not yet asked anew is done.
  for (const step of result) {
    if (step.state === "done") continue;
    const end = events.findLast?.((event) => event.step === step.name && (event.kind === "stepFinished" || event.kind === "stepFailed"));
    if (end && Date.parse(end.date) >= Date.parse(step.startedAt)) {
      step.state = end.kind === "stepFinished" ? "done" : "failed";
      step.seconds = (Date.parse(end.date) - Date.parse(step.startedAt)) / 1000;
    }
  }
  return result;
}

/**
 * The log with a new line; one that is there already is not doubled.
 * @param {object[]} events The log.
 * @param {object} event A line.
 * @returns {object[]} The log, oldest first.
 */
export function withEvent(events, event) {
  if (events.some((other) => other.id === event.id)) return events;
  return [...events, event].sort((one, other) => one.id - other.id);
}
