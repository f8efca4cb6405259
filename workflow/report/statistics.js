// The numbers of the report page: for the same scores, the same as rotastack.stats and rotastack.judge.leaderboard compute in Python.
// A table is an array of rows: a row per data set, a number per method, NaN for a missing score.
"use strict";

const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

// The logarithm of the gamma function, by Lanczos' approximation.
function logGamma(x) {
  const sum = LANCZOS.reduce((found, c, i) => found + (i ? c / (x - 1 + i) : c), 0), t = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

// The continued fraction a1/(b1 + a2/(b2 + ...)), by Lentz's method; terms(i) returns [a_i, b_i].
function continuedFraction(terms) {
  const tiny = 1e-300;
  let f = tiny, c = tiny, d = 0;
  for (let i = 1; i < 10000; i++) {
    const [a, b] = terms(i);
    d = 1 / (b + a * d || tiny);
    c = b + a / c || tiny;
    f *= c * d;
    if (Math.abs(c * d - 1) < 1e-16) break;
  }
  return f;
}

// The regularised incomplete beta function I_x(a, b).
function incompleteBeta(x, a, b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
  return front * continuedFraction((i) => {
    if (i === 1) return [1, 1];
    const m = Math.floor((i - 1) / 2), even = a + 2 * m;
    return [i % 2 ? (m * (b - m) * x) / ((even - 1) * even) : (-(a + m) * (a + b + m) * x) / (even * (even + 1)), 1];
  });
}

// The probability that a standard normal number is larger than z, for z >= 0.
function normalTail(z) {
  const x = z / Math.SQRT2;
  if (x > 2) return (Math.exp(-x * x) / Math.sqrt(Math.PI) / 2) * continuedFraction((i) => [i === 1 ? 1 : (i - 1) / 2, x]);
  let term = x, sum = x;
  for (let i = 1; Math.abs(term) > 1e-18; i++) {
    term *= (-x * x) / i;
    sum += term / (2 * i + 1);
  }
  return 0.5 - sum / Math.sqrt(Math.PI);
}

// The random number in [0, 1) at a place of mulberry32's sequence, a hash of the place.
function uniform(i) {
  const a = Math.imul(0x6d2b79f5, i + 1);
  let t = Math.imul(a ^ (a >>> 15), a | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}

// Row numbers for `count` resamples of n data sets, drawn with replacement.
function resamples(n, count) {
  return Uint32Array.from({ length: n * count }, (_, i) => Math.floor(uniform(i) * n));
}

// A quantile of numbers in rising order, with NumPy's interpolation.
function quantile(sorted, q) {
  const position = q * (sorted.length - 1), low = Math.floor(position), share = position - low;
  const a = sorted[low], b = sorted[Math.min(low + 1, sorted.length - 1)];
  return share < 0.5 ? a + (b - a) * share : b - (b - a) * (1 - share);
}

// The median of the finite numbers; NaN if there is none.
function median(values) {
  const finite = Float64Array.from(values.filter(Number.isFinite)).sort();
  return finite.length ? quantile(finite, 0.5) : NaN;
}

// Ranks of numbers, 1 for the smallest; ties share their mean rank.
function rankNumbers(values) {
  const order = values.map((_, j) => j).sort((a, b) => values[a] - values[b]), found = [...values];
  for (let start = 0, stop; start < order.length; start = stop) {
    for (stop = start + 1; stop < order.length && values[order[stop]] === values[order[start]]; ) stop++;
    for (let i = start; i < stop; i++) found[order[i]] = (start + stop + 1) / 2;
  }
  return found;
}

// The ranks of the methods on each data set, 1 for the best.
function ranks(table, higher) {
  return table.map((row) => rankNumbers(higher ? row.map((v) => -v) : row));
}

// The mean of each column.
function means(rows) {
  const sums = rows[0].map(() => 0);
  for (const row of rows) for (let j = 0; j < sums.length; j++) sums[j] += row[j];
  return sums.map((sum) => sum / rows.length);
}

// Percentile intervals over resamples of n data sets, null for too few of them; `estimate` returns a number per method for the row numbers of a resample.
function bootstrap(n, count, alpha, estimate) {
  const draws = resamples(n, count), samples = Array.from({ length: count }, (_, b) => estimate(draws.subarray(b * n, (b + 1) * n)));
  if (2 ** (1 - n) > alpha) return { lower: samples[0].map(() => null), upper: samples[0].map(() => null) };
  const sorted = samples[0].map((_, j) => new Float64Array(samples.map((sample) => sample[j])).sort());
  return { lower: sorted.map((v) => quantile(v, alpha / 2)), upper: sorted.map((v) => quantile(v, 1 - alpha / 2)) };
}

// The mean of each column with its interval.
function bootstrapMeans(table, count, alpha) {
  return { mean: means(table), ...bootstrap(table.length, count, alpha, (draws) => means(Array.from(draws, (r) => table[r]))) };
}

// The distinct orders of ranks.
function orders(row) {
  if (!row.length) return [[]];
  return [...new Set(row)].flatMap((rank) => orders(row.toSpliced(row.indexOf(rank), 1)).map((rest) => [rank, ...rest]));
}

// The p-value of a sum of squared rank sums: exact if at most 300,000 sums are formed, else of 9,999 random orders for up to
// 10 rows and 20 ranks, else null. The rows hold twice the ranks, each in rising order, and are sorted.
function friedmanTail(rows, observed) {
  const n = rows.length, k = rows[0].length, squares = (sums) => sums.reduce((sum, s) => sum + s * s, 0);
  let states = new Map([[rows[0].join(), [rows[0], 1]]]), work = k > 8 ? 300001 : 0;
  for (const row of work ? [] : rows.slice(1).reverse()) {
    const next = new Map(), possible = orders(row);
    work += states.size * possible.length;
    if (work > 300000) break;
    for (const [sums, share] of states.values())
      for (const order of possible) {
        const added = Uint16Array.from(order);
        for (let j = 0; j < k; j++) added[j] += sums[j];
        const key = String.fromCharCode(...added.sort()), found = next.get(key), part = share / possible.length;
        if (found) found[1] += part;
        else next.set(key, [added, part]);
      }
    states = next;
  }
  if (work <= 300000) return [...states.values()].reduce((p, [sums, share]) => (squares(sums) >= observed ? p + share : p), 0);
  if (n > 10 || k > 20) return null;
  const draws = 9999;
  let reached = 1;
  for (let b = 0; b < draws; b++) {
    const sums = new Int32Array(k);
    rows.forEach((row, i) => {
      const numbers = Float64Array.from(row, (_, j) => uniform((b * n + i) * k + j) * 2 ** 37 + j); // 32-bit numbers, and places
      numbers.sort().forEach((number, j) => (sums[j] += row[number % 32]));
    });
    if (squares(sums) >= observed) reached++;
  }
  return reached / (draws + 1);
}

// Friedman's test, with correction for ties, and the F of Iman and Davenport.
function friedman(table, higher) {
  const n = table.length, k = table[0].length, middle = (k + 1) / 2, df = [k - 1, (k - 1) * (n - 1)], ranked = ranks(table, higher);
  const squares = (row) => row.reduce((sum, rank) => sum + (rank - middle) ** 2, 0);
  const spread = ranked.reduce((sum, row) => sum + squares(row), 0);
  if (spread < 1e-9) return { chi2: 0, F: 0, df, p: 1 };
  const chi2 = ((k - 1) * n * n * squares(means(ranked))) / spread, rest = n * (k - 1) - chi2;
  const F = rest > 1e-9 * n * k ? ((n - 1) * chi2) / rest : Infinity;
  const toldApart = ranked.filter((row) => row.some((rank) => rank !== middle)).map((row) => row.map((rank) => 2 * rank));
  const observed = toldApart[0].reduce((sum, _, j) => sum + toldApart.reduce((s, row) => s + row[j], 0) ** 2, 0);
  const first = (a, b) => a[a.findIndex((v, j) => v !== b[j])] - b[a.findIndex((v, j) => v !== b[j])] || 0;
  const rows = toldApart.map((row) => row.toSorted((a, b) => a - b)).sort(first), p = friedmanTail(rows, observed);
  if (p !== null) return { chi2, F, df, p: Math.min(p, 1) };
  const least = Math.exp((1 - n) * logGamma(k + 1)); // 1 / k! to the power of n - 1 is the least p-value
  const tail = F === Infinity ? 0 : incompleteBeta(df[1] / (df[1] + df[0] * F), df[1] / 2, df[0] / 2);
  return { chi2, F, df, p: Math.max(tail, least, 2.2250738585072014e-308) };
}

// Nemenyi's critical difference; q is the quantile of the studentised range of k means. Of two methods it is the sign test's.
function criticalDifference(q, k, n, alpha) {
  if (k === 2 && n <= 1000) {
    let losses = 0, p = 0.5 ** n; // p is the probability of so many losses
    for (let tail = p; 2 * tail < alpha; tail += p) p *= (n - losses) / ++losses;
    return 1 + (1.5 - 2 * losses) / n;
  }
  return (q / Math.SQRT2) * Math.sqrt((k * (k + 1)) / (6 * n));
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

// The two-sided p-value of Wilcoxon's signed-rank test: exact or by the normal distribution, as SciPy chooses.
function wilcoxon(differences) {
  const kept = differences.filter((d) => d !== 0), n = kept.length;
  if (!n) return 1;
  const ranked = rankNumbers(kept.map(Math.abs)), total = n * (n + 1); // the total is twice the sum of ranks, as below
  const positive = ranked.reduce((sum, rank, i) => sum + (kept[i] > 0 ? 2 * rank : 0), 0);
  const distinct = n === differences.length && new Set(ranked).size === n;
  if (differences.length > (distinct ? 50 : 13)) {
    const deviation = Math.sqrt(ranked.reduce((sum, rank) => sum + rank * rank, 0));
    return 2 * normalTail(Math.abs(positive - total / 2) / deviation);
  }
  const ways = new Float64Array(total + 1); // ways[s]: the number of choices of signs with the sum s
  ways[0] = 1;
  for (const rank of ranked) for (let s = total; s >= 2 * rank; s--) ways[s] += ways[s - 2 * rank];
  const tail = ways.slice(0, Math.min(positive, total - positive) + 1).reduce((sum, w) => sum + w, 0);
  return Math.min(1, tail / 2 ** (n - 1));
}

// Holm's correction of p-values.
function holm(p) {
  const order = p.map((_, i) => i).sort((a, b) => p[a] - p[b]), adjusted = [];
  let largest = 0;
  order.forEach((i, position) => {
    largest = Math.max(largest, p[i] * (p.length - position));
    adjusted[i] = Math.min(largest, 1);
  });
  return adjusted;
}

// Wins, ties, losses and p-values of each method against the control, over the data sets that have scores of both.
function against(table, control, higher) {
  const found = table[0].map((_, j) => {
    const unit = (row) => 10 ** (12 - Math.floor(Math.log10(Math.max(1, ...row.filter(Number.isFinite).map(Math.abs)))));
    const round = (d, unit) => (Math.sign(d) * Math.round(Math.abs(d) * unit)) / unit; // rounding errors are no difference
    const differences = table.map((row) => round(row[j] - row[control], unit(row))).filter((d) => !Number.isNaN(d));
    if (j === control || !differences.length) return null;
    const up = differences.filter((d) => d > 0).length, down = differences.filter((d) => d < 0).length;
    const [wins, losses] = higher ? [up, down] : [down, up];
    return { wins, ties: differences.length - up - down, losses, p: wilcoxon(differences) };
  });
  const tested = found.filter(Boolean);
  holm(tested.map((test) => test.p)).forEach((p, i) => (tested[i].holm = p));
  return found;
}

// For each data set the half-wins between methods, row by row: 2 where the row's method beats the column's, 1 for a tie, else 0.
function games(table, higher) {
  const k = table[0].length;
  return table.map((row) => {
    const found = new Uint8Array(k * k);
    for (let a = 0; a < k; a++)
      for (let b = 0; b < k; b++) found[a * k + b] = row[a] === row[b] ? 1 : (higher ? row[a] > row[b] : row[a] < row[b]) ? 2 : 0;
    return found;
  });
}

// The sum of half-wins over data sets, each as often as it is drawn.
function halfWins(matrices, draws) {
  const weights = new Int32Array(matrices.length), sums = new Int32Array(matrices[0].length);
  for (const r of draws) weights[r]++;
  for (let r = 0; r < weights.length; r++) {
    const weight = weights[r], matrix = matrices[r];
    if (weight) for (let i = 0; i < sums.length; i++) sums[i] += weight * matrix[i];
  }
  return sums;
}

// The share of data sets on which the row's method beats the column's, a tie as one half; NaN for a pair without common data sets.
function winMatrix(table, higher) {
  const k = table[0].length, wins = halfWins(games(table, higher), table.keys());
  return table[0].map((_, a) => table[0].map((_, b) => (a === b ? 0.5 : wins[a * k + b] / (wins[a * k + b] + wins[b * k + a]))));
}

// Cholesky's factor of a symmetric positive definite matrix (an array of rows, whose lower half is replaced).
function factored(matrix) {
  matrix.forEach((row, i) => {
    for (let j = 0; j <= i; j++) {
      const other = matrix[j];
      let sum = row[j];
      for (let m = 0; m < j; m++) sum -= row[m] * other[m];
      row[j] = i === j ? Math.sqrt(sum) : sum / other[j];
    }
  });
  return matrix;
}

// The solution of a linear system, by the factor of its matrix.
function solved(factor, right) {
  const x = Float64Array.from(right);
  factor.forEach((row, i) => {
    for (let j = 0; j < i; j++) x[i] -= row[j] * x[j];
    x[i] /= row[i];
  });
  for (let i = x.length - 1; i >= 0; i--) {
    const row = factor[i];
    x[i] /= row[i];
    for (let j = 0; j < i; j++) x[j] -= row[j] * x[i];
  }
  return x;
}

// Strengths of most likelihood in Bradley and Terry's model, with one drawn game of each method against an opponent of strength 0.
// Newton's method, from a start; the factor of the second derivatives is computed anew only where steps do not shrink by half.
// Steps are damped by their range (Sun and Tran-Dinh 2019, generalized self-concordance), so they converge from any start.
function strengths(wins, { theta: start, factor: known }) {
  const k = start.length, theta = Float64Array.from(start);
  let factor = known;
  for (let step = 0, before = Infinity; step < 1000; step++) {
    const odds = theta.map(Math.exp), gradient = theta.map((t) => -Math.tanh(t / 2) / 2);
    const matrix = factor ? null : Array.from(odds, (odd, a) => new Float64Array(k).fill(odd / (1 + odd) ** 2, a, a + 1));
    for (let a = 0; a < k; a++)
      for (let b = 0; b < a; b++) {
        const won = wins[a * k + b] / 2, lost = wins[b * k + a] / 2, sum = odds[a] + odds[b];
        const gap = (won * odds[b] - lost * odds[a]) / sum;
        gradient[a] += gap;
        gradient[b] -= gap;
        if (factor) continue;
        const weight = ((won + lost) * odds[a] * odds[b]) / (sum * sum);
        matrix[a][a] += weight;
        matrix[b][b] += weight;
        matrix[a][b] -= weight;
      }
    factor ??= factored(matrix);
    const change = solved(factor, gradient), range = Math.max(0, ...change) - Math.min(0, ...change);
    if (range === 0) break;
    const share = Math.log1p(range) / range;
    for (let a = 0; a < k; a++) theta[a] += share * change[a];
    if (range < 1e-10) break;
    if (range > before / 2) factor = null;
    before = range;
  }
  return { theta, factor };
}

// Elo ratings, 1000 for the mean of all methods, with intervals.
function elo(table, higher, count, alpha) {
  const matrices = games(table, higher), none = { theta: table[0].map(() => 0), factor: null };
  const points = ({ theta }) => {
    const mean = theta.reduce((sum, t) => sum + t, 0) / theta.length;
    return Array.from(theta, (t) => 1000 + (400 / Math.LN10) * (t - mean));
  };
  const whole = strengths(halfWins(matrices, table.keys()), none);
  const intervals = bootstrap(table.length, count, alpha, (draws) => points(strengths(halfWins(matrices, draws), whole)));
  return { elo: points(whole), ...intervals };
}

// The percentage of each method's distance to the best possible score that the best method of the data set saves.
function improvability(table, higher, optimum) {
  return table.map((row) => {
    const distances = row.map((v) => Math.max(0, higher ? optimum - v : v - optimum)), least = Math.min(...distances);
    return distances.map((d) => (d === 0 ? 0 : (100 * (d - least)) / d));
  });
}

// The leaderboard of the chosen methods and data sets, as board() of rotastack.judge.leaderboard returns it.
function boardOf(content, view) {
  const { scores, higher, optimum } = content.metrics[view.metric], { alpha, bootstraps } = content;
  const plain = (values) => Array.from(values, (v) => (Number.isFinite(v) ? v : null));
  const methods = view.methods.filter((j) => view.datasets.some((i) => scores[i][j] !== null)), k = methods.length;
  const wide = view.datasets.map((i) => methods.map((j) => scores[i][j] ?? NaN));
  const complete = wide.map((row) => !row.some(Number.isNaN)), block = wide.filter((_, r) => complete[r]);
  const paired = view.pairs ? wide : block, control = methods.indexOf(view.control);
  const found = {
    methods,
    failed: view.methods.filter((j) => !methods.includes(j)),
    datasets: view.datasets.filter((_, r) => complete[r]),
    left_out: view.datasets.filter((_, r) => !complete[r]),
    ranks: null, gap: null, friedman: null, critical_difference: null, against: null, wins: null, elo: null,
  };
  for (const [kind, seconds] of Object.entries(content.times)) {
    const ratio = (i, j) => (seconds[i][view.control] > 0 ? (seconds[i][j] ?? NaN) / seconds[i][view.control] : NaN);
    found[kind] = view.control < 0 ? null : plain(methods.map((j) => median(view.datasets.map((i) => ratio(i, j)))));
  }
  if (k > 1 && block.length) {
    found.ranks = bootstrapMeans(ranks(block, higher), bootstraps.means, alpha);
    if (optimum !== null) found.gap = bootstrapMeans(improvability(block, higher, optimum), bootstraps.means, alpha);
  }
  if (k > 1 && block.length > 1) {
    const tested = friedman(block, higher);
    found.friedman = { ...tested, F: Number.isFinite(tested.F) ? tested.F : null };
    found.critical_difference = criticalDifference(content.quantiles[k], k, block.length, alpha);
  }
  if (k > 1 && paired.length) {
    if (control >= 0) found.against = against(paired, control, higher);
    found.wins = winMatrix(paired, higher).map(plain);
    found.elo = elo(paired, higher, bootstraps.elo, alpha);
  }
  return found;
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
