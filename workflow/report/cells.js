// The table of scores, and what is behind each of them: seed, configuration, file and MLflow run.
"use strict";
const cells = (() => {
  const { element } = charts;
  const known = (v) => v !== null && v !== undefined;
  const print = (v) => (!known(v) ? "failed" : Math.abs(v) >= 10 ? String(Number(v.toPrecision(5))) : v.toFixed(4));
  const quoted = (text) => (text.includes("'") ? `"${text}"` : `'${text}'`);
  let opened = null;

  // Scores as they are printed: those that are compared may be multiples of something.
  const shown = (metric, i, j) => (metric.shown || metric.scores)[i][j];

  // Rows data sets, columns methods. The table keeps which of them it shows, for clicks and keys.
  function fill(table, content, view) {
    const metric = content.metrics[view.metric], baseline = metric.baseline;
    table.tHead.replaceChildren(
      element("tr", {}, element("th", { scope: "col" }, "data set"), view.methods.map((j) => element("th", { scope: "col" }, content.methods[j].name)),
        baseline ? element("th", { scope: "col" }, content.baseline) : null));
    const best = (i) => {
      const fair = view.methods.filter((j) => known(metric.scores[i][j]) && !content.methods[j].optimistic);
      const least = fair.reduce((a, j) => (a === null || (metric.scores[i][j] - metric.scores[i][a]) * (metric.higher ? -1 : 1) < 0 ? j : a), null);
      return least;
    };
    table.tBodies[0].replaceChildren(...view.datasets.map((i) => {
      const first = best(i);
      const numbers = view.methods.map((j) => {
        const spread = metric.spread ? metric.spread[i][j] : null;
        return element("td", { class: j === first ? "best" : null }, print(shown(metric, i, j)), known(spread) ? element("small", {}, ` (${print(spread)})`) : null);
      });
      return element("tr", {}, element("th", { scope: "row" }, content.datasets[i]), numbers, baseline ? element("td", { class: "baseline" }, known(baseline[i]) ? print(baseline[i]) : "-") : null);
    }));
    adopt(table, content, view);
  }

  // Make the cells of a table, ours or one that was there before, open what is behind them.
  function adopt(table, content, view) {
    table.shows = { content, datasets: view.datasets, methods: view.methods };
    if (!table.opens) {
      table.opens = true;
      table.setAttribute("role", "grid");
      table.classList.add("opens");
      table.addEventListener("click", (event) => open(event.target.closest("td")));
      table.addEventListener("keydown", (event) => steer(event, event.target.closest("td")));
    }
    const first = table.tBodies[0].querySelector("td");
    if (first) first.tabIndex = 0; // one stop of the Tab key; arrows lead on from there
  }

  function steer(event, cell) {
    if (!cell) return;
    const row = cell.parentElement, rows = [...row.parentElement.rows], at = rows.indexOf(row), column = cell.cellIndex;
    const to = {
      ArrowLeft: () => row.cells[column - 1], ArrowRight: () => row.cells[column + 1],
      ArrowUp: () => rows[at - 1]?.cells[column], ArrowDown: () => rows[at + 1]?.cells[column],
      Home: () => row.cells[1], End: () => row.cells[row.cells.length - 1],
    }[event.key];
    if (event.key === "Enter" || event.key === " ") open(cell);
    else if (!to) return;
    else {
      const next = to();
      if (next?.tagName === "TD") {
        cell.tabIndex = -1;
        next.tabIndex = 0;
        next.focus();
      }
    }
    event.preventDefault();
  }

  function open(cell) {
    if (!cell) return;
    const { content, datasets, methods } = cell.closest("table").shows;
    const i = datasets[cell.parentElement.sectionRowIndex], j = methods[cell.cellIndex - 1];
    if (i === undefined || j === undefined) return;
    const facts = content.cells, { name } = content.methods[j], dataset = content.datasets[i], lines = [];
    content.metrics.forEach((metric) => {
      const spread = metric.spread ? metric.spread[i][j] : null, value = shown(metric, i, j);
      lines.push([metric.title, known(value) ? print(value) + (known(spread) ? `, standard deviation ${print(spread)}` : "") : "no score: the method failed, or was not run"]);
    });
    for (const [kind, word] of [["fit", "training, seconds"], ["predict", "predicting, seconds"]])
      if (content.times[kind] && known(content.times[kind][i][j])) lines.push([word, String(content.times[kind][i][j])]);
    if (facts && known(facts.counts[i][j])) {
      const path = `${facts.folders[i]}/methods/${facts.files[j]}.nc`;
      lines.push([facts.word, String(facts.counts[i][j])], ["seed of the study", String(facts.seed)], ["outputs", path], ["record", path.replace(/\.nc$/, ".run.json")]);
      const tags = { "tags.`rotastack.kind`": "method", "tags.study": facts.study, "tags.dataset": dataset, "tags.method": name };
      lines.push([`MLflow run, in experiment ${facts.study}: search for`, Object.entries(tags).map(([tag, value]) => `${tag} = ${quoted(value)}`).join(" and ")]);
      lines.push(["if there are several", "runs of earlier configurations have the tag rotastack.superseded = yes; the tag rotastack.key tells configurations apart"]);
    }
    show(`${name} on ${dataset}`, [...lines, ...about(content.methods[j])], cell);
  }

  function openMethod(content, j, from) {
    show(content.methods[j].name, about(content.methods[j]), from);
  }

  function about(method) {
    const lines = [];
    if (method.published) lines.push(["published", method.published]);
    if (method.optimistic) lines.push(["careful", "it chooses members by the test rows, so its scores are better than they would be on new rows"]);
    if (method.about) lines.push(["configuration", method.about]);
    return lines;
  }

  function show(title, lines, from) {
    let dialog = document.getElementById("cell");
    if (!dialog) {
      const close = () => dialog.close();
      dialog = element("dialog", { id: "cell", "aria-labelledby": "cell-title" },
        element("h3", { id: "cell-title", tabindex: -1, autofocus: true }), element("dl", {}),
        element("p", {}, element("button", { type: "button", onclick: () => copy(dialog) }, "Copy"), " ", element("button", { type: "button", onclick: close }, "Close"), " ", element("span", { role: "status" })));
      dialog.addEventListener("click", (event) => event.target === dialog && close());
      dialog.addEventListener("close", () => opened?.focus());
      document.body.append(dialog);
    }
    opened = from;
    dialog.querySelector("h3").textContent = title;
    dialog.querySelector("[role=status]").textContent = "";
    dialog.querySelector("dl").replaceChildren(...lines.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)]));
    dialog.showModal();
  }

  const copied = (dialog) => [dialog.querySelector("h3").textContent, ...[...dialog.querySelectorAll("dt")].map((dt) => `${dt.textContent}: ${dt.nextSibling.textContent}`)].join("\n");

  async function copy(dialog) {
    const said = dialog.querySelector("[role=status]");
    said.textContent = (await put(copied(dialog))) ? "copied" : "select the text to copy it";
  }

  // Put a text on the clipboard; pages that were opened as files may not.
  async function put(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return false;
    }
  }

  return { fill, adopt, openMethod, print, put };
})();
