/** What went wrong with a request: the server's own words where it gave some. */
export class ApiError extends Error {
  /**
   * @param {string} message What is wrong and what to do.
   * @param {{status?: number, code?: string}} [facts] `status` is 0 when the server was not reached.
   */
  constructor(message, { status = 0, code = "" } = {}) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
  }

  /** Whether nothing was heard of the server: the request may be sent again later. */
  get isAway() {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
  }
}

/**
 * Requests to the server that this page came from.
 * @param {{fetch?: typeof fetch, signedOut?: () => void, reached?: (isReached: boolean) => void}} [surroundings] `signedOut` is called at every 401,
 * `reached` with whether the server answered.
 * @returns {object} `get`, `send`, `upload`, `download`.
 */
export function createClient({ fetch = globalThis.fetch.bind(globalThis), signedOut = () => {}, reached = () => {} } = {}) {
  async function request(method, path, { body, headers = {}, signal } = {}) {
    let response;
    try {
      response = await fetch(path, { method, body, headers, signal, credentials: "same-origin", cache: "no-store" });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      reached(false);
      throw new ApiError("Sotto cannot be reached. Is “sotto serve” running?");
    }
    reached(true);
    if (response.ok) return response;
    const error = await problem(response);
    if (response.status === 401 && error.code !== "bad-code") signedOut();
    throw error;
  }

  async function parsed(response) {
    if (response.status === 204 || response.headers.get("content-length") === "0") return null;
    const kind = response.headers.get("content-type") ?? "";
    return /[/+]json/.test(kind) ? response.json() : response.text();
  }

  return {
    /** Asks for JSON. Query values that are `undefined`, `null` or empty are left out. */
    async get(path, query = {}, { signal } = {}) {
      return parsed(await request("GET", withQuery(path, query), { signal, headers: { accept: "application/json" } }));
    },
    /** Sends JSON and returns what the answer holds; `null` for an empty one. */
    async send(method, path, value, { signal } = {}) {
      const headers = { accept: "application/json" };
      let body;
      if (value !== undefined) {
        body = JSON.stringify(value);
        headers["content-type"] = "application/json";
      }
      return parsed(await request(method, path, { body, headers, signal }));
    },
    /** Sends bytes or a form as they are. */
    async post(path, body, headers = {}, { signal } = {}) {
      return parsed(await request("POST", path, { body, headers, signal }));
    },
    /** Asks for a file's bytes. */
    async blob(method, path, value, { signal } = {}) {
      const headers = value === undefined ? {} : { "content-type": "application/json" };
      return (await request(method, path, { body: value === undefined ? undefined : JSON.stringify(value), headers, signal })).blob();
    },
    /** Sends bytes or a form and tells how much has gone; `fetch` cannot. */
    upload(method, path, body, { headers = {}, progress = () => {}, signal } = {}) {
      return new Promise((resolve, reject) => {
        const transfer = new XMLHttpRequest();
        transfer.open(method, path);
        for (const [name, value] of Object.entries(headers)) transfer.setRequestHeader(name, value);
        transfer.upload.onprogress = (event) => progress(event.lengthComputable ? event.loaded / event.total : undefined);
        transfer.onload = () => {
          reached(true);
          const isJSON = /[/+]json/.test(transfer.getResponseHeader("content-type") ?? "");
          let value = transfer.responseText;
          try {
            if (isJSON) value = JSON.parse(value);
          } catch { /* Shown as it came. */ }
          if (transfer.status >= 200 && transfer.status < 300) resolve(value === "" ? null : value);
          else {
            if (transfer.status === 401) signedOut();
            reject(problemOf(transfer.status, isJSON ? value : null));
          }
        };
        transfer.onerror = () => {
          reached(false);
          reject(new ApiError("The connection broke while the file was sent. Nothing was changed; try again."));
        };
        transfer.onabort = () => reject(new DOMException("Cancelled", "AbortError"));
        signal?.addEventListener("abort", () => transfer.abort());
        transfer.send(body);
      });
    },
  };
}

/**
 * An address with a query.
 * @param {string} path The path.
 * @param {object} query Values; `undefined`, `null` and the empty text are left out.
 * @returns {string} The address.
 */
export function withQuery(path, query) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== null && value !== "") parameters.set(name, value);
  const text = parameters.toString();
  return text ? `${path}?${text}` : path;
}

async function problem(response) {
  let value = null;
  try {
    value = await response.json();
  } catch { /* An answer without a body, or of something between. */ }
  return problemOf(response.status, value);
}

/**
 * An error from what the server said, in its own form or in that of OpenAI's API.
 * @param {number} status The status of the answer.
 * @param {object|null} value Its body.
 * @returns {ApiError} The error.
 */
export function problemOf(status, value) {
  const detail = value?.detail ?? value?.error?.message ?? value?.title;
  return new ApiError(detail ?? `The server answered with status ${status}.`, { status, code: value?.code ?? value?.error?.code ?? "" });
}

/**
 * The address of a WebSocket of this server.
 * @param {string} path The path.
 * @param {object} [query] Values of the query.
 * @param {{protocol: string, host: string}} [place] Where the page came from.
 * @returns {string} The address.
 */
export function socketAddress(path, query = {}, place = globalThis.location) {
  return `${place.protocol === "https:" ? "wss" : "ws"}://${place.host}${withQuery(path, query)}`;
}
