// What the leaderboard says of the methods and data sets that its reader chose; judge/leaderboard.py says the same.
"use strict";
const boards = (() => {
  const plain = (values) => Array.from(values, (v) => (Number.isFinite(v) ? v : null));
  const interval = (found, name) => ({ [name]: plain(found[name]), lower: plain(found.lower), upper: plain(found.upper) });

  // Yield the board twice: without Elo, whose intervals take longest, and whole.
  function* stages(content, view, statistics) {
    const metric = content.metrics[view.metric], alpha = content.alpha;
    const score = (i, j) => metric.scores[i][j] ?? NaN;
    const methods = view.methods.filter((j) => view.datasets.some((i) => !Number.isNaN(score(i, j))));
    const values = Float64Array.from(view.datasets.flatMap((i) => methods.map((j) => score(i, j))));
    const wide = { n: view.datasets.length, k: methods.length, values };
    const whole = statistics.completeRows(wide), kept = new Set(whole);
    const block = statistics.selected(wide, whole, methods.map((_, j) => j));
    const paired = view.pairs ? wide : block, control = methods.indexOf(view.control);
    const board = {
      methods,
      failed: view.methods.filter((j) => !methods.includes(j)),
      datasets: whole.map((r) => view.datasets[r]),
      left_out: view.datasets.filter((_, r) => !kept.has(r)),
      ranks: null, gap: null, friedman: null, critical_difference: null, against: null, wins: null, elo: null,
    };
    for (const [kind, seconds] of Object.entries(content.times)) {
      const ratio = (i, j) => (seconds[i][view.control] > 0 ? (seconds[i][j] ?? NaN) / seconds[i][view.control] : NaN);
      board[kind] = view.control < 0 ? null : plain(methods.map((j) => statistics.median(view.datasets.map((i) => ratio(i, j)))));
    }
    if (methods.length > 1 && block.n) {
      const count = content.bootstraps.means;
      board.ranks = interval(statistics.bootstrapMeans(statistics.ranks(block, metric.higher), count, alpha), "mean");
      if (metric.optimum !== null) {
        const gaps = statistics.improvability(block, metric.higher, metric.optimum);
        board.gap = interval(statistics.bootstrapMeans(gaps, count, alpha), "mean");
      }
    }
    if (methods.length > 1 && block.n > 1) {
      const { chi2, F, df, p } = statistics.friedman(block, metric.higher);
      board.friedman = { chi2, F: Number.isFinite(F) ? F : null, df, p };
      board.critical_difference = statistics.criticalDifference(content.quantiles[methods.length], methods.length, block.n);
    }
    if (methods.length > 1 && paired.n) {
      if (control >= 0) board.against = statistics.against(paired, control, metric.higher);
      board.wins = statistics.winMatrix(paired, metric.higher).map(plain);
      yield { board, done: false };
      board.elo = interval(statistics.elo(paired, metric.higher, { count: content.bootstraps.elo, alpha }), "elo");
    }
    yield { board, done: true };
  }

  // Compute in a thread of its own where the browser has one, else here; tell(board, done) is called for each stage.
  function computer(content, statistics, sources) {
    let worker = null, asked = 0, busy = false;

    function started() {
      const text = `${sources}\nlet content;
        onmessage = ({ data }) => {
          if (data.content) { content = data.content; return; }
          for (const stage of boards.stages(content, data.view, statistics)) postMessage({ ...stage, number: data.number });
        };`;
      const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
      const made = new Worker(address);
      URL.revokeObjectURL(address);
      made.postMessage({ content });
      return made;
    }

    async function here(view, number, tell) {
      for (const { board, done } of stages(content, view, statistics)) {
        if (number !== asked) return;
        tell(board, done);
        await new Promise((resume) => setTimeout(resume));
      }
    }

    return function compute(view, tell) {
      const number = ++asked;
      if (busy && worker) {
        worker.terminate();
        worker = null;
      }
      busy = true;
      const finish = (board, done) => {
        busy = !done;
        tell(board, done);
      };
      try {
        worker = worker || started();
        worker.onmessage = ({ data }) => data.number === asked && finish(data.board, data.done);
        worker.onerror = (event) => {
          event.preventDefault();
          worker = null;
          here(view, number, finish);
        };
        worker.postMessage({ view, number });
      } catch {
        worker = null;
        here(view, number, finish);
      }
    };
  }

  return { stages, computer };
})();
if (typeof module === "object") module.exports = boards;
