// The report page: choices of its reader, tables and drawings. statistics.js computes the numbers of these choices.
"use strict";

const MOST_DRAWN = 40; // methods in a drawing; of more, the best and the control

const by = (id) => document.getElementById(id);
const shorten = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
const count = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;

// Formats of scores, p-values, multiples and shares; workflow/judge/pages.py has the same for the tables that Python writes.
const scoreText = (v) => (!Number.isFinite(v) ? "no score" : Math.abs(v) >= 10 ? String(Number(v.toPrecision(5))) : v.toFixed(4));
const pText = (p) => (p < 0.001 ? "< 0.001" : p.toFixed(3));
const timesText = (v) => (v >= 100 ? v.toFixed(0) : String(Number(v.toPrecision(2))));
const percent = (share, digits = 0) => (Number.isFinite(share) ? `${(100 * share).toFixed(digits)} %` : "–");

// A new element with attributes, listeners (on...) and children; strings become text, null is left out.
function element(name, attributes = {}, ...children) {
  const isSvg = ["svg", "path", "line", "circle", "rect", "text", "title"].includes(name);
  const made = isSvg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined) made.setAttribute(key, value);
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return made;
}

const head = (text) => element("th", { scope: "col" }, text);
const rowHead = (...children) => element("th", { scope: "row" }, ...children);
const button = (text, onclick, attributes = {}) => element("button", { type: "button", onclick, ...attributes }, text);
const caption = (text) => element("p", { class: "caption" }, text);
const listbox = (options, onchange) => element("select", { onchange }, options.map(([value, text]) => element("option", { value }, text)));

// Drawings

