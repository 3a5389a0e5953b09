/**
 * A length of time, short.
 * @param {number} seconds Seconds.
 * @returns {string} As `0.4 s`, `12 s`, `3 min 5 s`, `2 h 10 min`.
 */
export function duration(seconds) {
  if (!Number.isFinite(seconds) || seconds < 0) return "";
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return whole % 60 ? `${Math.floor(whole / 60)} min ${whole % 60} s` : `${whole / 60} min`;
  const minutes = Math.round(whole / 60);
  return minutes % 60 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min` : `${minutes / 60} h`;
}

/**
 * A position in a recording.
 * @param {number} seconds Seconds.
 * @returns {string} As `1:05` or `1:02:05`.
 */
export function position(seconds) {
  const whole = Math.max(0, Math.floor(seconds || 0));
  const two = (value) => String(value).padStart(2, "0");
  return whole < 3600 ? `${Math.floor(whole / 60)}:${two(whole % 60)}`
    : `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
}

/**
 * An amount of bytes in decimal units, as Sotto's commands print it.
 * @param {number} count Bytes.
 * @returns {string} As `512 B`, `43 MB`, `1.1 GB`.
 */
export function bytes(count) {
  if (!Number.isFinite(count)) return "";
  if (count < 1000) return `${count} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = count / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/**
 * How long ago something was.
 * @param {number} then Milliseconds since 1970.
 * @param {number} now The same.
 * @returns {string} As `now`, `5 min`, `3 h`, `2 d`; in the future `in 5 min`.
 */
export function age(then, now) {
  const seconds = Math.abs(now - then) / 1000;
  const text = seconds < 60 ? "" : seconds < 3600 ? `${Math.floor(seconds / 60)} min` : seconds < 86_400 ? `${Math.floor(seconds / 3600)} h`
    : `${Math.floor(seconds / 86_400)} d`;
  if (!text) return then > now + 5000 ? "in a moment" : "now";
  return then > now ? `in ${text}` : text;
}

/**
 * A moment in the person's own zone and manner.
 * @param {string|number|undefined} moment ISO 8601 or milliseconds since 1970.
 * @param {string} [locale] BCP 47 tag; the browser's if it is not given.
 * @returns {string} The moment, or nothing.
 */
export function moment(moment, locale) {
  if (moment === undefined || moment === null || moment === "") return "";
  const date = new Date(moment);
  return Number.isNaN(date.getTime()) ? "" : date.toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" });
}

/**
 * A count with its noun.
 * @param {number} count How many.
 * @param {string} one The noun for one.
 * @param {string} [many] The noun for another number.
 * @returns {string} As `1 source`, `2 sources`.
 */
export function counted(count, one, many = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/**
 * A name for a place: the host of an address, the last part of a path.
 * @param {string} location Address or path.
 * @returns {string} The short name.
 */
export function placeName(location) {
  if (/^https?:\/\//.test(location)) {
    try {
      return new URL(location).host.replace(/^www\./, "");
    } catch {
      return location;
    }
  }
  return location.split("/").filter(Boolean).pop() ?? location;
}
