import { h } from "./dom.js";

/** Drawn by us on a grid of 24, in strokes of one width. */
const DRAWINGS = {
  agents: ["M4 6h16M4 12h16M4 18h9"],
  transcribe: ["M4 10v4M8 7v10M12 4v16M16 8v8M20 10.5v3"],
  speak: ["M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM16 9a4.3 4.3 0 0 1 0 6M18.7 6.2a8.2 8.2 0 0 1 0 11.6"],
  voice: ["M12 12.2a4.1 4.1 0 1 0 0-8.2 4.1 4.1 0 0 0 0 8.2zM4.5 20.5c.8-3.7 3.8-5.6 7.5-5.6s6.7 1.9 7.5 5.6"],
  library: ["M5 4.5h4v15H5zM9 4.5h4v15H9zM14.3 5.3l3.7-1 3.3 14.5-3.7 1z"],
  settings: [
    "M4 7h9M17.5 7H20M4 17h2.5M11 17h9",
    "M15.25 9.25a2.25 2.25 0 1 0 0-4.5 2.25 2.25 0 0 0 0 4.5zM8.75 19.25a2.25 2.25 0 1 0 0-4.5 2.25 2.25 0 0 0 0 4.5z",
  ],
  microphone: [
    "M12 14.5a3.2 3.2 0 0 0 3.2-3.2V6.7a3.2 3.2 0 0 0-6.4 0v4.6a3.2 3.2 0 0 0 3.2 3.2zM5.8 11.3a6.2 6.2 0 0 "
      + "0 12.4 0M12 17.5V21",
  ],
  stop: ["M7.5 7.5h9v9h-9z"],
  send: ["M12 19.5V5M5.8 11L12 4.8 18.2 11"],
  play: ["M8 5.2v13.6L18.8 12z"],
  pause: ["M8.5 5.5v13M15.5 5.5v13"],
  back: ["M18 6v12L9.5 12zM6.5 6v12"],
  forward: ["M6 6v12l8.5-6zM17.5 6v12"],
  close: ["M6 6l12 12M18 6L6 18"],
  left: ["M14.5 5.5L8 12l6.5 6.5"],
  right: ["M9.5 5.5L16 12l-6.5 6.5"],
  down: ["M5.5 9.5L12 16l6.5-6.5"],
  plus: ["M12 5v14M5 12h14"],
  search: ["M10.8 17.1a6.3 6.3 0 1 0 0-12.6 6.3 6.3 0 0 0 0 12.6zM15.5 15.5l4.5 4.5"],
  retry: ["M19 12a7 7 0 1 1-2.1-5M19.3 3.8v4h-4"],
  trash: ["M4.5 7h15M9.5 7V4.5h5V7M6.5 7l.8 12.5h9.4L17.5 7M10.3 10.5v5.7M13.7 10.5v5.7"],
  download: ["M12 4v11M7 10.5l5 5 5-5M4.5 19.5h15"],
  upload: ["M12 15.5v-11M7 9.5l5-5 5 5M4.5 19.5h15"],
  copy: ["M8.5 8.5h11v11h-11zM15.5 8.5v-4h-11v11h4"],
  web: [
    "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM3.5 12h17M12 3.5c2.4 2.3 3.5 5.2 3.5 8.5s-1.1 6.2-3.5 "
      + "8.5c-2.4-2.3-3.5-5.2-3.5-8.5s1.1-6.2 3.5-8.5z",
  ],
  clock: ["M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM12 7.5V12l3.2 2"],
  folder: ["M3.5 6.5h6l2 2.5h9v9.5h-17z"],
  check: ["M5 12.5l4.5 4.5L19 7.5"],
  cross: ["M7 7l10 10M17 7L7 17"],
  warning: ["M12 4.5L21 19.5H3zM12 10v4.5M12 17v.2"],
  echo: ["M4.5 14v-2a7.5 7.5 0 0 1 15 0v2M4.5 14h3v5.5h-3zM16.5 14h3v5.5h-3z"],
  more: ["M5.5 12h.01M12 12h.01M18.5 12h.01"],
  external: ["M13.5 4.5h6v6M19.5 4.5l-8.5 8.5M17 13.5v6H4.5V7h6"],
  lock: ["M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3"],
  help: ["M9 9.2a3 3 0 1 1 4.6 2.6c-1 .7-1.6 1.3-1.6 2.5M12 17.3v.2"],
};

/**
 * An icon; silent for screen readers, which hear the control's own name.
 * @param {string} name One of the drawings.
 * @param {string} [kind] More classes.
 * @returns {object} A description.
 */
export function icon(name, kind = "") {
  return h(
    "svg", { class: `icon ${kind}`.trim(), viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" },
    (DRAWINGS[name] ?? []).map((d) => h("path", { d })),
  );
}
