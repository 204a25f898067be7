// Paints people, for those who have neither a camera nor a photo at hand.

const skins = ["#f2cdb0", "#e0aa83", "#b97f57", "#8a5a3b", "#f6d9c4", "#6b4630"];
const hairs = ["#2b1d14", "#5a3a20", "#a9762f", "#1a1716", "#8a8580", "#7a2d14"];
const shirts = ["#33658a", "#86bbd8", "#758e4f", "#f6ae2d", "#b5462f", "#6d597a"];

/** A darker or lighter colour. */
const shade = (hex, f) => `rgb(${[1, 3, 5].map((i) => Math.max(0, Math.min(255, Math.round(parseInt(hex.slice(i, i + 2), 16) * f)))).join(",")})`;

/** Paints a head with shoulders, of the height s, with the middle of the face at x, y. */
export function person(c, x, y, s, k) {
  const skin = skins[k % skins.length], hair = hairs[(k * 5 + 1) % hairs.length], shirt = shirts[(k * 5 + (k >> 1)) % shirts.length];
  c.save();
  c.translate(x, y);
  c.scale(s / 100, s / 100);
  c.rotate((((k * 37) % 11) - 5) * 0.02);
  const blob = (px, py, rx, ry, fill, blur = 0) => {
    c.save();
    c.filter = blur ? `blur(${(blur * s) / 100}px)` : "none";
    c.fillStyle = fill;
    c.beginPath();
    c.ellipse(px, py, rx, ry, 0, 0, 7);
    c.fill();
    c.restore();
  };
  // hair behind, neck, shoulders
  const long = k % 2 === 0;
  blob(0, -14, 41, 46, hair);
  if (long) {
    c.fillStyle = hair;
    c.beginPath();
    c.roundRect(-40, -16, 80, 72, 22);
    c.fill();
  }
  c.fillStyle = shirt;
  c.beginPath();
  c.roundRect(-72, 62, 144, 200, 44);
  c.fill();
  c.fillStyle = shade(skin, 0.78);
  c.beginPath();
  c.roundRect(-17, 30, 34, 42, 12);
  c.fill();
  // ears and face, lit from the left
  blob(-34, 4, 6, 11, shade(skin, 0.9));
  blob(34, 4, 6, 11, shade(skin, 0.75));
  const light = c.createRadialGradient(-12, -12, 6, 0, 0, 62);
  light.addColorStop(0, shade(skin, 1.12));
  light.addColorStop(0.55, skin);
  light.addColorStop(1, shade(skin, 0.62));
  c.save();
  c.beginPath();
  c.moveTo(-34, -12);
  c.bezierCurveTo(-36, -60, 36, -60, 34, -12);
  c.bezierCurveTo(34, 24, 18, 50, 0, 50);
  c.bezierCurveTo(-18, 50, -34, 24, -34, -12);
  c.fillStyle = light;
  c.fill();
  c.clip();
  // eye sockets, cheeks, under the nose, under the lip
  blob(-14, -4, 11, 8, shade(skin, 0.72), 4);
  blob(14, -4, 11, 8, shade(skin, 0.66), 4);
  blob(-17, 16, 9, 7, "rgba(220,90,70,0.22)", 4);
  blob(18, 16, 9, 7, "rgba(200,80,60,0.2)", 4);
  blob(0, 19, 9, 3.4, shade(skin, 0.62), 2);
  blob(0, 38, 10, 2.5, shade(skin, 0.7), 2);
  blob(5, 6, 3.6, 14, shade(skin, 0.84), 2.5);
  blob(-1, 8, 2.6, 12, shade(skin, 1.16), 2);
  blob(-4.5, 17.5, 2, 1.4, shade(skin, 0.4), 0.6);
  blob(4.5, 17.5, 2, 1.4, shade(skin, 0.38), 0.6);
  // fringe
  c.fillStyle = hair;
  c.beginPath();
  c.moveTo(-46, -8);
  c.bezierCurveTo(-40, -34, k % 3 ? -10 : 8, -34, k % 3 ? 10 : -6, -38);
  c.bezierCurveTo(26, -34, 34, -24, 46, -6);
  c.lineTo(50, -70);
  c.lineTo(-50, -70);
  c.fill();
  c.restore();
  for (const side of [-1, 1]) {
    const ex = 14 * side;
    c.fillStyle = "#f4f1ec";
    c.beginPath();
    c.moveTo(ex - 8, -3);
    c.quadraticCurveTo(ex, -10, ex + 8, -3);
    c.quadraticCurveTo(ex, 2, ex - 8, -3);
    c.fill();
    blob(ex, -4, 3.6, 3.6, hairs[(k + 3) % 6] === "#8a8580" ? "#5b7f95" : "#4a3020");
    blob(ex, -4, 1.7, 1.7, "#0b0808");
    blob(ex - 1.1, -5.2, 0.9, 0.9, "#fff");
    c.strokeStyle = "#22150f";
    c.lineWidth = 1.8;
    c.beginPath();
    c.moveTo(ex - 8.5, -3);
    c.quadraticCurveTo(ex, -11, ex + 8.5, -3);
    c.stroke();
    c.strokeStyle = shade(hair, 0.8);
    c.lineWidth = 3.2;
    c.lineCap = "round";
    c.beginPath();
    c.moveTo(ex - 9, -13);
    c.quadraticCurveTo(ex, -18, ex + 9, -13.5);
    c.stroke();
  }
  // mouth
  const smile = 3 + (k % 3) * 2;
  c.fillStyle = k % 2 ? "#9c4a41" : "#b34a4a";
  c.beginPath();
  c.moveTo(-13, 28);
  c.quadraticCurveTo(-5, 24.5, 0, 26.5);
  c.quadraticCurveTo(5, 24.5, 13, 28);
  c.quadraticCurveTo(0, 30 + 2 * smile, -13, 28);
  c.fill();
  c.fillStyle = "#f3ece4";
  c.beginPath();
  c.moveTo(-9, 28);
  c.quadraticCurveTo(0, 28.5, 9, 28);
  c.quadraticCurveTo(0, 27 + smile, -9, 28);
  c.fill();
  c.restore();
}

/** Paints people in a room, those in front last. */
export function paint(canvas) {
  canvas.width = 960;
  canvas.height = 600;
  const c = canvas.getContext("2d", { willReadFrequently: true });
  const wall = c.createLinearGradient(0, 0, 960, 600);
  wall.addColorStop(0, "#e7ece8");
  wall.addColorStop(1, "#a9b8b4");
  c.fillStyle = wall;
  c.fillRect(0, 0, 960, 600);
  // A window, and a picture on the wall.
  c.fillStyle = "#fff";
  c.fillRect(60, 30, 200, 130);
  c.fillStyle = "#a8cbe0";
  c.fillRect(68, 38, 88, 114);
  c.fillRect(164, 38, 88, 114);
  c.fillStyle = "#8a6f4a";
  c.fillRect(640, 40, 210, 110);
  c.fillStyle = "#d8b26a";
  c.fillRect(650, 50, 190, 90);
  c.fillStyle = "#b5643c";
  c.fillRect(650, 105, 190, 35);
  const people = [
    [130, 230, 92], [300, 190, 100], [475, 220, 90], [650, 200, 98], [825, 235, 94],
    [60, 420, 112], [230, 390, 120], [410, 410, 126], [590, 395, 120], [770, 415, 116], [910, 410, 108],
  ];
  people.forEach(([x, y, height], k) => person(c, x, y, height, k));
}
