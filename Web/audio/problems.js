/**
 * What keeps a microphone from being used, told apart. Pure.
 * @param {{isSecure: boolean, hasDevices: boolean, error?: {name: string, message?: string}, permission?: string}} facts `permission` is what the
 * browser says after
 * the refusal: `denied`, `prompt`, `granted`, or nothing where it does not tell.
 * @returns {{code: string, title: string, advice: string}} `code` is one of `insecure`, `unsupported`, `denied`, `dismissed`, `system`, `none`,
 * `taken`, `gone`, `failed`.
 */
export function microphoneProblem({ isSecure, hasDevices, error, permission }) {
  if (!isSecure) {
    return {
      code: "insecure", title: "The browser gives no microphone to this address",
      advice: "Browsers hand out the microphone only over HTTPS, or on the machine itself. Open Sotto at http://127.0.0.1 there, or pair this "
        + "device over HTTPS (Settings, Devices).",
    };
  }
  if (!hasDevices) return { code: "unsupported", title: "This browser cannot record", advice: "Use a current Firefox, Chromium or Safari." };
  const name = error?.name ?? "";
  const words = `${name} ${error?.message ?? ""}`.toLowerCase();
  if (name === "NotAllowedError" || name === "SecurityError") {
    if (words.includes("system")) return {
      code: "system", title: "The system keeps the microphone from the browser",
      advice: "Allow the browser to use the microphone in the settings of the system, then try again.",
    };
    if (words.includes("dismiss") || permission === "prompt") return {
      code: "dismissed", title: "The question about the microphone was closed", advice: "Tap the microphone again and choose “Allow”.",
    };
    return {
      code: "denied", title: "The microphone is blocked for this page",
      advice: "Open the site's settings beside the address, allow the microphone, and try again.",
    };
  }
  if (name === "NotFoundError" || name === "OverconstrainedError" || name === "DevicesNotFoundError") {
    return { code: "none", title: "No microphone was found", advice: "Plug one in, or choose another in Settings, Sound." };
  }
  if (name === "NotReadableError" || name === "TrackStartError" || name === "AbortError") {
    return {
      code: "taken", title: "The microphone cannot be opened",
      advice: "Another program may have it to itself. Close that one, or choose another microphone in Settings, Sound.",
    };
  }
  return { code: "failed", title: "The microphone did not start", advice: error?.message || "Try again." };
}
