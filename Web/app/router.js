/**
 * The parts of an address behind `#/`.
 * @param {string} hash As `#/agents/12?passage=2.1`.
 * @returns {{path: string[], query: URLSearchParams}} The parts, decoded.
 */
export function parseRoute(hash) {
  const text = hash.startsWith("#/") ? hash.slice(2) : "";
  const [path, query = ""] = text.split("?");
  return { path: path.split("/").filter(Boolean).map(decoded), query: new URLSearchParams(query) };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * An address within the app.
 * @param {...(string|number)} path The parts.
 * @returns {string} As `#/agents/12`.
 */
export function route(...path) {
  return `#/${path.map((part) => encodeURIComponent(part)).join("/")}`;
}

/**
 * The code of a sign-in address, if it is one.
 * @param {string} hash As `#code=…`.
 * @returns {string|null} The code.
 */
export function signInCode(hash) {
  const match = /^#code=([^&]+)$/.exec(hash);
  return match ? decoded(match[1]) : null;
}
