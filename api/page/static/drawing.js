// Draws the map on a canvas. Memories of the same strength are one path, so that thousands cost a few fills a frame.

import { decay } from "./layout.js";

const LEVELS = 24;
const TURN = 2 * Math.PI;
const GLIDE_MS = 350;

/** A drawing of a laid-out map. */
export class Drawing {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.map = { discs: [], seeds: [] };
    this.ahead = 0;
    this.shownAhead = 0;
    this.frame = 0;
    this.levels = Array.from({ length: 2 * LEVELS }, () => []);
    this.fading = [[], []];
    this.pinned = [];
    this.size = [0, 0];
  }

  /** Take the sizes and colours of the element, and show a map. */
  show(map) {
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const { width, height } = this.canvas.getBoundingClientRect();
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.size = [width, height];
    const style = getComputedStyle(this.canvas);
    this.colours = ["--one", "--two"].map((name) => style.getPropertyValue(name).trim());
    this.ground = ["--one-ground", "--two-ground"].map((name) => style.getPropertyValue(name).trim());
    this.ink = style.getPropertyValue("--ink").trim();
    this.still =
      document.documentElement.dataset.motion === "still" || matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.map = map;
    this.draw();
  }

  /** Glide to the state after a number of patrols; at once where motion is turned off. */
  look(ahead) {
    this.ahead = ahead;
    cancelAnimationFrame(this.frame);
    if (this.still || ahead === this.shownAhead) {
      this.shownAhead = ahead;
      this.frame = requestAnimationFrame(() => this.draw());
      return;
    }
    const from = this.shownAhead;
    const begun = performance.now();
    const step = (now) => {
      const part = Math.min(1, Math.max(0, (now - begun) / GLIDE_MS));
      this.shownAhead = from + (ahead - from) * (1 - (1 - part) ** 3);
      this.draw();
      if (part < 1) this.frame = requestAnimationFrame(step);
    };
    this.frame = requestAnimationFrame(step);
  }

  /** Mark one memory, or none. */
  mark(seed) {
    if (this.marked === seed) return;
    this.marked = seed;
    this.draw();
  }

  draw() {
    if (!this.map.discs.length) return;
    const { pen } = this;
    pen.clearRect(0, 0, ...this.size);
    for (const disc of this.map.discs) {
      pen.fillStyle = this.ground[disc.root % 2];
      pen.beginPath();
      pen.arc(disc.x, disc.y, disc.r, 0, TURN);
      pen.fill();
    }
    const { levels, fading, pinned, shownAhead } = this;
    for (const seeds of levels) seeds.length = 0;
    fading[0].length = fading[1].length = pinned.length = 0;
    const weight = LEVELS * decay(shownAhead);
    for (const seed of this.map.seeds) {
      const colour = seed.disc.root % 2;
      if (seed.fades <= shownAhead) {
        fading[colour].push(seed);
        continue;
      }
      const pinnedHere = seed.fades === Infinity;
      const level = Math.min(LEVELS - 1, Math.floor(seed.strength * (pinnedHere ? LEVELS : weight)));
      levels[colour * LEVELS + level].push(seed);
      if (pinnedHere) pinned.push(seed);
    }
    levels.forEach((seeds, at) => {
      if (!seeds.length) return;
      pen.globalAlpha = 0.28 + 0.72 * (((at % LEVELS) + 1) / LEVELS) ** 0.7;
      pen.fillStyle = this.colours[Math.floor(at / LEVELS)];
      this.dots(seeds, 0);
      pen.fill();
    });
    pen.lineWidth = 1;
    fading.forEach((seeds, colour) => {
      pen.globalAlpha = 0.45;
      pen.strokeStyle = this.colours[colour];
      this.dots(seeds, -0.5);
      pen.stroke();
    });
    pen.globalAlpha = 0.9;
    pen.strokeStyle = this.ink;
    pen.lineWidth = 1.5;
    this.dots(pinned, 2.5);
    pen.stroke();
    if (this.marked) {
      pen.globalAlpha = 1;
      pen.lineWidth = 2;
      this.dots([this.marked], 4);
      pen.stroke();
    }
    pen.globalAlpha = 1;
  }

  dots(seeds, wider) {
    const { pen } = this;
    pen.beginPath();
    for (const { x, y, r } of seeds) {
      const radius = Math.max(1.2, r + wider);
      pen.moveTo(x + radius, y);
      pen.arc(x, y, radius, 0, TURN);
    }
  }

  /** The memory at a place, or none. */
  at(x, y) {
    let found = null;
    let nearest = 14;
    for (const seed of this.map.seeds) {
      const distance = Math.hypot(seed.x - x, seed.y - y);
      if (distance < nearest) [found, nearest] = [seed, distance];
    }
    return found;
  }
}
