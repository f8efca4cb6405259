// The report page: sorts tables, and switches between the scores and controls that Python wrote.
"use strict";

// The number at the start of a cell's text, such as of "2.50 1.75 to 3.25", "< 0.001" or "3 / 0 / 1"; NaN without one.
const numberIn = (text) => parseFloat(text.replace(/^\s*[<>]\s*/, ""));

// Sort the rows of a table by a column: numbers by size, names by letters; cells without a number stay last.
function sortBy(table, head) {
  const column = head.cellIndex, sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
  const body = table.tBodies[0], text = (row) => row.cells[column]?.textContent.trim() ?? "";
  const isText = column === 0, unknown = (row) => !isText && Number.isNaN(numberIn(text(row)));
  const compare = isText
    ? (a, b) => text(a).localeCompare(text(b), "en", { numeric: true })
    : (a, b) => numberIn(text(a)) - numberIn(text(b));
  const rows = [...body.rows].sort((a, b) => (unknown(a) || unknown(b) ? unknown(a) - unknown(b) : sign * compare(a, b)));
  body.append(...rows);
  table.querySelector("[aria-sort]")?.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
}

for (const table of document.querySelectorAll("table.sorted"))
  for (const head of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sortBy(table, head));
    head.append(button);
  }

const controls = document.querySelector(".controls"), score = document.getElementById("board-score"), control = document.getElementById("board-control");

// Show the board of the chosen score, with the numbers against the chosen control.
function show() {
  document.querySelectorAll(".board").forEach((board, k) => (board.hidden = score !== null && k !== Number(score.value)));
  for (const cell of document.querySelectorAll("[data-each]"))
    (cell.querySelector("button") ?? cell).textContent = JSON.parse(cell.dataset.each)[control.value];
}

if (score || control) {
  controls.hidden = false;
  controls.addEventListener("change", show);
}

addEventListener("beforeprint", () => document.querySelectorAll("details.part").forEach((part) => (part.open = true)));
