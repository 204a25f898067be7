// Makes a sound that is something like speech, in noise, for those who have neither a microphone nor a file at hand.

// Vowels by their first three resonances, in Hz.
const vowels = { a: [730, 1090, 2440], e: [530, 1840, 2480], i: [270, 2290, 3010], o: [570, 840, 2410], u: [300, 870, 2240] };

// Words, with pauses between them; s is a hiss.
const words = ["sae", "ou", "ie", "asi", "uoa", "eis"];

/** A filter with one resonance. */
function resonance(rate) {
  let y1 = 0, y2 = 0;
  return (x, frequency, width) => {
    const r = Math.exp((-Math.PI * width) / rate), c = 2 * r * Math.cos((2 * Math.PI * frequency) / rate);
    const y = (1 - c + r * r) * x + c * y1 - r * r * y2;
    [y2, y1] = [y1, y];
    return y;
  };
}

/** Noise from -1 to 1, the same every time. */
function noise(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return state / 2 ** 31;
  };
}

/**
 * @param {number} rate samples in a second
 * @returns {Float32Array} some seconds of sound
 */
export function speak(rate) {
  const sounds = [];
  for (const word of words) {
    sounds.push({ pause: 0.35 }, ...[...word].map((letter) => ({ letter })));
  }
  sounds.unshift({ pause: 0.6 });
  sounds.push({ pause: 0.5 });
  const lengths = sounds.map(({ pause }) => Math.round((pause ?? 0.2) * rate));
  const sound = new Float32Array(lengths.reduce((a, b) => a + b));
  const breath = noise(1), around = noise(2), filters = [0, 1, 2].map(() => resonance(rate)), hiss = resonance(rate), low = resonance(rate);
  let at = 0, phase = 0, loud = 0, hissing = 0, formants = [...vowels.a];
  sounds.forEach(({ letter }, k) => {
    for (let i = 0; i < lengths[k]; i++, at++) {
      const vowel = vowels[letter];
      // Everything moves slowly, as a mouth does.
      const glide = 25 / rate;
      loud += ((vowel ? 1 : 0) - loud) * glide;
      hissing += ((letter === "s" ? 1 : 0) - hissing) * glide;
      if (vowel) {
        formants = formants.map((f, j) => f + (vowel[j] - f) * glide);
      }
      const pitch = 120 + 25 * Math.sin((2 * Math.PI * at) / rate / 1.7) + 3 * Math.sin((2 * Math.PI * at * 5) / rate);
      phase = (phase + pitch / rate) % 1;
      const glottis = phase < 0.6 ? 3 * (phase / 0.6) ** 2 - 2 * (phase / 0.6) ** 3 - 0.3 : -0.3;
      const voiced = filters.reduce((x, filter, j) => x + filter(glottis, formants[j], 70 + 40 * j) * [1, 0.6, 0.35][j], 0);
      const wind = low(around(), 250, 400) * 0.08 + around() * 0.025;
      sound[at] = 0.28 * loud * voiced + 0.5 * hissing * hiss(breath(), 5500, 1800) + wind;
    }
  });
  return sound;
}
