// The manual: the documents of the repository, with programs that can be changed where they stand. The programs of a page are one program, from top to bottom.

import { Editor, notesOf } from "./editor.js";
import { Runner } from "./runner.js";
import { redraw, show } from "./answers.js";
import { html } from "./markdown.js";

const PAUSE = 250;
const state = document.getElementById("state");
const page = document.getElementById("page");
const runner = new Runner();
let blocks = [], folder = "", pause, positions = [];

const later = () => {
  clearTimeout(pause);
  pause = setTimeout(run, PAUSE);
};

/** Runs all blocks, one after the other. */
const run = async () => {
  if (blocks.length === 0) return;
  state.textContent = "running …";
  positions = [];
  const answer = await ask();
  if (!answer) return;
  state.textContent = answer.wrong ?? "";
  blocks.forEach(({ editor, answers }, at) => {
    const own = answer.answers?.[at] ?? {};
    editor.show(own.problems ?? [], notesOf(editor.text, own));
    const shown = { ...own, values: [], steps: [], claims: own.claims?.filter(({ ok }) => !ok) };
    show(answers, editor.text, shown, (place, name, position) => moved(at, place, name, position));
  });
};

const ask = async () => {
  const texts = blocks.map(({ editor }) => editor.text);
  return runner.ask({ task: "run", texts, files: await filesOf(texts), engine: "compiled", sliders: positions });
};

let drawing = false, again = false;

/** Draws plots again for sliders that are being moved: one drawing at a time, the last position counts. */
const moved = async (block, place, name, position) => {
  for (let at = 0; at < blocks.length; at++) positions[at] ??= {};
  positions[block] = { ...positions[block], [place]: { ...positions[block][place], [name]: position } };
  again = true;
  if (drawing) return;
  drawing = true;
  while (again) {
    again = false;
    const answer = await ask();
    if (!answer) break;
    blocks.forEach(({ answers }, at) => redraw(answers, answer.answers?.[at] ?? {}));
  }
  drawing = again = false;
};

const known = new Map();

/** The files of data that programs import: the manual's own are at hand. */
const filesOf = async (texts) => {
  const paths = texts.flatMap((text) => [...text.matchAll(/^import\s+"([\w./-]+)"/gm)].map((found) => found[1]));
  for (const path of paths.filter((path) => !known.has(path) && !path.includes(".."))) {
    const response = await fetch(`docs/${folder}${path}`);
    if (response.ok) known.set(path, await response.text());
  }
  return Object.fromEntries(known);
};

const isMarkdown = (path) => /\.md$/.test(path.split("#")[0]);

/** Where a link of a document leads: documents stay here. */
const linkFrom = (folder) => (to, kind) => {
  if (/^[a-z]+:/.test(to)) return to;
  if (to.startsWith("#")) return location.hash.split("/#")[0];
  const path = new URL(to, `http://x/docs/${folder}`).pathname.slice(1);
  if (kind === "image") return path.replace(/^docs\//, "docs/");
  if (isMarkdown(path) && path.startsWith("docs/")) return "#" + path.slice(5, -3);
  return path;
};

const open = async () => {
  const name = decodeURIComponent(location.hash.slice(1)) || "tour";
  folder = name.includes("/") ? name.slice(0, name.lastIndexOf("/") + 1) : "";
  const response = /^[\w./-]+$/.test(name) && !name.includes("..") ? await fetch(`docs/${name}.md`) : { ok: false };
  if (!response.ok) {
    blocks = [];
    page.textContent = `There is no page ${name}.`;
    return;
  }
  const code = (kind, text) => {
    if (kind !== "evert") return `<pre>${text.replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c])}</pre>`;
    return `<div class="block" data-text="${encodeURIComponent(text)}"></div>`;
  };
  page.innerHTML = html(await response.text(), { code, link: linkFrom(folder) });
  document.title = `Evert: ${page.querySelector("h1")?.textContent ?? name}`;
  blocks = [...page.querySelectorAll(".block")].map((box) => {
    const fit = () => (editor.box.style.height = `calc(${editor.text.split("\n").length} * 21px + 1.6rem)`);
    const editor = new Editor(box, { label: "Program in the page", changed: () => (fit(), later()) });
    editor.text = decodeURIComponent(box.dataset.text);
    fit();
    box.insertAdjacentHTML("beforeend", '<div class="answers"></div>');
    return { editor, answers: box.lastElementChild };
  });
  scrollTo(0, 0);
  run();
};

const pages = await fetch("pages.json").then((response) => response.json()).catch(() => []);
document.getElementById("pages").innerHTML = pages.map(({ name, title }) => `<a href="#${name}">${title}</a>`).join(" ");
addEventListener("hashchange", open);
open();
