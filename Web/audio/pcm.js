/**
 * Sound as 16-bit little-endian integers, the form in which it crosses the network.
 * @param {Float32Array} samples From -1 to 1; what is beyond is clipped.
 * @returns {Int16Array} The same sound.
 */
export function toPCM(samples) {
  const result = new Int16Array(samples.length);
  for (let index = 0; index < samples.length; index += 1) {
    const value = Math.max(-1, Math.min(1, samples[index]));
    result[index] = Math.round(value * (value < 0 ? 32_768 : 32_767));
  }
  return result;
}

/**
 * Sound as numbers from -1 to 1.
 * @param {Int16Array} samples 16-bit integers.
 * @returns {Float32Array} The same sound.
 */
export function fromPCM(samples) {
  const result = new Float32Array(samples.length);
  for (let index = 0; index < samples.length; index += 1) result[index] = samples[index] / 32_768;
  return result;
}

/**
 * A mono WAV file.
 * @param {Int16Array[]} pieces The sound.
 * @param {number} rate In hertz.
 * @returns {Blob} The file.
 */
export function wav(pieces, rate) {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0) * 2;
  const header = new DataView(new ArrayBuffer(44));
  const write = (offset, text) => [...text].forEach((letter, index) => header.setUint8(offset + index, letter.charCodeAt(0)));
  write(0, "RIFF");
  header.setUint32(4, 36 + length, true);
  write(8, "WAVEfmt ");
  header.setUint32(16, 16, true);
  header.setUint16(20, 1, true);
  header.setUint16(22, 1, true);
  header.setUint32(24, rate, true);
  header.setUint32(28, rate * 2, true);
  header.setUint16(32, 2, true);
  header.setUint16(34, 16, true);
  write(36, "data");
  header.setUint32(40, length, true);
  return new Blob([header, ...pieces], { type: "audio/wav" });
}

/**
 * A level as a meter shows it: -60 dBFS is empty, 0 dBFS is full.
 * @param {number} amplitude From 0 to 1.
 * @returns {number} From 0 to 1.
 */
export function meterHeight(amplitude) {
  if (!(amplitude > 0)) return 0;
  return Math.max(0, Math.min(1, (20 * Math.log10(amplitude) + 60) / 60));
}
