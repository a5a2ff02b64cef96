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

/** Puts everything that came of a program into an element, in the order of its lines. */
export const show = (parent, text, answer) => {
  const parts = [];
  if (answer.wrong) parts.push([0, problem(text, { start: 0, code: "", message: answer.wrong })]);
  for (const found of answer.problems ?? []) parts.push([found.start, problem(text, found)]);
  for (const { at, text: line } of answer.prints ?? []) parts.push([at, result(text, at, line)]);
  for (const { start, text: value } of answer.values ?? []) parts.push([start, result(text, start, value)]);
  for (const { at, svg } of answer.plots ?? []) {
    const figure = element("figure");
    figure.innerHTML = svg;
    parts.push([at, figure]);
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
