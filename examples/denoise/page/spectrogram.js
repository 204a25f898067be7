// A spectrogram that moves to the left, drawn from what an AnalyserNode hears.

const speed = 110; // pixels of the page in a second
const lowest = 60, highest = 14000; // Hz
const quietest = -105, loudest = -25; // dB

// From night over violet to yellow.
const stops = [[13, 11, 30], [60, 20, 90], [150, 40, 110], [230, 90, 70], [252, 190, 70], [255, 250, 200]];
const palette = Array.from({ length: 256 }, (_, i) => {
  const x = (i / 255) * (stops.length - 1), k = Math.min(Math.floor(x), stops.length - 2), t = x - k;
  return stops[k].map((v, c) => v + (stops[k + 1][c] - v) * t);
});

export class Spectrogram {
  /** @param {HTMLCanvasElement} canvas @param {AnalyserNode} analyser */
  constructor(canvas, analyser) {
    this.canvas = canvas;
    this.analyser = analyser;
    this.context = canvas.getContext("2d", { alpha: false });
    this.bins = new Float32Array(analyser.frequencyBinCount);
    this.left = 0;
    const ratio = Math.min(devicePixelRatio, 2);
    canvas.width = Math.max(1, canvas.clientWidth * ratio);
    canvas.height = Math.max(1, canvas.clientHeight * ratio);
    this.speed = speed * ratio;
    this.context.fillStyle = "#0d0b1e";
    this.context.fillRect(0, 0, canvas.width, canvas.height);
    // Rows are equal steps in tone, not in Hz.
    const { height } = canvas, step = analyser.context.sampleRate / analyser.fftSize;
    this.rows = Array.from({ length: height }, (_, y) => (lowest * (highest / lowest) ** ((height - 1 - y) / (height - 1))) / step);
  }

  /** Draws what is heard now, as the column of the last seconds. */
  draw(seconds) {
    this.left += seconds * this.speed;
    const columns = Math.min(Math.floor(this.left), this.canvas.width);
    if (columns < 1) {
      return;
    }
    this.left -= columns;
    this.analyser.getFloatFrequencyData(this.bins);
    const { width, height } = this.canvas;
    this.context.drawImage(this.canvas, -columns, 0);
    const strip = this.context.createImageData(columns, height);
    this.rows.forEach((bin, y) => {
      const k = Math.floor(bin), t = bin - k;
      const level = this.bins[k] * (1 - t) + this.bins[k + 1] * t;
      const [r, g, b] = palette[Math.round(255 * Math.max(0, Math.min((level - quietest) / (loudest - quietest), 1)) || 0)];
      for (let x = 0; x < columns; x++) {
        strip.data.set([r, g, b, 255], 4 * (y * columns + x));
      }
    });
    this.context.putImageData(strip, width - columns, 0);
  }
}
