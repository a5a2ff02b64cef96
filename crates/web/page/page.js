// The playground: a program, and everything that comes of it as it is typed.

import { Editor, numberAt, notesOf } from "./editor.js";
import { Runner } from "./runner.js";
import { listing, redraw, show } from "./answers.js";
import { fromLink, toLink } from "./links.js";

const PAUSE = 150;
const FIRST = `// Change anything: values appear beside their lines.
fn f(x) = sin(x) * exp(-x / 4.0)

f(1.0)
grad(f)(1.0)
grad(grad(f))(1.0)
plots.curves([f, grad(f)], 0.0, 12.0)
`;

const by = (id) => document.getElementById(id);
const state = by("state"), stop = by("stop"), gallery = by("gallery"), engine = by("engine");
const runner = new Runner(), other = new Runner();
let pause, tab = "results", positions = {};

const editor = new Editor(by("editor"), { changed: () => later(pauseAfterKey()), moved: () => offerSlider() });

let lastKey = -Infinity;

/** A pause in typing is waited for, unless what runs is out of date and nobody has typed for a while: then each moment is lost. */
const pauseAfterKey = () => {
  const since = performance.now() - lastKey;
  lastKey += since;
  return runner.isBusy && since > PAUSE ? 0 : PAUSE;
};

const later = (milliseconds) => {
  clearTimeout(pause);
  pause = setTimeout(run, milliseconds);
};

const run = async () => {
  const text = editor.text;
  positions = {};
  state.textContent = "running …";
  stop.hidden = false;
  const began = performance.now();
  const answer = await runner.ask({ task: "run", text, engine: engine.value });
  if (!answer || text !== editor.text) return;
  stop.hidden = true;
  state.textContent = `${Math.round(performance.now() - began)} ms`;
  editor.show(answer.problems ?? [], notesOf(text, answer));
  show(by("results"), text, answer, moved);
  look();
};

let drawing = false, again = false;

/** Draws plots again for sliders that are being moved: one drawing at a time, the last position counts. */
const moved = async (at, name, position) => {
  positions = { ...positions, [at]: { ...positions[at], [name]: position } };
  again = true;
  if (drawing) return;
  drawing = true;
  while (again) {
    again = false;
    const text = editor.text;
    const answer = await runner.ask({ task: "run", text, engine: engine.value, sliders: positions });
    if (!answer || text !== editor.text) break;
    if (answer.wrong || answer.problems?.length) show(by("results"), text, answer, moved);
    else redraw(by("results"), answer);
  }
  drawing = again = false;
};

/** The function that the cursor is in, or the last one before it. */
const functionAtCursor = () => {
  const before = editor.text.slice(0, editor.text.indexOf("\n", editor.cursor) + 1 || undefined);
  return [...before.matchAll(/^fn\s+([\p{L}_][\p{L}\p{N}_]*)/gmu)].at(-1)?.[1] ?? "";
};

/** Fills the tab that is seen, if it isn't the first. */
const look = async () => {
  if (tab === "results") return;
  const name = functionAtCursor();
  const answer = await other.ask({ task: "levels", text: editor.text, function: name });
  if (!answer) return;
  if (answer.wrong) return listing(by(tab), [["", answer.wrong]]);
  const of = name ? ` of ${name}` : "";
  if (tab === "derivative") {
    const { text, wrong } = answer.derived;
    listing(by(tab), [[`The gradient${of}`, text ?? `// ${wrong}`], [`J${of}, as the calculus has it`, answer.j]]);
  } else {
    const both = ({ l3, l4 }, what) => [[`L3, ${what}: specialised and optimised`, l3], [`L4, ${what}: leaves and memory`, l4]].filter(([, text]) => text);
    const functions = answer.compiled.flatMap((levels) => both(levels, levels.title));
    const steps = answer.steps.flatMap((levels, n) => both(levels, `expression ${n + 1}`));
    listing(by(tab), [[`L1${of}: what the reference evaluator runs`, answer.l1], ...functions, ...steps]);
  }
};

for (const button of document.querySelectorAll("[role=tab]")) {
  button.addEventListener("click", () => {
    tab = button.getAttribute("aria-controls");
    for (const each of document.querySelectorAll("[role=tab]")) each.setAttribute("aria-selected", String(each === button));
    for (const panel of document.querySelectorAll("[role=tabpanel]")) panel.hidden = panel.id !== tab;
    look();
  });
}

let busy = false, changed = false;

/** Runs the program for a number that is being changed: one run at a time, the last number counts. */
const soon = async () => {
  changed = true;
  if (busy) return;
  busy = true;
  while (changed) {
    changed = false;
    clearTimeout(pause);
    await run();
  }
  busy = false;
};

/** A slider for the number at the cursor. */
const offerSlider = () => {
  const found = numberAt(editor.text, editor.cursor);
  const shown = by("editor").querySelector(".slider");
  if (shown && found && shown.dataset.start === String(found.start)) return;
  shown?.remove();
  if (!found) return tab !== "results" && look();
  const value = Number(found.text.replaceAll("_", ""));
  const whole = !/[.e]/.test(found.text);
  const reach = Math.max(1, Math.abs(value) * 2);
  const bar = document.createElement("label");
  bar.className = "slider";
  bar.dataset.start = found.start;
  bar.innerHTML = `<span></span><input type="range" aria-label="The number at the cursor">`;
  const [name, range] = bar.children;
  name.textContent = found.text;
  Object.assign(range, { min: whole ? 0 : value - reach, max: Math.ceil(value + reach), step: whole ? 1 : reach / 200, value });
  range.addEventListener("input", () => {
    const text = whole ? String(Math.round(range.valueAsNumber)) : decimal(range.valueAsNumber);
    editor.replace(found.start, found.end, text);
    found.end = found.start + text.length;
    name.textContent = text;
    soon();
  });
  by("editor").append(bar);
};

/** A real as source; a negative one would be a difference. */
const decimal = (x) => {
  const text = String(Math.abs(Number(x.toPrecision(4))));
  const whole = /[.e]/.test(text) ? text : text + ".0";
  return x < 0 ? `(-${whole})` : whole;
};

stop.addEventListener("click", () => {
  runner.stop();
  stop.hidden = true;
  state.textContent = "stopped";
});
engine.addEventListener("change", run);
by("share").addEventListener("click", async () => {
  history.replaceState(null, "", await toLink(editor.text));
  try {
    await navigator.clipboard.writeText(location.href);
    state.textContent = "the link is copied";
  } catch {
    state.textContent = "the link is in the address bar";
  }
});
by("format").addEventListener("click", async () => {
  const answer = await other.ask({ task: "format", text: editor.text });
  if (typeof answer?.text !== "string") return void (state.textContent = "only a program without mistakes in its syntax can be formatted");
  editor.text = answer.text;
  run();
});
editor.area.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) later(0);
});

const start = async () => {
  let text = FIRST;
  try {
    text = (await fromLink(location.hash)) ?? text;
  } catch (error) {
    state.textContent = error instanceof RangeError ? error.message : "the link is broken";
  }
  editor.text = text;
  run();
};

const fillGallery = async () => {
  const programs = await fetch("gallery.json").then((response) => response.json()).catch(() => []);
  const options = [["", "…"], ...programs.map(({ title }, at) => [at, title])];
  gallery.replaceChildren(...options.map(([value, title]) => new Option(title, value)));
  gallery.addEventListener("change", () => {
    if (gallery.value === "") return;
    editor.text = programs[gallery.value].text;
    history.replaceState(null, "", location.pathname);
    run();
  });
};

addEventListener("hashchange", start);
start();
fillGallery();
