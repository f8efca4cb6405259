// ROC and precision-recall curves of the best method and the control, and a threshold that its reader moves.
"use strict";
const decisions = (() => {
  const { element } = charts, SIDE = 300, EDGE = 42;
  const percent = (v) => (Number.isFinite(v) ? `${(100 * v).toFixed(1)} %` : "–");

  // What a threshold decides: the last of the falling thresholds that is not below it.
  function at(curve, threshold) {
    let last = -1;
    while (last + 1 < curve.threshold.length && curve.threshold[last + 1] >= threshold) last++;
    const right = last < 0 ? 0 : curve.right[last], wrong = last < 0 ? 0 : curve.wrong[last];
    return { right, wrong, recall: right / curve.positives, fall: wrong / curve.negatives, precision: right / (right + wrong) };
  }

  function points(curve, kind) {
    const found = curve.threshold.map((_, i) => {
      const right = curve.right[i], wrong = curve.wrong[i];
      return kind === "roc" ? [wrong / curve.negatives, right / curve.positives] : [right / curve.positives, right / (right + wrong)];
    });
    return kind === "roc" ? [[0, 0], ...found, [1, 1]] : found;
  }

  function chart(kind, methods, threshold) {
    const [across, up] = kind === "roc" ? ["false positives", "recall"] : ["recall", "precision"];
    const x = (v) => EDGE + v * (SIDE - EDGE - 8), y = (v) => SIDE - EDGE - v * (SIDE - EDGE - 8);
    const svg = element("svg", { viewBox: `0 0 ${SIDE} ${SIDE}`, width: SIDE, height: SIDE, class: "chart", role: "img", "aria-label": `${kind === "roc" ? "ROC" : "precision-recall"} curves of ${methods.map((m) => m.name).join(" and ")}` });
    svg.append(element("path", { d: `M${x(0)},${y(1)}V${y(0)}H${x(1)}`, fill: "none", stroke: "var(--soft)" }));
    for (const v of [0, 0.5, 1]) {
      svg.append(element("text", { x: x(v), y: y(0) + 15, "text-anchor": "middle", "font-size": 11, fill: "var(--ink)" }, String(v)));
      svg.append(element("text", { x: x(0) - 6, y: y(v) + 4, "text-anchor": "end", "font-size": 11, fill: "var(--ink)" }, String(v)));
    }
    svg.append(element("text", { x: x(0.5), y: SIDE - 8, "text-anchor": "middle", "font-size": 12, fill: "var(--ink)" }, across));
    svg.append(element("text", { x: 12, y: y(0.5), "text-anchor": "middle", "font-size": 12, fill: "var(--ink)", transform: `rotate(-90 12 ${y(0.5)})` }, up));
    methods.forEach((m, i) => {
      const d = points(m.curve, kind).filter((p) => p.every(Number.isFinite)).map(([a, b], j) => `${j ? "L" : "M"}${x(a).toFixed(1)},${y(b).toFixed(1)}`).join("");
      const color = i ? "var(--orange)" : "var(--blue)", now = at(m.curve, threshold);
      svg.append(element("path", { d, fill: "none", stroke: color, "stroke-width": 2, "stroke-dasharray": i ? "5 3" : null }));
      const [a, b] = kind === "roc" ? [now.fall, now.recall] : [now.recall, now.precision];
      if (Number.isFinite(a) && Number.isFinite(b)) svg.append(element("circle", { cx: x(a), cy: y(b), r: 5, fill: color }));
    });
    return svg;
  }

  function show(place, content) {
    const { positives, negatives } = content.methods[0].curves[content.positive];
    const view = { of: content.positive, threshold: content.threshold ?? Math.max(0.01, Math.round((100 * positives) / (positives + negatives)) / 100) };
    const drawn = element("div", { class: "curves" }), table = element("table", {}), said = element("p", { class: "caption", role: "status" });
    const slider = element("input", { type: "range", min: 0.01, max: 0.99, step: 0.01, value: view.threshold, oninput: () => { view.threshold = Number(slider.value); draw(); } });
    const shown = element("output", {}), choice = element("select", { onchange: () => { view.of = Number(choice.value); draw(); } }, content.classes.map((name, k) => element("option", { value: k }, name)));
    choice.value = view.of;
    function draw() {
      const methods = content.methods.filter((m) => m.curves[view.of]).map((m) => ({ name: m.name, curve: m.curves[view.of] }));
      shown.textContent = view.threshold.toFixed(2);
      drawn.replaceChildren(chart("roc", methods, view.threshold), chart("precision", methods, view.threshold));
      const head = ["method", "decided for", "recall", "precision", "false positives"].map((t) => element("th", { scope: "col" }, t));
      table.replaceChildren(element("tr", {}, head), ...methods.map((m, i) => {
        const now = at(m.curve, view.threshold), values = [`${now.right + now.wrong} of ${m.curve.positives + m.curve.negatives}`, percent(now.recall), percent(now.precision), percent(now.fall)];
        return element("tr", {}, element("th", { scope: "row" }, element("span", { style: `color: var(--${i ? "orange" : "blue"})` }, i ? "╌ " : "— "), m.name), values.map((v) => element("td", {}, v)));
      }));
      said.textContent = content.classes.length === 2 && view.of === content.positive
        ? `A model that decides for ${content.classes[view.of]} from this probability on: put "threshold: ${view.threshold.toFixed(2)}" below "model:" in the study's file, and run it again.`
        : `Rows whose probability of ${content.classes[view.of]} is at least this.`;
    }
    const pick = element("label", {}, "class ", choice);
    place.replaceChildren(element("div", { class: "controls" }, pick, element("label", {}, "threshold ", slider, " ", shown)), drawn, element("div", { class: "scroll" }, table), said);
    draw();
  }

  const all = () => document.querySelectorAll("script.decisions-content").forEach((script) => show(script.nextElementSibling, JSON.parse(script.textContent)));
  return { at, points, all };
})();
if (typeof document !== "undefined") decisions.all();
