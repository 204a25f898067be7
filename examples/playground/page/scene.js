/** Paints hills in the evening, for those who have no picture at hand. */
export function paint(canvas) {
  const width = (canvas.width = 384), height = (canvas.height = 240);
  const c = canvas.getContext("2d", { willReadFrequently: true });
  const sky = c.createLinearGradient(0, 0, 0, height);
  sky.addColorStop(0, "#3b6ea8");
  sky.addColorStop(0.45, "#f3b27a");
  sky.addColorStop(0.7, "#f7dfae");
  c.fillStyle = sky;
  c.fillRect(0, 0, width, height);
  const glow = c.createRadialGradient(270, 110, 4, 270, 110, 90);
  glow.addColorStop(0, "#fffbe8");
  glow.addColorStop(0.2, "#ffe9a8");
  glow.addColorStop(1, "rgba(255, 220, 150, 0)");
  c.fillStyle = glow;
  c.fillRect(0, 0, width, height);
  c.fillStyle = "rgba(255, 255, 255, 0.75)";
  for (const [x, y, size] of [[60, 40, 16], [80, 34, 20], [104, 42, 15], [180, 62, 11], [196, 58, 14], [330, 36, 13], [346, 40, 10]]) {
    c.beginPath();
    c.arc(x, y, size, 0, 7);
    c.fill();
  }
  const hills = [["#7c8fa6", 150, 22, 0.021], ["#5b7a63", 172, 18, 0.03], ["#3f6247", 200, 14, 0.017]];
  for (const [colour, base, rise, step] of hills) {
    c.fillStyle = colour;
    c.beginPath();
    c.moveTo(0, height);
    for (let x = 0; x <= width; x += 3) {
      c.lineTo(x, base - rise * Math.sin(x * step + base) - (rise / 3) * Math.sin(x * step * 2.7));
    }
    c.lineTo(width, height);
    c.fill();
  }
  // A house with a light in it, and trees.
  c.fillStyle = "#e9dcc6";
  c.fillRect(96, 164, 52, 40);
  c.fillStyle = "#a0452e";
  c.beginPath();
  c.moveTo(88, 166);
  c.lineTo(122, 138);
  c.lineTo(156, 166);
  c.fill();
  c.fillStyle = "#ffd75e";
  c.fillRect(104, 174, 14, 14);
  c.fillStyle = "#5b3a29";
  c.fillRect(127, 178, 13, 26);
  for (const [x, y, size] of [[40, 212, 30], [190, 205, 24], [214, 212, 32], [320, 208, 36], [352, 214, 26]]) {
    for (let k = 0; k < 3; k++) {
      c.fillStyle = ["#20402c", "#27503a", "#2f5f45"][k];
      c.beginPath();
      c.moveTo(x - size * (0.5 - 0.1 * k), y - k * size * 0.42);
      c.lineTo(x, y - size * (0.8 + 0.45 * k));
      c.lineTo(x + size * (0.5 - 0.1 * k), y - k * size * 0.42);
      c.fill();
    }
  }
}
