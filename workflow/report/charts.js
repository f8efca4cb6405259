// Drawings of a board, as wide as the page lets them be; each says in words what it shows.
"use strict";
const charts = (() => {
  const MOST = 40; // methods that are drawn; of more, the best and the control

  // An element: attributes, then children, of which texts stay texts whatever they hold.
  function element(name, attributes = {}, ...children) {
    const svg = ["svg", "g", "path", "line", "circle", "rect", "text", "title"].includes(name);
    const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes))
      if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
    made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
    return made;
  }

  const shorten = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
  const round = (v) => Math.round(v * 10) / 10;

  // Places (in the board) of the methods that are drawn, the best first.
  function drawn(board, control) {
    const order = board.methods.map((_, p) => p).sort((a, b) => board.ranks.mean[a] - board.ranks.mean[b]);
    return order.filter((p, place) => place < MOST || board.methods[p] === control);
  }

  function canvas(place, height, label) {
    const width = Math.max(300, Math.min(place.clientWidth || 700, 860));
    const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label, class: "chart" });
    return { svg, width, add: (name, attributes, ...children) => svg.appendChild(element(name, attributes, ...children)) };
  }

  function said(place, text) {
    place.replaceChildren(element("p", { class: "caption" }, text));
  }

  // Runs of neighbours in rank that are no farther apart than the critical difference.
  function cliques(ranks, distance) {
    const runs = [];
    ranks.forEach((rank, start) => {
      let stop = start;
      while (stop + 1 < ranks.length && ranks[stop + 1] - rank < distance) stop++;
      if (stop > start && !(runs.length && runs[runs.length - 1][1] >= stop)) runs.push([start, stop]);
    });
    return runs;
  }

  // Average ranks with their intervals, a line per method; bars on the right join those that do not differ.
  function rankLines(place, board, { names, control, alpha }) {
    if (!board.ranks || !board.friedman) return said(place, "Ranks need at least two methods and two data sets.");
    const shown = drawn(board, control), distance = board.critical_difference, { mean, lower, upper } = board.ranks;
    const runs = cliques(shown.map((p) => mean[p]), distance), step = 22, top = 56, k = board.methods.length;
    const label = `Average ranks of ${k} methods over ${board.datasets.length} data sets, 1 is best: ` +
      shown.slice(0, 12).map((p) => `${names[board.methods[p]]} ${mean[p].toFixed(2)}`).join(", ") +
      `. Two methods differ if their ranks are ${distance.toFixed(2)} apart.`;
    const { svg, width, add } = canvas(place, top + step * shown.length + 12, label);
    const characters = width < 500 ? 14 : 26;
    const left = 8 + 7 * Math.min(characters, Math.max(...shown.map((p) => names[board.methods[p]].length)));
    const lanes = lanesOf(runs), right = width - 16 - 9 * Math.max(0, ...lanes.map((lane) => lane + 1));
    const end = Math.max(...shown.map((p) => upper[p]), Math.min(k, 1 + distance)), x = (rank) => left + 8 + ((rank - 1) / (end - 1 || 1)) * (right - left - 8);
    const every = Math.max(1, Math.ceil((end - 1) / Math.max(2, Math.floor((right - left) / 60))));
    for (let rank = 1; rank <= end; rank += every) {
      add("line", { x1: round(x(rank)), x2: round(x(rank)), y1: top - 6, y2: top + step * shown.length, class: "grid" });
      add("text", { x: round(x(rank)), y: top - 11, "text-anchor": "middle" }, String(rank));
    }
    if (1 + distance <= end) {
      add("path", { d: `M${round(x(1))} 18v8m0-4H${round(x(1 + distance))}m0-4v8`, class: "strong" });
      add("text", { x: round(x(1)), y: 12 }, `critical difference ${distance.toFixed(2)}`);
    }
    shown.forEach((p, row) => {
      const y = top + step * (row + 0.5), method = board.methods[p];
      add("text", { x: left, y: y + 4, "text-anchor": "end", class: method === control ? "control" : null }, shorten(names[method], characters), element("title", {}, names[method]));
      add("line", { x1: round(x(lower[p])), x2: round(x(upper[p])), y1: y, y2: y, class: "interval" });
      add("circle", { cx: round(x(mean[p])), cy: y, r: 4.5, class: "dot" }, element("title", {}, `${names[method]}: ${mean[p].toFixed(2)} (${lower[p].toFixed(2)} to ${upper[p].toFixed(2)})`));
    });
    runs.forEach(([from, to], i) => {
      const at = right + 14 + 9 * lanes[i];
      add("line", { x1: at, x2: at, y1: top + step * from + 5, y2: top + step * (to + 1) - 5, class: "clique" });
    });
    const cut = k > shown.length ? ` The best ${MOST} of ${k} are drawn.` : "";
    place.replaceChildren(svg, element("p", { class: "caption" }, `Average ranks, 1 is best; lines are ${percent(1 - alpha)} intervals over resampled data sets. Bars on the right join methods that Nemenyi's test does not tell apart at ${alpha}.${cut}`));
  }

  // Put runs that overlap beside each other: the lane of each.
  function lanesOf(runs) {
    const ends = [];
    return runs.map(([from, to]) => {
      let lane = ends.findIndex((end) => end < from);
      if (lane < 0) lane = ends.length;
      ends[lane] = to;
      return lane;
    });
  }

  const percent = (share) => `${Math.round(100 * share)} %`;

  // Quality against time; the line joins the methods that none beats in both.
  function pareto(place, board, { names, control, kind, word }) {
    const times = board[kind], points = !times || !board.ranks ? [] : board.methods
      .map((method, p) => ({ method, x: times[p], y: board.ranks.mean[p] })).filter((d) => d.x > 0);
    if (points.length < 2) return said(place, "Quality against time needs two methods whose times are known, the control among them.");
    const front = [];
    [...points].sort((a, b) => a.x - b.x || a.y - b.y).forEach((d) => {
      if (!front.length || d.y < front[front.length - 1].y) front.push(d);
    });
    const label = `Average rank against ${word} of ${points.length} methods. No method is better and faster than: ` +
      front.map((d) => `${names[d.method]} (rank ${d.y.toFixed(2)}, ${short(d.x)} times the control)`).join(", ") + ".";
    const height = 360, { svg, width, add } = canvas(place, height, label), box = { left: 46, right: width - 14, top: 12, bottom: height - 44 };
    const xs = points.map((d) => Math.log10(d.x)), ys = points.map((d) => d.y);
    const [x0, x1] = spread(Math.min(...xs), Math.max(...xs), 0.08), [y0, y1] = spread(Math.min(...ys), Math.max(...ys), 0.08);
    const x = (v) => box.left + ((Math.log10(v) - x0) / (x1 - x0)) * (box.right - box.left);
    const y = (v) => box.top + ((v - y0) / (y1 - y0)) * (box.bottom - box.top);
    ticks(x0, x1).forEach((v) => {
      add("line", { x1: round(x(v)), x2: round(x(v)), y1: box.top, y2: box.bottom, class: "grid" });
      add("text", { x: round(x(v)), y: box.bottom + 16, "text-anchor": "middle" }, short(v));
    });
    const every = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50].find((s) => (y1 - y0) / s <= 7) || 100;
    for (let v = Math.ceil(y0 / every) * every; v <= y1; v += every) {
      add("line", { x1: box.left, x2: box.right, y1: round(y(v)), y2: round(y(v)), class: "grid" });
      add("text", { x: box.left - 6, y: round(y(v)) + 4, "text-anchor": "end" }, String(Math.round(v * 10) / 10));
    }
    add("text", { x: (box.left + box.right) / 2, y: height - 8, "text-anchor": "middle" }, `${word}, times ${names[control] ?? "the control"}`);
    add("text", { x: 12, y: (box.top + box.bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${(box.top + box.bottom) / 2})` }, "average rank");
    add("path", { d: "M" + front.map((d) => `${round(x(d.x))} ${round(y(d.y))}`).join("L"), class: "front" });
    const taken = points.map((d) => [x(d.x) - 6, y(d.y) - 6, x(d.x) + 6, y(d.y) + 6]);
    [...points].sort((a, b) => front.includes(b) - front.includes(a)).forEach((d) => {
      const cx = round(x(d.x)), cy = round(y(d.y)), tip = element("title", {}, `${names[d.method]}: rank ${d.y.toFixed(2)}, ${short(d.x)} times`);
      const look = front.includes(d) ? "dot" : "dot dim";
      if (d.method === control) add("rect", { x: cx - 5, y: cy - 5, width: 10, height: 10, class: look }, tip);
      else add("circle", { cx, cy, r: 5, class: look }, tip);
      const text = shorten(names[d.method], 24), wide = 7.3 * text.length;
      const free = [[8, 4], [-8 - wide, 4], [-wide / 2, -10], [-wide / 2, 19]].find(([dx, dy]) => {
        const b = [cx + dx, cy + dy - 11, cx + dx + wide, cy + dy + 3];
        return b[0] > box.left && b[2] < width && b[1] > 0 && b[3] < box.bottom && taken.every((t) => b[2] < t[0] || b[0] > t[2] || b[3] < t[1] || b[1] > t[3]);
      });
      if (!free) return;
      taken.push([cx + free[0], cy + free[1] - 11, cx + free[0] + wide, cy + free[1] + 3]);
      add("text", { x: round(cx + free[0]), y: round(cy + free[1]), class: d.method === control ? "control" : null }, text);
    });
    place.replaceChildren(svg, element("p", { class: "caption" }, "Up and to the left is better. The line joins the methods that none beats in both; the square is the control. Names without room are left out: they stand in the table."));
  }

  const spread = (from, to, share) => (to > from ? [from - share * (to - from), to + share * (to - from)] : [from - 0.5, to + 0.5]);
  const short = (v) => String(Number(v.toPrecision(v >= 100 ? 3 : 2)));

  function ticks(from, to) {
    const found = [];
    for (let e = Math.floor(from); e <= Math.ceil(to); e++)
      for (const m of to - from > 2.5 ? [1] : to - from > 0.8 ? [1, 2, 5] : [1, 1.5, 2, 3, 5, 7]) {
        const v = m * 10 ** e;
        if (Math.log10(v) >= from && Math.log10(v) <= to) found.push(v);
      }
    return found;
  }

  // The share of data sets on which the row's method is better than the column's: a table, darker the clearer it is.
  function winTable(place, board, { names, control }) {
    if (!board.wins || !board.ranks) return said(place, "Wins need at least two methods and a data set that both have.");
    const shown = drawn(board, control), share = (a, b) => board.wins[a][b];
    const head = element("tr", {}, element("th", { scope: "col" }, "better"), shown.map((p) => element("th", { scope: "col", class: "upright" }, element("span", {}, names[board.methods[p]]))));
    const rows = shown.map((a) => element("tr", {}, element("th", { scope: "row" }, names[board.methods[a]]), shown.map((b) => {
      const value = share(a, b);
      if (a === b || value === null) return element("td", { class: "none" }, a === b ? "" : "–");
      const side = value > 0.5 ? "won" : value < 0.5 ? "lost" : "even";
      return element("td", { class: side, style: `--share:${Math.round(Math.abs(value - 0.5) * 110)}%` }, String(Math.round(100 * value)));
    })));
    const caption = element("caption", {}, element("span", {}, "Percent of data sets on which the row's method is better than the column's; ties count half."));
    place.replaceChildren(element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "win rates" }, element("table", { class: "wins" }, caption, element("thead", {}, head), element("tbody", {}, rows))));
    if (board.methods.length > shown.length) place.append(element("p", { class: "caption" }, `The best ${MOST} of ${board.methods.length} methods.`));
  }

  return { element, rankLines, pareto, winTable };
})();
