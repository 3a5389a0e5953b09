/**
 * The list of agents: what the server told, page by page, and what happened since. Pure.
 *
 * @typedef {{jobs: object[], schedules: object[], next: (number|null), query: string, filter: string, phase: "empty"|"loading"|"ready"|"failed",
 * error: (string|null)}} Jobs
 */

/** The list before anything was asked. */
export const noJobs = Object.freeze({ jobs: [], schedules: [], next: null, query: "", filter: "", phase: "empty", error: null });

/**
 * Whether one account of a job is newer than another. A stale one never replaces a newer.
 * @param {object} candidate A job.
 * @param {object|undefined} held The one that is held.
 * @returns {boolean} Whether to take the candidate.
 */
export function isNewer(candidate, held) {
  if (!held) return true;
  if (candidate.revision === undefined || held.revision === undefined) return true;
  if (candidate.revision !== held.revision) return candidate.revision > held.revision;
  // Progress does not make a revision of its own.
  return true;
}

function merged(held, told) {
  const byID = new Map(held.map((job) => [job.id, job]));
  for (const job of told) if (isNewer(job, byID.get(job.id))) byID.set(job.id, job);
  return [...byID.values()].sort((one, other) => other.id - one.id);
}

/**
 * Whether a job belongs to what is asked for.
 * @param {object} job A job.
 * @param {string} query Words of its title; empty for all.
 * @param {string} filter States with commas; empty for all.
 * @returns {boolean} Whether it is shown.
 */
export function matches(job, query, filter) {
  if (filter && !filter.split(",").includes(job.state)) return false;
  const title = job.title.toLowerCase();
  return query.toLowerCase().split(/\s+/).every((word) => title.includes(word));
}

/**
 * Takes in what was told.
 * @param {Jobs} state The list.
 * @param {object} action `asked`, `page`, `failed`, `job`, `removed`, `schedules`.
 * @returns {Jobs} The next list.
 */
export function reduceJobs(state, action) {
  switch (action.type) {
    case "asked": {
      const isOther = action.query !== state.query || action.filter !== state.filter;
      return {
        ...state, query: action.query, filter: action.filter, phase: "loading", error: null,
        jobs: isOther ? state.jobs.filter((job) => matches(job, action.query, action.filter)) : state.jobs
      };
    }
    case "page": {
      // An answer to an earlier question came late.
      if (action.query !== state.query || action.filter !== state.filter) return state;
      const held = action.isFirst ? state.jobs.filter((job) => action.jobs.some((other) => other.id === job.id)) : state.jobs;
      const later = action.isFirst ? heldBelow(state.jobs, action.jobs, action.next) : [];
      return {
        ...state, jobs: merged([...held, ...later], action.jobs), schedules: action.schedules ?? state.schedules,
        next: action.isFirst && later.length > 0 ? state.next : action.next, phase: "ready", error: null,
      };
    }
    case "failed":
      if (action.query !== state.query || action.filter !== state.filter) return state;
      return { ...state, phase: "failed", error: action.error };
    case "job": {
      const held = state.jobs.find((job) => job.id === action.job.id);
      if (!isNewer(action.job, held)) return state;
      if (!held) {
        const isBeyond = state.next !== null && state.jobs.length > 0 && action.job.id < state.jobs[state.jobs.length - 1].id;
        if (isBeyond || !matches(action.job, state.query, state.filter)) return state;
      } else if (!matches(action.job, state.query, state.filter)) {
        return { ...state, jobs: state.jobs.filter((job) => job.id !== action.job.id) };
      }
      return { ...state, jobs: merged(state.jobs, [action.job]) };
    }
    case "removed":
      return state.jobs.some((job) => job.id === action.id) ? { ...state, jobs: state.jobs.filter((job) => job.id !== action.id) } : state;
    case "schedules":
      return { ...state, schedules: action.schedules };
    default:
      return state;
  }
}

// What was paged in stays when the first page is asked anew.
function heldBelow(held, page, next) {
  if (next === null || page.length === 0) return [];
  const last = page[page.length - 1].id;
  return held.filter((job) => job.id < last);
}

/**
 * What a job is doing, in words and as a mark.
 * @param {object} job A job.
 * @param {number} now Milliseconds since 1970.
 * @returns {{mark: string, words: string}} `mark` is one of `waiting`, `running`, `stopping`, `done`, `short`, `failed`, `cancelled`.
 */
export function jobStanding(job, now) {
  switch (job.state) {
    case "queued": {
      if (job.error) return { mark: "waiting", words: "Waits to be tried again" };
      if (Date.parse(job.dueAt) > now + 1000) return { mark: "waiting", words: "Planned" };
      return { mark: "waiting", words: job.attempt > 0 ? "Queued again" : "Queued" };
    }
    case "running":
      return job.isCancelRequested ? { mark: "stopping", words: "Stopping" } : { mark: "running", words: "Running" };
    case "completed": {
      if (job.status === "notAnswered") return { mark: "short", words: "Not answered by the sources" };
      if (job.status === "nothingFound") return { mark: "short", words: "Nothing found" };
      if (job.status === "digest") return { mark: "short", words: "Digest" };
      if (job.status === "stopped") return { mark: "short", words: "Stopped early" };
      return job.outcome === "short" ? { mark: "short", words: "Done, with gaps" } : { mark: "done", words: "Done" };
    }
    case "failed": return { mark: "failed", words: "Failed" };
    case "cancelled": return { mark: "cancelled", words: "Cancelled" };
    default: return { mark: "waiting", words: job.state };
  }
}

/**
 * Whether a job still changes by itself.
 * @param {object} job A job.
 * @returns {boolean} Whether it is queued or running.
 */
export function isOpen(job) {
  return job.state === "queued" || job.state === "running";
}
