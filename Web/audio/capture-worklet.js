/* Runs on the audio thread: gathers 40 ms, makes 16-bit integers of them and tells how loud they are. */
class Capture extends AudioWorkletProcessor {
  constructor() {
    super();
    this.size = Math.max(128, Math.round(sampleRate * 0.04));
    this.fresh();
    // Whoever stops wants the last milliseconds too.
    this.port.onmessage = () => {
      this.flush();
      this.port.postMessage({ isLast: true });
    };
  }

  fresh() {
    this.samples = new Int16Array(this.size);
    this.count = 0;
    this.peak = 0;
    this.power = 0;
    this.isZero = true;
  }

  flush() {
    if (this.count === 0) return;
    const pcm = this.samples.slice(0, this.count).buffer;
    this.port.postMessage({ pcm, peak: this.peak, level: Math.sqrt(this.power / this.count), isZero: this.isZero }, [pcm]);
    this.fresh();
  }

  process(inputs) {
    const channels = inputs[0];
    if (channels.length === 0) return true;
    const length = channels[0].length;
    for (let index = 0; index < length; index += 1) {
      let value = 0;
      for (const channel of channels) value += channel[index];
      value /= channels.length;
      if (value !== 0) this.isZero = false;
      const size = Math.abs(value);
      if (size > this.peak) this.peak = size;
      this.power += value * value;
      const bounded = Math.max(-1, Math.min(1, value));
      this.samples[this.count] = Math.round(bounded * (bounded < 0 ? 32768 : 32767));
      this.count += 1;
      if (this.count === this.size) this.flush();
    }
    return true;
  }
}

registerProcessor("sotto-capture", Capture);
