// Statistics of a table of scores: the same numbers as Python's rotastack.stats, computed where the page is read.
// A table is {n, k, values}: n data sets by k methods, row by row, NaN where a score is missing.
"use strict";
const statistics = (() => {
  const LANCZOS = [
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
    12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
  ];

  function logGamma(x) {
    let sum = LANCZOS[0];
    for (let i = 1; i < 9; i++) sum += LANCZOS[i] / (x - 1 + i);
    const t = x + 6.5;
    return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
  }

  // The value of b0 + a1/(b1 + a2/(b2 + ...)) by Lentz's method; terms(i) gives [a_i, b_i], b0 is 0.
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
      return i % 2
        ? [(m * (b - m) * x) / ((even - 1) * even), 1]
        : [(-(a + m) * (a + b + m) * x) / (even * (even + 1)), 1];
    });
  }

  // The probability that a standard normal number is above z, for z >= 0.
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

  // Data sets drawn with replacement: count times n numbers of rows. A hash of the place (mulberry32), not a stream.
  function resamples(n, count, seed = 0) {
    const draws = new Uint32Array(n * count);
    for (let i = 0; i < draws.length; i++) {
      const a = (seed + Math.imul(0x6d2b79f5, i + 1)) | 0;
      let t = Math.imul(a ^ (a >>> 15), a | 1);
      t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
      draws[i] = Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * n);
    }
    return draws;
  }

  // A quantile as NumPy interpolates it.
  function quantile(values, q) {
    const sorted = Float64Array.from(values).sort();
    const place = q * (sorted.length - 1), low = Math.floor(place), share = place - low;
    const a = sorted[low], b = sorted[Math.min(low + 1, sorted.length - 1)];
    return share < 0.5 ? a + (b - a) * share : b - (b - a) * (1 - share);
  }

  function selected(table, rows, columns) {
    const values = new Float64Array(rows.length * columns.length);
    rows.forEach((i, a) => columns.forEach((j, b) => (values[a * columns.length + b] = table.values[i * table.k + j])));
    return { n: rows.length, k: columns.length, values };
  }

  // Numbers of the rows that lack no score.
  function completeRows(table) {
    const rows = [];
    for (let i = 0; i < table.n; i++) {
      let whole = true;
      for (let j = 0; j < table.k && whole; j++) whole = !Number.isNaN(table.values[i * table.k + j]);
      if (whole) rows.push(i);
    }
    return rows;
  }

  // Ranks of numbers, 1 for the smallest; equal ones share their mean rank.
  function rankNumbers(values) {
    const k = values.length, order = Array.from(values, (_, j) => j).sort((a, b) => values[a] - values[b]);
    const found = new Float64Array(k);
    for (let start = 0, stop; start < k; start = stop) {
      stop = start + 1;
      while (stop < k && values[order[stop]] === values[order[start]]) stop++;
      for (let i = start; i < stop; i++) found[order[i]] = (start + stop + 1) / 2;
    }
    return found;
  }

  function ranks(table, higher) {
    const { n, k, values } = table, found = new Float64Array(n * k);
    for (let i = 0; i < n; i++) {
      const row = values.slice(i * k, (i + 1) * k);
      found.set(rankNumbers(higher ? row.map((v) => -v) : row), i * k);
    }
    return { n, k, values: found };
  }

  // Means of columns over the rows given.
  function means(table, rows, from = 0, to = rows.length) {
    const { k, values } = table, sums = new Float64Array(k);
    for (let r = from; r < to; r++) {
      const start = rows[r] * k;
      for (let j = 0; j < k; j++) sums[j] += values[start + j];
    }
    return sums.map((s) => s / (to - from));
  }

  // Percentiles of what is computed from each resample of rows; estimate(draws, from, to) gives a number per method.
  function bootstrap(n, k, count, alpha, seed, estimate) {
    const draws = resamples(n, count, seed);
    const found = Array.from({ length: k }, () => new Float64Array(count));
    for (let b = 0; b < count; b++) estimate(draws, b * n, (b + 1) * n).forEach((v, j) => (found[j][b] = v));
    return { lower: found.map((v) => quantile(v, alpha / 2)), upper: found.map((v) => quantile(v, 1 - alpha / 2)) };
  }

  // Means of columns with percentile intervals over resampled rows.
  function bootstrapMeans(table, count = 1000, alpha = 0.05, seed = 0) {
    const all = Array.from({ length: table.n }, (_, i) => i);
    return {
      mean: Array.from(means(table, all)),
      ...bootstrap(table.n, table.k, count, alpha, seed, (draws, from, to) => means(table, draws, from, to)),
    };
  }

  function friedman(table, higher) {
    const { n, k } = table, ranked = ranks(table, higher), middle = (k + 1) / 2;
    const spread = ranked.values.reduce((sum, r) => sum + r * r, 0) - (n * k * (k + 1) ** 2) / 4;
    const df = [k - 1, (k - 1) * (n - 1)];
    if (spread < 1e-9) return { chi2: 0, F: 0, df, p: 1 };
    const sums = new Float64Array(k);
    ranked.values.forEach((r, i) => (sums[i % k] += r));
    const chi2 = ((k - 1) * sums.reduce((sum, s) => sum + (s - n * middle) ** 2, 0)) / spread;
    const rest = n * (k - 1) - chi2;
    if (rest < 1e-9 * n * k) return { chi2, F: Infinity, df, p: 0 };
    const F = ((n - 1) * chi2) / rest;
    return { chi2, F, df, p: incompleteBeta(df[1] / (df[1] + df[0] * F), df[1] / 2, df[0] / 2) };
  }

  // Nemenyi's critical difference; q is the quantile of the studentised range of k means.
  function criticalDifference(q, k, n) {
    return (q / Math.SQRT2) * Math.sqrt((k * (k + 1)) / (6 * n));
  }

  // The two-sided p-value of Wilcoxon's signed-rank test; SciPy's rules of which distribution is taken.
  function wilcoxon(differences) {
    const kept = differences.filter((d) => d !== 0), n = kept.length;
    if (!n) return 1;
    const ranked = rankNumbers(kept.map(Math.abs));
    const plus = kept.reduce((sum, d, i) => sum + (d > 0 ? ranked[i] : 0), 0);
    const counts = new Map();
    ranked.forEach((r) => counts.set(r, (counts.get(r) || 0) + 1));
    const exact = n === differences.length && counts.size === n ? 50 : 13; // zeros and ties: all signs are tried, if few
    if (differences.length > exact) {
      let ties = 0;
      counts.forEach((t) => (ties += t ** 3 - t));
      const se = Math.sqrt((n * (n + 1) * (2 * n + 1) - ties / 2) / 24), z = (plus - (n * (n + 1)) / 4) / se;
      return 2 * normalTail(Math.abs(z));
    }
    const top = n * (n + 1); // of twice the sum of ranks, which is whole
    let ways = new Float64Array(top + 1);
    ways[0] = 1;
    for (const r of ranked) {
      const next = ways.slice();
      for (let s = 2 * r; s <= top; s++) next[s] += ways[s - 2 * r];
      ways = next;
    }
    let below = 0, above = 0;
    ways.forEach((w, s) => {
      if (s <= 2 * plus) below += w;
      if (s >= 2 * plus) above += w;
    });
    return Math.min(1, (2 * Math.min(below, above)) / 2 ** n);
  }

  function holm(p) {
    const order = p.map((_, i) => i).sort((a, b) => p[a] - p[b]), adjusted = new Array(p.length);
    let most = 0;
    order.forEach((i, place) => {
      most = Math.max(most, p[i] * (p.length - place));
      adjusted[i] = Math.min(most, 1);
    });
    return adjusted;
  }

  // Wins, ties and losses of each method against one, over the data sets that both have, with p by Wilcoxon and Holm.
  function against(table, control, higher) {
    const { n, k, values } = table, found = new Array(k).fill(null), tested = [];
    for (let j = 0; j < k; j++) {
      if (j === control) continue;
      const differences = [];
      for (let i = 0; i < n; i++) differences.push(values[i * k + j] - values[i * k + control]);
      const known = differences.filter((d) => !Number.isNaN(d));
      const tidy = known.map((d) => (Math.sign(d) * Math.round(Math.abs(d) * 1e12)) / 1e12); // ties but for rounding are ties
      if (!known.length) continue;
      const up = known.filter((d) => d > 0).length, down = known.filter((d) => d < 0).length;
      found[j] = { wins: higher ? up : down, ties: known.length - up - down, losses: higher ? down : up, p: wilcoxon(tidy) };
      tested.push(j);
    }
    holm(tested.map((j) => found[j].p)).forEach((p, i) => (found[tested[i]].holm = p));
    return found;
  }

  // Twice the points of pairs on each data set: 2 for a win of the first, 1 for a tie, -1 where a score is missing.
  function duels(table, higher) {
    const { n, k, values } = table, size = (k * (k - 1)) / 2, found = new Int8Array(n * size), whole = completeRows(table);
    for (let i = 0, at = 0; i < n; i++)
      for (let a = 0; a < k; a++)
        for (let b = a + 1; b < k; b++, at++) {
          const d = (values[i * k + a] - values[i * k + b]) * (higher ? 1 : -1);
          found[at] = d > 0 ? 2 : d < 0 ? 0 : d === 0 ? 1 : -1;
        }
    return { n, k, size, found, whole: new Set(whole) };
  }

  // Wins (ties one half) and games of each pair, over data sets that count as often as weights say.
  function tally(pairs, weights) {
    const wins = new Float64Array(pairs.size), games = new Float64Array(pairs.size);
    let always = 0; // games of all pairs, on data sets that lack no score
    for (let i = 0; i < pairs.n; i++) {
      const weight = weights[i], start = i * pairs.size;
      if (!weight) continue;
      if (pairs.whole.has(i)) {
        const points = pairs.found.subarray(start, start + pairs.size), half = weight / 2;
        for (let at = 0; at < points.length; at++) wins[at] += points[at] * half;
        always += weight;
        continue;
      }
      for (let at = 0; at < pairs.size; at++) {
        const points = pairs.found[start + at];
        if (points < 0) continue;
        wins[at] += (points * weight) / 2;
        games[at] += weight;
      }
    }
    for (let at = 0; at < pairs.size; at++) games[at] += always;
    return { wins, games };
  }

  // The share of data sets on which the row's method beats the column's, ties one half; NaN without a common data set.
  function winMatrix(table, higher) {
    const pairs = duels(table, higher), { wins, games } = tally(pairs, new Float64Array(table.n).fill(1));
    const matrix = Array.from({ length: table.k }, () => new Float64Array(table.k).fill(0.5));
    for (let a = 0, at = 0; a < table.k; a++)
      for (let b = a + 1; b < table.k; b++, at++) {
        matrix[a][b] = wins[at] / games[at];
        matrix[b][a] = 1 - matrix[a][b];
      }
    return matrix;
  }

  // log(1 / (1 + exp(-x)))
  const logLogistic = (x) => Math.min(x, 0) - Math.log1p(Math.exp(-Math.abs(x)));

  // Cholesky's factors of a symmetric positive definite matrix, which replace its lower half.
  function factored(matrix, k) {
    for (let i = 0; i < k; i++) {
      const row = matrix.subarray(i * k, i * k + k);
      for (let j = 0; j <= i; j++) {
        const other = matrix.subarray(j * k, j * k + k);
        let sum = row[j];
        for (let m = 0; m < j; m++) sum -= row[m] * other[m];
        row[j] = i === j ? Math.sqrt(sum) : sum / other[j];
      }
    }
    return matrix;
  }

  // Solve a system by the factors of its matrix.
  function solve(matrix, right, k) {
    const x = Float64Array.from(right);
    for (let i = 0; i < k; i++) {
      for (let m = 0; m < i; m++) x[i] -= matrix[i * k + m] * x[m];
      x[i] /= matrix[i * k + i];
    }
    for (let i = k - 1; i >= 0; i--) {
      for (let m = i + 1; m < k; m++) x[i] -= matrix[m * k + i] * x[m];
      x[i] /= matrix[i * k + i];
    }
    return x;
  }

  // Bradley-Terry strengths of most likelihood, each method having drawn once with one of strength 0: Newton's method.
  function strengths({ wins, games }, k, start) {
    const value = (theta) => {
      let sum = 0;
      for (let a = 0, at = 0; a < k; a++) {
        sum += (logLogistic(theta[a]) + logLogistic(-theta[a])) / 2;
        for (let b = a + 1; b < k; b++, at++)
          if (games[at]) {
            const d = theta[a] - theta[b];
            sum += wins[at] * logLogistic(d) + (games[at] - wins[at]) * logLogistic(-d);
          }
      }
      return sum;
    };
    let theta = Float64Array.from(start), current = value(theta), before = Infinity, factors;
    for (let step = 0; step < 100; step++) {
      const gradient = new Float64Array(k), curvature = new Float64Array(k * k);
      for (let a = 0, at = 0; a < k; a++) {
        const own = Math.exp(-Math.abs(theta[a]));
        gradient[a] -= Math.tanh(theta[a] / 2) / 2;
        curvature[a * k + a] += own / (1 + own) ** 2;
        for (let b = a + 1; b < k; b++, at++)
          if (games[at]) {
            // Written so that nothing cancels where one of two methods wins nearly always.
            const d = theta[a] - theta[b], small = Math.exp(-Math.abs(d));
            const [ahead, behind] = d >= 0 ? [1 / (1 + small), small / (1 + small)] : [small / (1 + small), 1 / (1 + small)];
            const gap = wins[at] * behind - (games[at] - wins[at]) * ahead, weight = games[at] * ahead * behind;
            gradient[a] += gap;
            gradient[b] -= gap;
            curvature[a * k + a] += weight;
            curvature[b * k + b] += weight;
            curvature[b * k + a] -= weight;
          }
      }
      factors = factored(curvature, k);
      let change = solve(factors, gradient, k), next, reached;
      for (let half = 0; half < 40; half++) {
        next = theta.map((t, j) => t + change[j]);
        reached = value(next);
        if (reached >= current - 1e-12 * Math.abs(current)) break;
        change = change.map((c) => c / 2);
      }
      theta = next;
      current = reached;
      const largest = change.reduce((most, c) => Math.max(most, Math.abs(c)), 0);
      if (largest < 1e-12 || (largest < 1e-9 && largest > before / 2)) break; // the latter: rounding is all that is left
      before = largest;
    }
    return { theta, factors };
  }

  // The same for a resample, from the strengths of the whole table and the factors of its second derivatives there: these change
  // little, and steps by them need no further ones. Where they do not get there, Newton's method does.
  function strengthsNear({ wins, games }, k, whole, factors) {
    const theta = Float64Array.from(whole), odds = new Float64Array(k), gradient = new Float64Array(k);
    for (let step = 0, before = Infinity; step < 60; step++) {
      for (let a = 0; a < k; a++) [odds[a], gradient[a]] = [Math.exp(theta[a]), -Math.tanh(theta[a] / 2) / 2];
      for (let a = 0, at = 0; a < k; a++) {
        const odd = odds[a];
        let own = 0;
        for (let b = a + 1; b < k; b++, at++) {
          const gap = wins[at] - (games[at] * odd) / (odd + odds[b]);
          own += gap;
          gradient[b] -= gap;
        }
        gradient[a] += own;
      }
      const change = solve(factors, gradient, k);
      let largest = 0;
      for (let a = 0; a < k; a++) {
        theta[a] += change[a];
        largest = Math.max(largest, Math.abs(change[a]));
      }
      if (largest < 1e-10) return theta; // a ten-millionth of a point
      if (!(largest < before || step < 3)) break;
      before = largest;
    }
    return strengths({ wins, games }, k, whole).theta;
  }

  // Elo: 1000 is the mean of all, or the anchor. With intervals over resampled data sets.
  function elo(table, higher, { anchor = null, count = 200, alpha = 0.05, seed = 0 } = {}) {
    const { n, k } = table, pairs = duels(table, higher);
    const points = (theta) => {
      const zero = anchor === null ? theta.reduce((sum, t) => sum + t, 0) / k : theta[anchor];
      return Array.from(theta, (t) => 1000 + (400 / Math.LN10) * (t - zero));
    };
    const { theta: whole, factors } = strengths(tally(pairs, new Float64Array(n).fill(1)), k, new Float64Array(k));
    const intervals = bootstrap(n, k, count, alpha, seed, (draws, from, to) => {
      const weights = new Float64Array(n);
      for (let r = from; r < to; r++) weights[draws[r]]++;
      return points(strengthsNear(tally(pairs, weights), k, whole, factors));
    });
    return { elo: points(whole), ...intervals };
  }

  // By how much of its gap to the optimum each method could be improved to the best of its data set, in percent.
  function improvability(table, higher, optimum) {
    const { n, k, values } = table, found = values.map((v) => Math.max(0, higher ? optimum - v : v - optimum));
    for (let i = 0; i < n; i++) {
      let least = Infinity;
      for (let j = 0; j < k; j++) least = Math.min(least, found[i * k + j]);
      for (let j = i * k; j < (i + 1) * k; j++) found[j] = found[j] === 0 ? 0 : (100 * (found[j] - least)) / found[j];
    }
    return { n, k, values: found };
  }

  // The median of the numbers that are known; NaN of none.
  function median(values) {
    const known = values.filter((v) => Number.isFinite(v));
    return known.length ? quantile(known, 0.5) : NaN;
  }

  return {
    resamples, quantile, selected, completeRows, ranks, bootstrapMeans, friedman, criticalDifference, wilcoxon, holm,
    against, winMatrix, elo, improvability, median, incompleteBeta, normalTail,
  };
})();
if (typeof module === "object") module.exports = statistics;
