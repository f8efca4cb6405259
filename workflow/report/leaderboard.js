// The leaderboard: its reader chooses data sets, methods, control and score, and all that follows is computed anew.
"use strict";
(() => {
  const { element } = charts, by = (id) => document.getElementById(id);
  const content = JSON.parse(by("leaderboard-content").textContent);
  const names = content.methods.map((m) => m.name);
  const sources = ["statistics-script", "board-script"].map((id) => by(id).textContent).join("\n");
  const compute = boards.computer(content, statistics, sources);
  const start = () => ({
    metric: 0, control: content.control, pairs: content.pairs, datasets: [...content.start], methods: [...content.chosen], sort: "rank", falling: false,
  });
  const BEST = 20;
  let view = start(), board = content.board, controls = {};

  // Numbers as the table prints them
  const fixed = (digits) => (v) => v.toFixed(digits);
  const pValue = (p) => (p < 0.001 ? "< 0.001" : p.toFixed(3));
  const times = (v) => (v >= 100 ? v.toFixed(0) : String(Number(v.toPrecision(2))));
  const signed = (metric, v) => (metric.higher ? -v : v);

  function columns() {
    const control = view.control < 0 ? "the control" : names[view.control], several = board.datasets.length > 1;
    const estimate = (part, name, print) => ({
      value: (p) => board[part]?.[name][p] ?? null,
      cell: (p) => {
        const found = board[part], value = found?.[name][p] ?? null;
        if (value === null) return null;
        return several ? [print(value), `${print(found.lower[p])} to ${print(found.upper[p])}`] : [print(value)];
      },
    });
    const versus = (print, value) => ({
      value: (p) => (board.against?.[p] ? value(board.against[p]) : null),
      cell: (p) => (board.against?.[p] ? [print(board.against[p])] : null),
    });
    const cost = (kind) => ({ value: (p) => board[kind]?.[p] ?? null, cell: (p) => (board[kind]?.[p] ?? null) === null ? null : [times(board[kind][p])] });
    const metric = content.metrics[view.metric], single = view.datasets.length === 1 ? view.datasets[0] : -1;
    const own = (p) => (metric.shown || metric.scores)[single][board.methods[p]];
    return [
      { key: "method", title: "method", value: (p) => names[board.methods[p]].toLowerCase() },
      single < 0 ? null : { key: "score", title: metric.title, value: (p) => signed(metric, own(p) ?? NaN), cell: (p) => (own(p) === null ? null : [cells.print(own(p))]) },
      { key: "rank", title: single < 0 ? "average rank" : "rank", ...estimate("ranks", "mean", fixed(2)) },
      single >= 0 ? null : { key: "elo", title: "Elo", most: true, ...estimate("elo", "elo", fixed(0)) },
      metric.optimum === null ? null : { key: "gap", title: "improvable by, %", ...estimate("gap", "mean", fixed(1)) },
      single >= 0 ? null : { key: "wins", title: `wins / ties / losses against ${control}`, most: true, ...versus((a) => `${a.wins} / ${a.ties} / ${a.losses}`, (a) => (a.wins + a.ties / 2) / (a.wins + a.ties + a.losses)) },
      single >= 0 ? null : { key: "p", title: "p (Holm)", ...versus((a) => pValue(a.holm), (a) => a.holm) },
      content.times.fit ? { key: "fit", title: `training, times ${control}`, ...cost("fit") } : null,
      content.times.predict ? { key: "predict", title: `predicting, times ${control}`, ...cost("predict") } : null,
    ].filter(Boolean);
  }

  function sorted(all) {
    const column = all.find((c) => c.key === view.sort) || all[0], sign = view.falling ? -1 : 1;
    const missing = (v) => v === null || Number.isNaN(v);
    return board.methods.map((_, p) => p).sort((a, b) => {
      const [x, y] = [column.value(a), column.value(b)];
      if (missing(x) || missing(y)) return missing(x) - missing(y) || a - b;
      return sign * (x < y ? -1 : x > y ? 1 : 0) || a - b;
    });
  }

  function drawTable(table = by("board")) {
    const all = columns(), focused = document.activeElement?.dataset?.sort;
    const heads = all.map((c) => element("th", { scope: "col", "aria-sort": view.sort === c.key ? (view.falling ? "descending" : "ascending") : null },
      element("button", { type: "button", "data-sort": c.key, onclick: () => resort(c) }, c.title)));
    const rows = sorted(all).map((p) => {
      const j = board.methods[p];
      const cells = all.slice(1).map((c) => {
        const [main, small] = c.cell(p) || ["–"];
        return element("td", {}, main, small ? element("small", {}, ` ${small}`) : null);
      });
      return element("tr", { class: j === view.control ? "control" : null }, nameCell(j), cells);
    });
    rows.push(...board.failed.map((j) => element("tr", {}, nameCell(j), element("td", { colspan: all.length - 1, class: "text" }, "no score on these data sets"))));
    table.tHead.replaceChildren(element("tr", {}, heads));
    table.tBodies[0].replaceChildren(...rows);
    if (focused) table.querySelector(`[data-sort=${focused}]`)?.focus();
  }

  function nameCell(j) {
    const m = content.methods[j], tags = [j === view.control && "control", m.rotated && "rotated", m.published && "published", m.optimistic && "chooses by the test rows"];
    const opens = m.about || m.published || m.optimistic;
    const name = opens ? element("button", { type: "button", class: "link", onclick: (event) => cells.openMethod(content, j, event.currentTarget) }, m.name) : m.name;
    return element("th", { scope: "row" }, name, tags.filter(Boolean).map((tag) => [" ", element("span", { class: "tag" }, tag)]));
  }

  function resort(column) {
    view.falling = view.sort === column.key ? !view.falling : Boolean(column.most);
    view.sort = column.key;
    remember();
    drawTable();
  }

  function draw() {
    const given = { names, control: view.control, alpha: content.alpha };
    drawTable();
    if (by("board-ranks")) charts.rankLines(by("board-ranks"), board, given);
    if (by("board-wins")) charts.winTable(by("board-wins"), board, given);
    for (const [kind, word] of [["fit", "training time"], ["predict", "prediction time"]]) {
      const place = by(`board-pareto-${kind}`);
      if (place) charts.pareto(place, board, { ...given, kind, word });
    }
  }

  const count = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;
  const list = (numbers, of) => (numbers.length > 8 ? `${numbers.slice(0, 8).map((i) => of[i]).join(", ")} and ${numbers.length - 8} more` : numbers.map((i) => of[i]).join(", "));

  function status(done) {
    if (board.methods.length < 2) return "Choose at least two methods with scores.";
    const { title } = content.metrics[view.metric];
    const parts = [`${title[0].toUpperCase()}${title.slice(1)} of ${count(board.methods.length, "method")} on ${count(board.datasets.length, "data set")}.`];
    if (board.left_out.length) {
      const pairs = view.pairs ? "; wins and Elo compare each pair of methods where both have scores" : "";
      parts.push(`Left out, as a method has no score there: ${list(board.left_out, content.datasets)}${pairs}.`);
    }
    if (board.failed.length) parts.push(`Without any score: ${list(board.failed, names)}.`);
    if (board.friedman) {
      const { F, df, p } = board.friedman;
      parts.push(`Iman-Davenport F(${df[0]}, ${df[1]}) = ${F === null ? "∞" : F.toFixed(2)}, p ${p < 0.001 ? "" : "= "}${pValue(p)}: the ranks ${p < content.alpha ? "differ by more than chance" : "may differ by chance"}.`);
    }
    if (board.datasets.length === 1 && content.datasets.length > 1) parts.push("One data set has no intervals over data sets.");
    if (!done) parts.push("Computing Elo …");
    return parts.join(" ");
  }

  // Compute and draw what the view asks for
  function update() {
    remember();
    showControls();
    by("leaderboard").setAttribute("aria-busy", "true");
    by("board-status").textContent = "Computing …";
    compute(view, (found, done) => {
      board = found;
      by("board-status").textContent = status(done);
      draw();
      if (!done) return;
      cells.fill(by("board-scores"), content, view);
      by("leaderboard").removeAttribute("aria-busy");
      document.documentElement.dataset.computed = Number(document.documentElement.dataset.computed || 0) + 1;
    });
  }

  // The view as a part of the address, so that it can be shared
  function remember() {
    const base = start(), parts = new URLSearchParams();
    if (view.metric !== base.metric) parts.set("score", content.metrics[view.metric].name);
    if (view.control !== base.control) parts.set("control", names[view.control] ?? "");
    if (view.pairs !== base.pairs) parts.set("missing", view.pairs ? "pairs" : "block");
    if (view.sort !== base.sort || view.falling) parts.set("sort", (view.falling ? "-" : "") + view.sort);
    note(parts, "methods", view.methods, base.methods, names);
    note(parts, "datasets", view.datasets, base.datasets, content.datasets);
    const text = parts.toString();
    if (text || location.hash.includes("=")) history.replaceState(null, "", `#${text}`);
  }

  function note(parts, key, chosen, usual, of) {
    if (chosen.length === usual.length && chosen.every((v, i) => v === usual[i])) return;
    const all = of.map((_, i) => i), rest = all.filter((i) => !chosen.includes(i));
    const without = rest.length < chosen.length;
    parts.append(without ? `${key}-without` : key, "");
    (without ? rest : chosen).forEach((i) => parts.append(without ? `${key}-without` : key, of[i]));
  }

  function recalled() {
    const parts = new URLSearchParams(location.hash.slice(1)), found = start();
    const place = (of, name, otherwise) => (of.includes(name) ? of.indexOf(name) : otherwise);
    found.metric = place(content.metrics.map((m) => m.name), parts.get("score"), found.metric);
    if (parts.has("control")) found.control = parts.get("control") === "" ? -1 : place(names, parts.get("control"), found.control);
    if (parts.has("missing")) found.pairs = parts.get("missing") === "pairs";
    const sort = parts.get("sort");
    if (sort) [found.sort, found.falling] = [sort.replace(/^-/, ""), sort.startsWith("-")];
    for (const [key, of] of [["methods", names], ["datasets", content.datasets]]) {
      const all = of.map((_, i) => i);
      if (parts.has(key)) found[key] = all.filter((i) => parts.getAll(key).includes(of[i]));
      else if (parts.has(`${key}-without`)) found[key] = all.filter((i) => !parts.getAll(`${key}-without`).includes(of[i]));
    }
    return found;
  }

  // Controls
  function choices(title, of, key, say) {
    const summary = element("summary", {}), filter = element("input", { type: "search", placeholder: "find", "aria-label": `find ${title}` });
    const boxes = of.map((name, i) => element("input", { type: "checkbox", onchange: () => choose(key, i) }));
    const labels = of.map((name, i) => element("label", {}, boxes[i], " ", name, say ? say(i) : null));
    const visible = () => labels.map((label, i) => (label.hidden ? -1 : i)).filter((i) => i >= 0);
    const set = (on) => {
      const touched = visible();
      view[key] = of.map((_, i) => i).filter((i) => (touched.includes(i) ? on : view[key].includes(i)));
      update();
    };
    filter.addEventListener("input", () => labels.forEach((label, i) => (label.hidden = !of[i].toLowerCase().includes(filter.value.toLowerCase()))));
    const body = element("div", { class: "choices" },
      element("p", {}, of.length > 8 ? filter : null, " ", element("button", { type: "button", onclick: () => set(true) }, "all"), " ", element("button", { type: "button", onclick: () => set(false) }, "none")),
      element("div", { class: "boxes" }, labels));
    return {
      node: element("details", { class: "choice" }, summary, body),
      show: () => {
        summary.textContent = `${title}: ${view[key].length} of ${of.length}`;
        boxes.forEach((box, i) => (box.checked = view[key].includes(i)));
      },
    };
  }

  function choose(key, i) {
    view[key] = view[key].includes(i) ? view[key].filter((v) => v !== i) : [...view[key], i].sort((a, b) => a - b);
    update();
  }

  function select(title, options, key) {
    const node = element("select", { onchange: () => { view[key] = Number(node.value); update(); } }, options.map(([value, text]) => element("option", { value }, text)));
    return { node: element("label", {}, `${title} `, node), show: () => (node.value = view[key]) };
  }

  function switched(title, key) {
    const box = element("input", { type: "checkbox", onchange: () => { view[key] = box.checked; update(); } });
    return { node: element("label", {}, box, ` ${title}`), show: () => (box.checked = view[key]) };
  }

  // All published methods at once
  function publishedSwitch() {
    const theirs = content.methods.map((m, j) => (m.published ? j : -1)).filter((j) => j >= 0);
    if (!theirs.length) return null;
    const box = element("input", { type: "checkbox", onchange: () => {
      view.methods = names.map((_, j) => j).filter((j) => (theirs.includes(j) ? box.checked : view.methods.includes(j)));
      update();
    } });
    return { node: element("label", {}, box, " with published results"), show: () => (box.checked = theirs.every((j) => view.methods.includes(j))) };
  }

  // Groups of methods or data sets, of which the reader takes one
  function groups(title, options, take) {
    const node = element("select", { "aria-label": title, onchange: () => { const found = options[Number(node.value)]; if (found) { take(found[1]); update(); } } },
      [[title], ...options].map(([text], i) => element("option", { value: i - 1 }, text)));
    return options.length ? { node, show: () => (node.value = -1) } : null;
  }

  // The best by the ranks on the page: ranks among these are others, and their critical difference is smaller
  function best(count) {
    const { mean } = board.ranks, order = board.methods.map((_, p) => p).sort((a, b) => mean[a] - mean[b]).slice(0, count);
    return order.map((p) => board.methods[p]).sort((a, b) => a - b);
  }

  function familyGroups() {
    const families = [...new Set(content.methods.map((m) => m.family).filter(Boolean))];
    const of = (family) => names.map((_, j) => j).filter((j) => content.methods[j].family === family);
    const many = names.length > BEST ? [[`best ${BEST} of those shown`, () => (board.ranks ? best(BEST) : view.methods)]] : [];
    const own = families.length ? [["the study's own", () => [...content.chosen]], ["all", () => names.map((_, j) => j)]] : [];
    return [...many, ...own, ...families.map((family) => [`own and ${family}`, () => [...new Set([...content.chosen, ...of(family)])].sort((a, b) => a - b)])];
  }

  function showControls() {
    Object.values(controls).forEach((control) => control.show());
  }

  function build() {
    const holes = content.metrics.some((m) => m.scores.some((row) => row.includes(null)));
    const mark = (i) => (content.methods[i].optimistic ? element("small", {}, " chooses by the test rows") : content.methods[i].published ? element("small", {}, " published") : null);
    controls = {
      metric: content.metrics.length > 1 ? select("score", content.metrics.map((m, i) => [i, m.title]), "metric") : null,
      control: select("control", [[-1, "none"], ...names.map((name, i) => [i, name])], "control"),
      pairs: holes ? switched("compare pairs of methods where scores are missing", "pairs") : null,
      published: publishedSwitch(),
      datasets: choices("data sets", content.datasets, "datasets"),
      kinds: groups("a kind of data sets", [...(content.kinds.length ? [["all that are ranked", content.start]] : []), ...content.kinds], (found) => (view.datasets = found.filter((i) => content.start.includes(i)))),
      methods: choices("methods", names, "methods", mark),
      families: groups("a group of methods", familyGroups(), (found) => (view.methods = found())),
    };
    controls = Object.fromEntries(Object.entries(controls).filter(([, control]) => control));
    const reset = element("button", { type: "button", onclick: () => { view = start(); update(); } }, "Reset");
    const told = element("span", { role: "status" });
    const share = element("button", { type: "button", onclick: async () => (told.textContent = (await cells.put(location.href)) ? "copied" : "the address of this page holds the view") }, "Copy link");
    by("board-controls").replaceChildren(...Object.values(controls).map((control) => control.node), element("span", { class: "buttons" }, reset, " ", share, " ", told));
    by("board-controls").hidden = false;
    showControls();
  }

  build();
  cells.adopt(by("board-scores"), content, view);
  if (location.hash.includes("=")) {
    view = recalled();
    update();
  } else {
    by("board-status").textContent = status(true);
    draw();
  }
  window.addEventListener("hashchange", () => {
    if (!location.hash.includes("=")) return;
    view = recalled();
    update();
  });
  window.addEventListener("beforeprint", () => document.querySelectorAll("details.part").forEach((part) => (part.open = true)));
  let width = innerWidth;
  window.addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    draw();
  });
  Object.assign(window, { leaderboard: { get view() { return view; }, get board() { return board; } } });
})();
