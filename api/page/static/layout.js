// Where things stand on the map: each topic is a disc, its memories lie in it like seeds in a sunflower, the strongest in the
// middle. Plain geometry, without the document.

const GOLDEN = Math.PI * (3 - Math.sqrt(5));
const GAP = 10;
const LABEL = 34;
const LARGEST = 110;
// The radius of a seed, as a part of the distance between seeds, by its importance.
const SMALLEST_SEED = 0.2;
const LARGEST_SEED = 0.56;
// A drawing of at most this width (a phone's) has columns of at least this width, and rows of this height.
const NARROW = 520;
const NARROWEST = 84;
const TALL = 122;
const TALL_LABEL = 42;

/** Strength of a memory after a number of patrols: importance × e^(−patrols since it was found / 30), as the server computes it. */
export function strength(node, ahead) {
  if (node.status === "dead") return 0;
  return node.pinned ? node.importance : node.importance * decay(node.session_count + ahead);
}

/** The rest of a strength after a number of patrols. */
export const decay = (patrols) => Math.exp(-patrols / 30);

/** Whether a memory fades within a number of patrols. */
export function isFading(node, ahead) {
  if (node.pinned || node.status === "dead") return false;
  return node.status === "dying" || (node.patrols_left !== null && node.patrols_left <= ahead);
}

/** Group nodes by their topic, strongest first; topics without memories are left out. */
export function grouped(clusters, nodes) {
  const groups = new Map(clusters.map((cluster) => [cluster.cluster_id, { cluster, nodes: [] }]));
  for (const node of nodes) groups.get(node.cluster_id)?.nodes.push(node);
  const full = [...groups.values()].filter((group) => group.nodes.length);
  for (const group of full) group.nodes.sort((a, b) => b.effective_importance - a.effective_importance);
  return full;
}

/** The roots of groups, in the order of their colours. */
export const rootsOf = (groups) => [...new Set(groups.map((group) => group.cluster.parent_id))];

/** How high a narrow drawing must be, so that each topic has room for its name; null where the width is enough. */
export function heightFor(groups, width) {
  if (width > NARROW) return null;
  return Math.ceil(groups.length / Math.max(1, Math.floor(width / NARROWEST))) * TALL;
}

/** The room above a disc for its name, which takes more lines where it is narrow. */
const label = (width) => (width > NARROW ? LABEL : TALL_LABEL);

/** Lay groups out in a rectangle. Returns discs {group, x, y, r, root} and seeds {node, x, y, r, disc}. */
export function laidOut(groups, width, height) {
  if (!groups.length) return { discs: [], seeds: [] };
  const roots = rootsOf(groups);
  const root = (group) => roots.indexOf(group.cluster.parent_id);
  const ordered = [...groups].sort((a, b) => root(a) - root(b) || b.nodes.length - a.nodes.length);
  const columns = bestColumns(ordered.length, width, height);
  const rows = Math.ceil(ordered.length / columns);
  const above = label(width);
  const [wide, high] = cell(columns, rows, width, height);
  const largest = Math.min(LARGEST, Math.min(wide - GAP, high - above - GAP) / 2);
  const most = Math.max(...ordered.map((group) => group.nodes.length));
  const discs = ordered.map((group, at) => {
    const row = Math.floor(at / columns);
    const inRow = Math.min(columns, ordered.length - row * columns);
    // A short last row stands in the middle. Every other row stands half a disc aside where there is width to spare.
    const begin = inRow < columns ? (width - inRow * wide) / 2 : width > NARROW ? ((row % 2) * wide) / 2 : 0;
    return {
      group,
      root: root(group),
      x: begin + wide * ((at % columns) + 0.5),
      y: row * high + above + (high - above) / 2,
      r: largest * (0.62 + 0.38 * Math.sqrt(group.nodes.length / most)),
      wide,
    };
  });
  return { discs, seeds: discs.flatMap(seedsOf) };
}

/** The number of columns with which the discs are largest. */
function bestColumns(amount, width, height) {
  let best = 1;
  let size = 0;
  for (let columns = 1; columns <= amount; columns += 1) {
    const [wide, high] = cell(columns, Math.ceil(amount / columns), width, height);
    const fits = Math.min(wide, high - label(width));
    if (fits > size) [best, size] = [columns, fits];
  }
  return best;
}

function cell(columns, rows, width, height) {
  return [width / (rows > 1 && width > NARROW ? columns + 0.5 : columns), height / rows];
}

function seedsOf(disc) {
  const { nodes } = disc.group;
  // The outermost seed stands this far out, in pitches, and is at most as large: it stays within the disc.
  const outermost = Math.sqrt(nodes.length - 0.5) + LARGEST_SEED;
  const pitch = (disc.r - 5) / Math.max(1.6, outermost);
  return nodes.map((node, at) => {
    const distance = nodes.length === 1 ? 0 : pitch * Math.sqrt(at + 0.5);
    return {
      node,
      disc,
      // Its strength is this times e^(−patrols ahead / 30), and it fades within that number of patrols.
      strength: strength(node, 0),
      fades: isFading(node, 0) ? -1 : node.pinned || node.patrols_left === null ? Infinity : node.patrols_left,
      x: disc.x + distance * Math.cos(at * GOLDEN),
      y: disc.y + distance * Math.sin(at * GOLDEN),
      r: Math.min(11, pitch * (SMALLEST_SEED + (LARGEST_SEED - SMALLEST_SEED) * node.importance)),
    };
  });
}
