/** Returns a WAV file with samples from -1 to 1, as 16-bit numbers. */
export function wav(samples, rate) {
  const file = new DataView(new ArrayBuffer(44 + 2 * samples.length));
  const text = (at, s) => [...s].forEach((c, i) => file.setUint8(at + i, c.charCodeAt(0)));
  text(0, "RIFF");
  file.setUint32(4, 36 + 2 * samples.length, true);
  text(8, "WAVEfmt ");
  file.setUint32(16, 16, true);
  file.setUint16(20, 1, true); // whole numbers
  file.setUint16(22, 1, true); // one channel
  file.setUint32(24, rate, true);
  file.setUint32(28, 2 * rate, true);
  file.setUint16(32, 2, true);
  file.setUint16(34, 16, true);
  text(36, "data");
  file.setUint32(40, 2 * samples.length, true);
  samples.forEach((x, i) => file.setInt16(44 + 2 * i, Math.max(-1, Math.min(x, 1)) * 32767, true));
  return new Blob([file], { type: "audio/wav" });
}
