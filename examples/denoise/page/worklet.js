// Removes noise on the audio thread: collects the samples of a frame and gives them to the network, which keeps everything else.
import { load } from "./denoise.js";

class Denoise extends AudioWorkletProcessor {
  constructor({ processorOptions: { parts, keep } }) {
    super();
    this.keep = new Float32Array([keep]);
    this.silent = true; // until the first sound: silence would be taken for the quietest of noises
    this.port.onmessage = ({ data }) => {
      this.keep[0] = data.keep ?? this.keep[0];
      if (data.reset) {
        this.model?.reset();
        this.silent = true;
      }
    };
    // Nothing can be fetched here, so that the page sends what it has fetched.
    load(parts).then(
      (model) => {
        this.model = model;
        this.noisy = new Float32Array(model.inputs[0].shape[0]);
        this.clean = new Float32Array(this.noisy.length);
        this.at = 0;
        this.port.postMessage({ ready: true });
      },
      (e) => this.port.postMessage({ error: String(e) }),
    );
  }

  process([[x]], [[y]]) {
    this.silent &&= !x?.some((v) => v !== 0);
    if (this.silent || !this.model) {
      return true;
    }
    // Without a source there is no x: silence.
    x ? this.noisy.set(x, this.at) : this.noisy.fill(0, this.at, this.at + y.length);
    y.set(this.clean.subarray(this.at, this.at + y.length));
    this.at += y.length;
    if (this.at === this.noisy.length) {
      const start = Date.now(); // in whole milliseconds, the only clock there is; their mean is right
      const { clean, gains } = this.model.run({ noisy: this.noisy, keep: this.keep });
      this.clean = clean;
      this.at = 0;
      this.port.postMessage({ gains, ms: Date.now() - start });
    }
    return true;
  }
}

registerProcessor("denoise", Denoise);
