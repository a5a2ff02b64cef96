// Answers as HTML.

import { lineOf } from "./editor.js";

const element = (name, className, text) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
};

/** A mistake, with the page that explains it. */
const problem = (text, { start, code, message, notes = [], help = [], warning }) => {
  const box = element("div", warning ? "problem is-warning" : "problem");
  const first = element("p");
  const link = element("a", "", code);
  link.href = `manual.html#errors/${code}`;
  first.append(link, ` ${message} `, element("span", "place", `line ${lineOf(text, start) + 1}`));
  box.append(first);
  for (const note of notes) box.append(element("pre", "", note));
  for (const line of help) box.append(element("p", "", `Help: ${line}`));
  return box;
};

const result = (text, at, shown) => {
  const row = element("div", "result");
  row.append(element("span", "place", lineOf(text, at) + 1), element("span", "", shown));
  return row;
};

/** A number, short. */
const short = (x) => String(Number(x.toPrecision(4)));

/** A plot, with its sliders; `moved` is told where they are put. */
const figureOf = ({ at, svg, sliders = [] }, moved) => {
  const figure = element("figure");
  figure.dataset.at = at;
  const picture = element("div", "picture");
  picture.innerHTML = svg;
  figure.append(picture);
  if (!sliders.length) return figure;
  const box = element("div", "sliders");
  for (const { name, from, to, position } of sliders) {
    const range = element("input");
    Object.assign(range, { type: "range", min: Math.min(from, to), max: Math.max(from, to), step: Math.abs(to - from) / 200 || 1 });
    range.value = position;
    range.setAttribute("aria-label", name);
    const shown = element("output", "", short(position));
    range.addEventListener("input", () => {
      shown.textContent = short(range.valueAsNumber);
      moved(at, name, range.valueAsNumber);
    });
    box.append(element("label", "", name), range, shown);
  }
  figure.append(box);
  return figure;
};

/** Draws the plots of an answer where those of an earlier one are: the sliders stay as they are, one of them is being moved. */
export const redraw = (parent, answer) => {
  for (const { at, svg } of answer.plots ?? []) {
    const picture = parent.querySelector(`figure[data-at="${at}"] .picture`);
    if (picture) picture.innerHTML = svg;
  }
};

/** Puts everything that came of a program into an element, in the order of its lines. `moved` is told of sliders of plots. */
export const show = (parent, text, answer, moved = () => {}) => {
  const parts = [];
  if (answer.wrong) parts.push([0, problem(text, { start: 0, code: "", message: answer.wrong })]);
  for (const found of answer.problems ?? []) parts.push([found.start, problem(text, found)]);
  for (const { at, text: line } of answer.prints ?? []) parts.push([at, result(text, at, line)]);
  for (const { start, text: value } of answer.values ?? []) parts.push([start, result(text, start, value)]);
  for (const plot of answer.plots ?? []) parts.push([plot.at, figureOf(plot, moved)]);
  if (answer.instead) parts.push([-1, element("p", "aside", `This ran on ${answer.instead}.`)]);
  for (const { at, how, why } of answer.steps ?? []) {
    if (how === "interpreted" && why) parts.push([at, element("p", "aside", `line ${lineOf(text, at) + 1} is interpreted: ${why}`)]);
  }
  for (const { at, name, ok, left_out: left } of answer.claims ?? []) {
    if (left) parts.push([Infinity, element("p", "place", `Not looked at: ${name}`)]);
    else if (name) parts.push([at, result(text, at, `${ok ? "✓" : "✗"} ${name}`)]);
  }
  parts.sort(([a], [b]) => a - b);
  parent.replaceChildren(...parts.map(([, part]) => part));
};

export const listing = (parent, parts) => {
  parent.replaceChildren(...parts.flatMap(([title, text]) => [element("h3", "", title), element("pre", "listing", text)]));
};
