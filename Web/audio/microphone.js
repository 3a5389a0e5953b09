import { microphoneProblem } from "./problems.js";

/** A microphone that cannot be used, with what to do about it. */
export class MicrophoneError extends Error {
  /** @param {{code: string, title: string, advice: string}} problem What is wrong. */
  constructor(problem) {
    super(problem.title);
    this.name = "MicrophoneError";
    this.code = problem.code;
    this.advice = problem.advice;
  }
}

/**
 * Opens the microphone and hands its sound on until it is closed. When the device goes, the next one takes over.
 *
 * @param {object} wishes
 * @param {string} [wishes.device] The browser's id of a microphone; its default without.
 * @param {boolean} [wishes.processing] Whether the browser may cancel echo and noise; off for samples of a voice.
 * @param {(piece: {pcm: ArrayBuffer, peak: number, level: number, isZero: boolean}) => void} wishes.sound About 40 ms, 16-bit mono at `rate`.
 * @param {(change: {type: "switched"|"lost"|"muted"|"unmuted", label?: string}) => void} wishes.changed What happened to the device.
 * @returns {Promise<{rate: number, label: () => string, echo: (isOn: boolean) => void, close: () => Promise<void>}>} The open microphone; `close`
 * ends when the last
 * piece was handed on.
 * @throws {MicrophoneError} When it cannot be opened.
 */
export async function openMicrophone({ device, processing = true, sound, changed }) {
  const facts = { isSecure: globalThis.isSecureContext, hasDevices: Boolean(navigator.mediaDevices?.getUserMedia) };
  if (!facts.isSecure || !facts.hasDevices) throw new MicrophoneError(microphoneProblem(facts));

  async function ask(id) {
    const audio = { echoCancellation: processing, noiseSuppression: processing, autoGainControl: processing, channelCount: { ideal: 1 } };
    if (id) audio.deviceId = { exact: id };
    try {
      return await navigator.mediaDevices.getUserMedia({ audio });
    } catch (error) {
      // A device that was chosen once and is gone now is not a reason to hear nothing.
      if (id && (error.name === "OverconstrainedError" || error.name === "NotFoundError")) return ask(undefined);
      throw new MicrophoneError(microphoneProblem({ ...facts, error, permission: await permission() }));
    }
  }

  let stream = await ask(device);
  const context = new AudioContext({ latencyHint: "interactive" });
  let node;
  try {
    await context.audioWorklet.addModule("/audio/capture-worklet.js");
    node = new AudioWorkletNode(context, "sotto-capture", { numberOfOutputs: 0 });
    if (context.state !== "running") await context.resume();
  } catch (error) {
    for (const track of stream.getTracks()) track.stop();
    await context.close();
    throw new MicrophoneError(microphoneProblem({ ...facts, error }));
  }
  let ended = () => {};
  node.port.onmessage = (message) => {
    if (message.data.isLast) ended();
    else sound(message.data);
  };
  const echoGain = new GainNode(context, { gain: 0 });
  echoGain.connect(context.destination);
  let source = null;
  let isClosed = false;
  let isSwitching = false;

  function attach() {
    source?.disconnect();
    source = new MediaStreamAudioSourceNode(context, { mediaStream: stream });
    source.connect(node);
    source.connect(echoGain);
    const track = stream.getAudioTracks()[0];
    track.onended = () => replace();
    track.onmute = () => changed({ type: "muted", label: track.label });
    track.onunmute = () => changed({ type: "unmuted", label: track.label });
  }

  async function replace() {
    if (isClosed || isSwitching) return;
    isSwitching = true;
    try {
      const next = await ask(undefined);
      if (isClosed) {
        for (const track of next.getTracks()) track.stop();
        return;
      }
      for (const track of stream.getTracks()) track.stop();
      stream = next;
      attach();
      changed({ type: "switched", label: stream.getAudioTracks()[0].label });
    } catch {
      changed({ type: "lost" });
    } finally {
      isSwitching = false;
    }
  }

  // Some systems tell of a device that went only here; and here a new one comes after all were gone.
  const devicesChanged = () => {
    if (stream.getAudioTracks()[0]?.readyState === "ended") replace();
  };
  navigator.mediaDevices.addEventListener?.("devicechange", devicesChanged);
  attach();

  return {
    rate: context.sampleRate,
    label: () => stream.getAudioTracks()[0]?.label ?? "",
    echo(isOn) {
      echoGain.gain.setTargetAtTime(isOn ? 1 : 0, context.currentTime, 0.02);
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      navigator.mediaDevices.removeEventListener?.("devicechange", devicesChanged);
      const track = stream.getAudioTracks()[0];
      if (track) track.onended = track.onmute = track.onunmute = null;
      await new Promise((resolve) => {
        ended = resolve;
        // An audio thread that stands still has nothing more to give.
        setTimeout(resolve, 300);
        node.port.postMessage("last");
      });
      for (const each of stream.getTracks()) each.stop();
      source.disconnect();
      await context.close();
    },
  };
}

async function permission() {
  try {
    return (await navigator.permissions.query({ name: "microphone" })).state;
  } catch {
    return undefined;
  }
}

/**
 * The microphones and speakers that the browser shows. Before the microphone was allowed once they have no names.
 * @returns {Promise<{inputs: {id: string, label: string}[], outputs: {id: string, label: string}[]}>} Both lists.
 */
export async function soundDevices() {
  if (!navigator.mediaDevices?.enumerateDevices) return { inputs: [], outputs: [] };
  const all = await navigator.mediaDevices.enumerateDevices();
  const of = (kind, name) => all.filter((one) => one.kind === kind && one.deviceId)
    .map((one, index) => ({ id: one.deviceId, label: one.label || `${name} ${index + 1}` }));
  return { inputs: of("audioinput", "Microphone"), outputs: of("audiooutput", "Speaker") };
}

/**
 * Whether a microphone's name is that of a Bluetooth headset, which plays music badly while it listens.
 * @param {string} label The name.
 * @returns {boolean} Whether to warn.
 */
export function isHeadsetProfile(label) {
  return /bluetooth|hands-?free|airpods|\bhfp\b|\bhsp\b|buds/i.test(label);
}