// Round numbers between two others, about `most` at the most.
function steps(from, to, most) {
  const power = 10 ** Math.floor(Math.log10((to - from) / most));
  const step = power * [1, 2, 5, 10].find((m) => (to - from) / (m * power) <= most);
  const first = Math.ceil(from / step - 1e-9), last = Math.floor(to / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

// An SVG with two axes. x has the numbers at the left and right end, y those at the top and bottom; a tick is a number and a text.
function axes(label, { width, height, left, right, x, y }) {
  const top = 12, bottom = height - 44;
  const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label, class: "chart" });
  const draw = (name, attributes, ...children) => svg.appendChild(element(name, attributes, ...children));
  const scale = ([from, to], start, end) => (v) => Math.round(10 * (start + ((v - from) / (to - from)) * (end - start))) / 10;
  const across = scale(x.range, left, width - right), down = scale(y.range, top, bottom);
  for (const [v, text] of x.ticks) {
    draw("line", { x1: across(v), x2: across(v), y1: top, y2: bottom, class: "grid" });
    draw("text", { x: across(v), y: bottom + 16, "text-anchor": "middle" }, text);
  }
  for (const [v, text, look] of y.ticks) {
    draw("line", { x1: left, x2: width - right, y1: down(v), y2: down(v), class: "grid" });
    draw("text", { x: left - 6, y: down(v) + 4, "text-anchor": "end", class: look }, text);
  }
  const middle = (top + bottom) / 2;
  draw("text", { x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle" }, x.title);
  if (y.title) draw("text", { x: 12, y: middle, "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` }, y.title);
  return { svg, draw, across, down };
}

const widthOf = (place) => Math.max(300, Math.min(place.clientWidth || 700, 860));

// Positions in the board of the methods that are drawn, the best first.
function drawnMethods() {
  const order = board.methods.map((_, p) => p).sort((a, b) => board.ranks.mean[a] - board.ranks.mean[b]);
  return order.filter((p, rank) => rank < MOST_DRAWN || board.methods[p] === view.control);
}

const cut = (drawn) => (drawn.length < board.methods.length ? ` The best ${MOST_DRAWN} of ${board.methods.length} methods are drawn.` : "");

// A line per method with its average rank and interval; bars on the right join methods that do not differ.
function drawRanks(place) {
  if (!board.critical_difference) return place.replaceChildren(caption("Ranks need at least two methods and two data sets."));
  const { ranks: { mean, lower, upper }, critical_difference: distance } = board, drawn = drawnMethods(), known = Number.isFinite(lower?.[0]);
  const name = (p) => names[board.methods[p]], step = 22, lineEnds = [];
  const runs = cliques(drawn.map((p) => mean[p]), distance);
  const lanes = runs.map(([first, last]) => {
    const lane = [...lineEnds, -1].findIndex((end) => end < first); // bars that overlap stand beside each other
    lineEnds[lane] = last;
    return lane;
  });
  const width = widthOf(place), letters = Math.min(width < 500 ? 14 : 26, Math.max(...drawn.map((p) => name(p).length)));
  const right = 20 + 9 * lineEnds.length, end = Math.max(...drawn.map((p) => (known ? upper : mean)[p]), 1 + distance);
  const label = `Average ranks, 1 is best: ${drawn.slice(0, 12).map((p) => `${name(p)} ${mean[p].toFixed(2)}`).join(", ")}`;
  const { svg, draw, across, down } = axes(label, {
    width, height: 56 + step * (drawn.length + 1), left: 14 + 7.4 * letters, right,
    x: { range: [1, end], ticks: steps(1, end, width / 80).filter(Number.isInteger).map((v) => [v, v]), title: "average rank" },
    y: {
      range: [-1.5, drawn.length - 0.5],
      ticks: drawn.map((p, row) => [row, shorten(name(p), letters), board.methods[p] === view.control ? "control" : null]),
    },
  });
  draw("path", { d: `M${across(1)} 18v8m0-4H${across(1 + distance)}m0-4v8`, class: "strong" });
  draw("text", { x: across(1) + 6, y: 16 }, `critical difference ${distance.toFixed(2)}`);
  drawn.forEach((p, row) => {
    const tip = `${name(p)}: ${mean[p].toFixed(2)}${known ? ` (${lower[p].toFixed(2)} to ${upper[p].toFixed(2)})` : ""}`;
    if (known) draw("line", { x1: across(lower[p]), x2: across(upper[p]), y1: down(row), y2: down(row), class: "interval" });
    draw("circle", { cx: across(mean[p]), cy: down(row), r: 4.5, class: "dot" }, element("title", {}, tip));
  });
  runs.forEach(([first, last], i) => {
    const x = width - right + 10 + 9 * lanes[i];
    draw("line", { x1: x, x2: x, y1: down(first - 0.3), y2: down(last + 0.3), class: "clique" });
  });
  place.replaceChildren(svg, caption(`${known ? `Lines are ${Number((100 - 100 * content.alpha).toPrecision(6))} % intervals over resampled data sets. ` : ""}Bars on the right join ` +
    `methods whose ranks are less than Nemenyi's critical difference at ${content.alpha} apart.${cut(drawn)}`));
}

// Average rank against time, on a logarithmic axis, with a line through the Pareto front.
function drawPareto(place, name) {
  const [kind, word] = name === "pareto-fit" ? ["fit", "training time"] : ["predict", "prediction time"];
  const times = (board.ranks && board[kind]) ?? [];
  const points = times.map((v, p) => ({ method: board.methods[p], x: Math.log10(v), y: board.ranks.mean[p] }))
    .filter((d) => Number.isFinite(d.x));
  if (points.length < 2) return place.replaceChildren(caption("Quality against time needs times of the control and of one more method."));
  const front = paretoFront(points);
  const told = (d) => `${names[d.method]}: rank ${d.y.toFixed(2)}, ${timesText(10 ** d.x)} times the control's time`;
  const range = (values) => {
    const low = Math.min(...values), high = Math.max(...values), margin = 0.08 * (high - low) || 0.5;
    return [low - margin, high + margin];
  };
  const xs = range(points.map((d) => d.x)), ys = range(points.map((d) => d.y)), width = widthOf(place), height = 360, left = 46;
  const { svg, draw, across, down } = axes(`Average rank against ${word}. Pareto front: ${front.map(told).join("; ")}`, {
    width, height, left, right: 14,
    x: { range: xs, ticks: steps(...xs, 6).map((v) => [v, timesText(10 ** v)]), title: `${word}, times ${names[view.control]}` },
    y: { range: ys, ticks: steps(...ys, 7).map((v) => [v, v]), title: "average rank" },
  });
  draw("path", { d: `M${front.map((d) => `${across(d.x)} ${down(d.y)}`).join("L")}`, class: "front" });
  for (const d of points) {
    const x = across(d.x), y = down(d.y), text = shorten(names[d.method], 24), isFront = front.includes(d), isControl = d.method === view.control;
    const mark = isControl ? ["rect", { x: x - 5, y: y - 5, width: 10, height: 10 }] : ["circle", { cx: x, cy: y, r: 5 }];
    draw(mark[0], { ...mark[1], class: isFront ? "dot" : "dot dim" }, element("title", {}, told(d)));
    const anchor = x - 7.3 * text.length < left ? "start" : "end"; // above and left of the front there are no other methods
    if (isFront || isControl) draw("text", { x: x - 8, y: isFront ? y - 10 : y + 18, "text-anchor": anchor, class: isControl ? "control" : null }, text);
  }
  place.replaceChildren(svg, caption("Up and to the left is better. The line joins the methods that no other method beats in both; " +
    "the square is the control. The pointer on another method shows its name."));
}

// The percentage of data sets on which the row's method beats the column's, darker for larger differences.
function drawWins(place) {
  if (!board.wins || !board.ranks) return place.replaceChildren(caption("Wins need two methods and a data set with scores of both."));
  const drawn = drawnMethods(), name = (p) => names[board.methods[p]];
  const cell = (a, b) => {
    const share = board.wins[a][b];
    if (a === b || share === null) return element("td");
    const style = `--share:${Math.round(Math.abs(share - 0.5) * 110)}%`;
    return element("td", { class: share > 0.5 ? "won" : "lost", style }, String(Math.round(100 * share)));
  };
  const heads = drawn.map((p) => element("th", { scope: "col", class: "upright" }, element("span", {}, name(p))));
  const rows = drawn.map((a) => element("tr", {}, rowHead(name(a)), drawn.map((b) => cell(a, b))));
  const table = [element("thead", {}, element("tr", {}, head("method"), heads)), element("tbody", {}, rows)];
  place.replaceChildren(
    element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "win rates" }, element("table", { class: "wins" }, table)),
    caption(`Percentage of data sets on which the row's method is better than the column's; ties count one half.${cut(drawn)}`));
}

// The table of scores, and the dialog with the origin of a score

const printed = (metric) => metric.shown ?? metric.scores; // compared scores may be multiples of a unit

function fillScores(datasets) {
  const table = by("board-scores"), metric = content.metrics[view.metric], { spread, baseline, higher } = metric;
  const fair = view.methods.filter((j) => !content.methods[j].optimistic);
  const rows = datasets.map((i) => {
    const scores = metric.scores[i], known = fair.filter((j) => scores[j] !== null);
    const best = known.find((j) => known.every((other) => (higher ? scores[j] >= scores[other] : scores[j] <= scores[other])));
    const cells = view.methods.map((j) => element("td", { class: j === best ? "best" : null, onclick: () => openCell(i, j) },
      scoreText(printed(metric)[i][j]), Number.isFinite(spread?.[i][j]) ? element("small", {}, ` (${scoreText(spread[i][j])})`) : null));
    const last = baseline ? element("td", { class: "baseline" }, Number.isFinite(baseline[i]) ? scoreText(baseline[i]) : "-") : null;
    return element("tr", {}, rowHead(content.datasets[i]), cells, last);
  });
  const heads = ["data set", ...view.methods.map((j) => names[j]), ...(baseline ? [content.baseline] : [])];
  table.tHead.replaceChildren(element("tr", {}, heads.map(head)));
  table.tBodies[0].replaceChildren(...rows);
  table.querySelector("td")?.setAttribute("tabindex", 0); // the Tab key stops at one cell; arrows lead to the others
}

function moveInScores(event) {
  const cell = event.target.closest("td"), row = cell?.parentElement, column = cell?.cellIndex;
  if (!cell) return;
  const next = {
    ArrowLeft: cell.previousElementSibling, ArrowRight: cell.nextElementSibling, Home: row.cells[1], End: row.lastElementChild,
    ArrowUp: row.previousElementSibling?.cells[column], ArrowDown: row.nextElementSibling?.cells[column],
  }[event.key];
  if (event.key === "Enter" || event.key === " ") cell.click();
  else if (next?.tagName === "TD") {
    cell.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  } else return;
  event.preventDefault();
}

function openCell(i, j) {
  const dataset = content.datasets[i], { seed, study, word, folders, files, counts } = content.cells ?? {}, lines = [];
  for (const metric of content.metrics) {
    const value = printed(metric)[i][j], spread = metric.spread?.[i][j];
    const deviation = Number.isFinite(spread) ? `, standard deviation ${scoreText(spread)}` : "";
    lines.push([metric.title, value === null || value === undefined ? "no score" : scoreText(value) + deviation]);
  }
  for (const [kind, title] of [["fit", "training, seconds"], ["predict", "predicting, seconds"]])
    if (Number.isFinite(content.times[kind]?.[i][j])) lines.push([title, content.times[kind][i][j]]);
  if (Number.isFinite(counts?.[i][j])) {
    const path = `${folders[i]}/methods/${files[j]}`, quoted = (text) => (text.includes("'") ? `"${text}"` : `'${text}'`);
    const tags = [["`rotastack.kind`", "method"], ["study", study], ["dataset", dataset], ["method", names[j]]];
    const search = tags.map(([tag, value]) => `tags.${tag} = ${quoted(value)}`).join(" and ");
    lines.push([word, counts[i][j]], ["seed of the study", seed], ["outputs", `${path}.nc`], ["record", `${path}.run.json`]);
    lines.push([`search for its MLflow runs, in experiment ${study}`, search]);
  }
  openDialog(`${names[j]} on ${dataset}`, [...lines, ...facts(j)]);
}

function facts(j) {
  const { published, optimistic, about } = content.methods[j];
  const warning = optimistic ? "it chooses members by the test rows, so its scores are better than on new rows" : null;
  return [["published", published], ["caution", warning], ["configuration", about]].filter(([, text]) => text);
}

function openDialog(title, lines) {
  by("details-title").textContent = title;
  by("details").querySelector("dl").replaceChildren(...lines.flatMap(([term, text]) => [element("dt", {}, term), element("dd", {}, text)]));
  by("details").showModal();
}

// The leaderboard

let content, names, first, view, board; // `first` is the view at the start; `board` has the numbers of `view`
const refreshers = []; // one function per control, which shows the view in it

// Columns of the table. `value` of the method at a position of the board is what is sorted; `text` has the texts of a cell: a number, and
// for estimates its interval.
function columns() {
  const metric = content.metrics[view.metric], one = view.datasets.length === 1, control = names[view.control] ?? "the control";
  const estimate = (part, name, digits) => ({
    value: (p) => board[part]?.[name][p],
    text: (v, p) => [v, board[part].lower?.[p], board[part].upper?.[p]].map((number) => number?.toFixed(digits)),
  });
  const cost = (key, word) => ({ key, title: `${word}, times ${control}`, value: (p) => board[key]?.[p], text: (v) => [timesText(v)] });
  const test = (p) => board.against?.[p];
  return [
    { key: "method", title: "method", value: (p) => names[board.methods[p]].toLowerCase() },
    one && {
      key: "score", title: metric.title, falling: metric.higher, text: (v) => [scoreText(v)],
      value: (p) => printed(metric)[view.datasets[0]][board.methods[p]],
    },
    { key: "rank", title: one ? "rank" : "average rank", ...estimate("ranks", "mean", 2) },
    !one && { key: "elo", title: "Elo", falling: true, ...estimate("elo", "elo", 0) },
    metric.optimum !== null && { key: "gap", title: "improvable by, %", ...estimate("gap", "mean", 1) },
    !one && {
      key: "wins", title: `wins / ties / losses against ${control}`, falling: true,
      value: (p) => test(p) && (test(p).wins + test(p).ties / 2) / (test(p).wins + test(p).ties + test(p).losses),
      text: (_, p) => [`${test(p).wins} / ${test(p).ties} / ${test(p).losses}`],
    },
    !one && { key: "p", title: "p (Holm)", value: (p) => test(p)?.holm, text: (v) => [pText(v)] },
    content.times.fit && cost("fit", "training"),
    content.times.predict && cost("predict", "predicting"),
  ].filter(Boolean);
}

function fillBoard() {
  const missing = (v) => v === null || v === undefined || Number.isNaN(v);
  const all = columns().filter((c, k) => !k || board.methods.some((_, p) => !missing(c.value(p))));  // no empty columns
  const table = by("board"), focused = document.activeElement?.dataset.sort, several = board.datasets.length > 1;
  const sorting = all.find((c) => c.key === view.sort.replace("-", "")) ?? all[0], sign = view.sort.startsWith("-") ? -1 : 1;
  const order = board.methods.map((_, p) => p).sort((a, b) => {
    const x = sorting.value(a), y = sorting.value(b);
    return missing(x) || missing(y) ? missing(x) - missing(y) : sign * ((x > y) - (x < y));
  });
  const heads = all.map((c) => {
    const direction = c !== sorting ? null : sign < 0 ? "descending" : "ascending";
    const falls = c === sorting ? sign > 0 : c.falling;
    const sort = () => update({ sort: falls ? `-${c.key}` : c.key });
    return element("th", { scope: "col", "aria-sort": direction }, button(c.title, sort, { "data-sort": c.key }));
  });
  const cell = (c, p) => {
    const value = c.value(p);
    if (missing(value)) return element("td", {}, "–");
    const [large, lower, upper] = c.text(value, p);
    return element("td", {}, large, lower && several ? element("small", {}, ` ${lower} to ${upper}`) : null);
  };
  const rows = order.map((p) => [board.methods[p], all.slice(1).map((c) => cell(c, p))]);
  const without = element("td", { colspan: all.length - 1, class: "text" }, "no score on these data sets");
  rows.push(...board.failed.map((j) => [j, without.cloneNode(true)]));
  const row = ([j, cells]) => element("tr", { class: j === view.control ? "control" : null }, nameCell(j), cells);
  table.tHead.replaceChildren(element("tr", {}, heads));
  table.tBodies[0].replaceChildren(...rows.map(row));
  if (focused) table.querySelector(`[data-sort=${focused}]`)?.focus();
}

function nameCell(j) {
  const { name, rotated, published, optimistic } = content.methods[j];
  const tags = [j === view.control && "control", rotated && "rotated", published && "published", optimistic && "chooses by the test rows"];
  const title = facts(j).length ? button(name, () => openDialog(name, facts(j)), { class: "link" }) : name;
  return rowHead(title, tags.filter(Boolean).map((tag) => [" ", element("span", { class: "tag" }, tag)]));
}

// The board in sentences.
function summary() {
  if (board.methods.length < 2) return "Choose at least two methods with scores.";
  const { title } = content.metrics[view.metric];
  const list = (numbers, of) => numbers.slice(0, 8).map((i) => of[i]).join(", ") + (numbers.length > 8 ? ` and ${numbers.length - 8} more` : "");
  const sizes = `${count(board.methods.length, "method")} on ${count(board.datasets.length, "data set")}`;
  const parts = [`${title[0].toUpperCase()}${title.slice(1)} of ${sizes}.`];
  const pairs = view.pairs ? "; wins compare each pair of methods on the data sets with scores of both" : "";
  if (board.left_out.length) parts.push(`Left out, as a method has no score there: ${list(board.left_out, content.datasets)}${pairs}.`);
  if (board.failed.length) parts.push(`Without any score: ${list(board.failed, names)}.`);
  if (board.tests) parts.push(board.tests);
  const hidden = !isTested(content, view) ? "Tests, intervals and Elo" : view.control !== content.control ? "p-values" : null;
  if (hidden) parts.push(`${hidden} are shown for the first view only: whoever picks until a test is significant finds one.`);
  return parts.join(" ");
}

function drawFigures() {
  const drawings = { ranks: drawRanks, wins: drawWins, "pareto-fit": drawPareto, "pareto-predict": drawPareto };
  for (const [name, draw] of Object.entries(drawings)) if (by(`board-${name}`)) draw(by(`board-${name}`), name);
}

// Compute and show the view, and keep in the address what differs from the first view.
function update(changes) {
  Object.assign(view, changes);
  remember();
  refreshers.forEach((refresh) => refresh());
  board = boardOf(content, view);
  by("board-status").textContent = summary();
  fillBoard();
  drawFigures();
  fillScores(view.datasets === first.datasets ? [...content.datasets.keys()] : view.datasets);
}

function remember() {
  const parts = new URLSearchParams(Object.entries(view).filter(([key, value]) => String(value) !== String(first[key])));
  if (String(parts) || location.hash.includes("=")) history.replaceState(null, "", `#${parts}`);
}

function recall() {
  if (board && !location.hash.includes("=")) return; // a link within the page
  const parts = Object.fromEntries(new URLSearchParams(location.hash.slice(1))), found = { ...first, ...parts };
  const numbers = (key, of) => (key in parts ? parts[key].split(",").filter((i) => i in of).map(Number) : first[key]);
  for (const key of ["metric", "control", "pairs"]) found[key] = Number(found[key]);
  update({ ...found, methods: numbers("methods", names), datasets: numbers("datasets", content.datasets) });
}

// Controls

function select(title, key, options) {
  const node = listbox(options, () => update({ [key]: Number(node.value) }));
  refreshers.push(() => (node.value = view[key]));
  return element("label", {}, `${title} `, node);
}

// A list of boxes with a search, and a button for each group: a text and the numbers of its members.
function choices(title, key, of, groups, note) {
  const heading = element("summary"), all = [...of.keys()], choose = (isChosen) => update({ [key]: all.filter(isChosen) });
  const boxes = of.map(() => element("input", { type: "checkbox", onchange: () => choose((i) => boxes[i].checked) }));
  const labels = of.map((name, i) => element("label", {}, boxes[i], ` ${name}`, element("small", {}, note(i))));
  const hide = () => labels.forEach((label, i) => (label.hidden = !of[i].toLowerCase().includes(search.value.toLowerCase())));
  const search = element("input", { type: "search", placeholder: "find", "aria-label": `find ${title}`, oninput: hide });
  const take = (members) => choose((i) => (labels[i].hidden ? boxes[i].checked : members.includes(i)));
  const buttons = [["all", all], ["none", []], ["as at first", first[key]], ...groups]
    .map(([text, members]) => [button(text, () => take(members)), " "]);
  refreshers.push(() => {
    heading.textContent = `${title}: ${view[key].length} of ${of.length}`;
    boxes.forEach((box, i) => (box.checked = view[key].includes(i)));
  });
  const lines = [element("p", {}, of.length > 8 ? [search, " "] : null, buttons), element("div", { class: "boxes" }, labels)];
  return element("details", { class: "choice" }, heading, lines);
}

function buildControls() {
  const holes = content.metrics.some((metric) => metric.scores.some((row) => row.includes(null)));
  const families = [...new Set(content.methods.map((method) => method.family).filter(Boolean))];
  const withFamily = (family) => [...names.keys()].filter((j) => first.methods.includes(j) || content.methods[j].family === family);
  const kinds = content.kinds.map(([kind, members]) => [kind, members.filter((i) => first.datasets.includes(i))]);
  const note = (j) => (content.methods[j].optimistic ? " chooses by the test rows" : content.methods[j].published ? " published" : "");
  by("board-controls").append(...[
    content.metrics.length > 1 ? select("score", "metric", content.metrics.map((metric, m) => [m, metric.title])) : null,
    select("control", "control", [[-1, "none"], ...names.entries()]),
    holes ? select("data sets with missing scores", "pairs", [[0, "left out"], [1, "for pairs of methods that have both"]]) : null,
    choices("data sets", "datasets", content.datasets, kinds, () => ""),
    choices("methods", "methods", names, families.map((family) => [`own and ${family}`, withFamily(family)]), note),
    button("Reset", () => update(first)),
  ].filter(Boolean));
  by("board-controls").hidden = false;
}

function startLeaderboard() {
  content = JSON.parse(by("leaderboard-content").textContent);
  names = content.methods.map((method) => method.name);
  first = { metric: 0, control: content.control, pairs: 0, datasets: content.start, methods: content.chosen, sort: "rank" };
  view = { ...first };
  buildControls();
  recall();
  by("board-scores").setAttribute("role", "grid");
  by("board-scores").addEventListener("keydown", moveInScores);
  addEventListener("hashchange", recall);
  addEventListener("resize", drawFigures);
  addEventListener("beforeprint", () => document.querySelectorAll("details.part").forEach((part) => (part.open = true)));
}

// Curves of the decisions for a class, and a threshold

const COLORS = ["var(--blue)", "var(--orange)"]; // of the best method and of the control

function drawCurve(isRoc, methods, threshold) {
  const [x, y] = isRoc ? ["false positives", "recall"] : ["recall", "precision"], ticks = [0, 0.5, 1].map((v) => [v, v]);
  const { svg, draw, across, down } = axes(`${isRoc ? "ROC" : "Precision-recall"} curves of ${methods.map((m) => m.name).join(" and ")}`, {
    width: 300, height: 300, left: 46, right: 10, x: { range: [0, 1], ticks, title: x }, y: { range: [1, 0], ticks, title: y },
  });
  methods.forEach(({ curve }, i) => {
    const now = decisionsAt(curve, threshold), [a, b] = isRoc ? [now.fall, now.recall] : [now.recall, now.precision];
    const points = curvePoints(curve, isRoc).map((point) => `${across(point[0])},${down(point[1])}`);
    draw("path", { d: `M${points.join("L")}`, fill: "none", stroke: COLORS[i], "stroke-width": 2, "stroke-dasharray": i ? "5 3" : null });
    if (Number.isFinite(a) && Number.isFinite(b)) draw("circle", { cx: across(a), cy: down(b), r: 5, fill: COLORS[i] });
  });
  return svg;
}

function startDecisions(place, { classes, positive, methods, threshold }) {
  const { positives, negatives } = methods[0].curves[positive], share = Math.max(0.01, positives / (positives + negatives)).toFixed(2);
  const slider = element("input", { type: "range", min: 0.01, max: 0.99, step: 0.01, value: threshold ?? share, oninput: show });
  const choice = listbox([...classes.entries()], show), output = element("output"), curves = element("div", { class: "curves" });
  const table = element("table"), told = element("p", { class: "caption", role: "status" });
  choice.value = positive;
  function show() {
    const at = Number(slider.value), k = Number(choice.value), name = classes[k];
    const chosen = methods.filter((m) => m.curves[k]).map((m) => ({ name: m.name, curve: m.curves[k] }));
    const rows = chosen.map((m, i) => {
      const { right, wrong, recall, precision, fall } = decisionsAt(m.curve, at);
      const mark = element("span", { style: `color: ${COLORS[i]}` }, i ? "╌ " : "— ");
      const of = m.curve.positives + m.curve.negatives, rates = [recall, precision, fall].map((rate) => percent(rate, 1));
      return element("tr", {}, rowHead(mark, m.name), [`${right + wrong} of ${of}`, ...rates].map((text) => element("td", {}, text)));
    });
    output.textContent = at.toFixed(2);
    curves.replaceChildren(drawCurve(true, chosen, at), drawCurve(false, chosen, at));
    table.replaceChildren(element("tr", {}, ["method", `decided ${name}`, "recall", "precision", "false positives"].map(head)), ...rows);
    told.textContent = `Decided ${name}: rows with a probability of at least ${at.toFixed(2)}.`;
    if (classes.length === 2 && k === positive)
      told.textContent += ` For a model with this threshold write "threshold: ${at.toFixed(2)}" below "model:" in the study's file.`;
  }
  show();
  const controls = [element("label", {}, "class ", choice), element("label", {}, "threshold ", slider, " ", output)];
  place.replaceChildren(element("div", { class: "controls" }, controls), curves, element("div", { class: "scroll" }, table), told);
}

if (by("leaderboard-content")) startLeaderboard();
for (const script of document.querySelectorAll("script.decisions-content"))
  startDecisions(script.nextElementSibling, JSON.parse(script.textContent));
