/**
 * Puts an image or a video on a canvas, as large as it is but not larger than limit on each side.
 *
 * @param {HTMLImageElement | HTMLVideoElement} source
 * @param {HTMLCanvasElement} canvas which takes its size
 */
export function pixels(source, canvas, limit = 4096) {
  const width = source.videoWidth ?? source.naturalWidth, height = source.videoHeight ?? source.naturalHeight;
  const scale = Math.min(1, limit / Math.max(width, height));
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.fillStyle = "#fff"; // under what is transparent
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(source, 0, 0, canvas.width, canvas.height);
}
