// The numbers that describe the methods and data sets which a reader chooses; all tests, intervals and Elo ratings are from Python.
// A table is an array of rows: a row per data set, a number per method, NaN for a missing score.
"use strict";

const sum = (values) => values.reduce((total, v) => total + v, 0);

// The median of the finite numbers; NaN if there is none.
function median(values) {
  const sorted = Float64Array.from(values.filter(Number.isFinite)).sort(), n = sorted.length;
  return (sorted[Math.floor((n - 1) / 2)] + sorted[Math.ceil((n - 1) / 2)]) / 2;
}

// For each pair of methods the numbers of data sets on which the first wins, ties and loses, of those with scores of both.
function games(table, higher) {
  const count = (gaps, sign) => gaps.filter((gap) => Math.sign(gap) === sign).length;
  const pair = (gaps) => ({ wins: count(gaps, 1), ties: count(gaps, 0), losses: count(gaps, -1) });
  return table[0].map((_, a) => table[0].map((_, b) => pair(table.map((row) => (higher ? row[a] - row[b] : row[b] - row[a])))));
}

// The mean percentage of each method's distance to the best possible score that the best method of each data set saves.
function improvability(table, higher, optimum) {
  const saved = table.map((row) => {
    const distances = row.map((v) => Math.max(0, higher ? optimum - v : v - optimum)), least = Math.min(...distances);
    return distances.map((d) => (d === 0 ? 0 : (100 * (d - least)) / d));
  });
  return table[0].map((_, j) => sum(saved.map((row) => row[j])) / table.length);
}

// [first, last] of each largest run of sorted ranks whose ends are less than the critical difference apart.
function cliques(sorted, distance) {
  const found = [];
  sorted.forEach((rank, first) => {
    const last = sorted.findLastIndex((other) => other - rank < distance);
    if (last > first && last > (found.at(-1)?.[1] ?? -1)) found.push([first, last]);
  });
  return found;
}

// Whether the view has the methods and data sets for which Python has computed tests.
function isTested({ chosen, start }, { methods, datasets, pairs }) {
  return !pairs && String(methods) === String(chosen) && String(datasets) === String(start);
}

// The leaderboard of the chosen methods and data sets, with tests and intervals if Python has computed them.
function boardOf(content, view) {
  const { scores, higher, optimum } = content.metrics[view.metric];
  const plain = (values) => Array.from(values, (v) => (Number.isFinite(v) ? v : null));
  const methods = view.methods.filter((j) => view.datasets.some((i) => (scores[i][j] ?? null) !== null)), k = methods.length;
  const wide = view.datasets.map((i) => methods.map((j) => scores[i][j] ?? NaN));
  const complete = wide.map((row) => !row.some(Number.isNaN)), block = wide.filter((_, r) => complete[r]), n = block.length;
  const control = methods.indexOf(view.control);
  const found = {
    methods,
    failed: view.methods.filter((j) => !methods.includes(j)),
    datasets: view.datasets.filter((_, r) => complete[r]),
    left_out: view.datasets.filter((_, r) => !complete[r]),
  };
  for (const [kind, seconds] of Object.entries(content.times)) {
    const ratio = (i, j) => (seconds[i][view.control] > 0 ? (seconds[i][j] ?? NaN) / seconds[i][view.control] : NaN);
    found[kind] = view.control < 0 ? null : plain(methods.map((j) => median(view.datasets.map((i) => ratio(i, j)))));
  }
  const whole = k > 1 && n ? games(block, higher) : null, pairs = k > 1 && view.pairs ? games(wide, higher) : whole;
  if (whole) found.ranks = { mean: whole.map((row) => 0.5 + sum(row.map((game) => game.losses + game.ties / 2)) / n) };
  if (whole && optimum !== null) found.gap = { mean: improvability(block, higher, optimum) };
  if (whole && n > 1) found.critical_difference = k === 2 ? content.differences.two[n] : content.differences.more[k] / Math.sqrt(n);
  if (pairs) {
    const shared = ({ wins, ties, losses }) => wins + ties + losses;
    found.wins = pairs.map((row, a) => plain(row.map((game, b) => (a === b ? 0.5 : (game.wins + game.ties / 2) / shared(game)))));
    found.against = control < 0 ? null : pairs.map((row, a) => (a === control || !shared(row[control]) ? null : row[control]));
  }
  if (!isTested(content, view)) return found;
  const { ranks, gap, elo, tests, critical_difference, against } = content.boards[view.metric];
  return { ...found, ranks, gap, elo, tests, critical_difference, against: view.control === content.control ? against : found.against };
}

// Points that no other point has both a smaller x and a smaller y than, from left to right.
function paretoFront(points) {
  const front = [];
  for (const point of [...points].sort((a, b) => a.x - b.x || a.y - b.y)) if (!(front.at(-1)?.y <= point.y)) front.push(point);
  return front;
}

// Decisions for a class if the first `number` thresholds, from the highest, are not below the threshold: counts and rates.
function decisions({ right, wrong, positives, negatives }, number) {
  const [r, w] = number ? [right[number - 1], wrong[number - 1]] : [0, 0];
  return { right: r, wrong: w, recall: r / positives, fall: w / negatives, precision: r / (r + w) };
}

// The decisions at a threshold.
function decisionsAt(curve, threshold) {
  return decisions(curve, curve.threshold.findLastIndex((t) => t >= threshold) + 1);
}

// The points [x, y] of a ROC curve, or of a precision-recall curve.
function curvePoints(curve, isRoc) {
  const all = curve.threshold.map((_, i) => decisions(curve, i + 1));
  const points = isRoc ? [[0, 0], ...all.map((d) => [d.fall, d.recall]), [1, 1]] : all.map((d) => [d.recall, d.precision]);
  return points.filter((point) => point.every(Number.isFinite));
}
