// A text area with a painted copy behind it: colours, underlines, values at the ends of lines.

const TOKENS = /(\/\/[^\n]*)|("(?:\\.|[^"\\\n])*"?)|(\b(?:\d[\d_]*\.\d[\d_]*(?:e[+-]?\d+)?|\d[\d_]*(?:e[+-]?\d+)?)\b)|(\b(?:fn|let|if|else|match|type|for|in|with|reverse|forward|import|as|test|true|false|approximate)\b)/g;
const CLASSES = ["comment", "text", "number", "word"];

const escape = (text) => text.replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);

/** The class of each character, by token. */
const tokens = (text) => {
  const kinds = new Array(text.length).fill("");
  for (const found of text.matchAll(TOKENS)) {
    const kind = CLASSES[found.slice(1).findIndex((group) => group !== undefined)];
    kinds.fill(kind, found.index, found.index + found[0].length);
  }
  return kinds;
};

/** The text as HTML: problems underlined, notes behind the lines. */
export const painted = (text, problems = [], notes = new Map()) => {
  const kinds = tokens(text);
  for (const { start, end, warning } of problems) {
    for (let at = start; at < Math.min(end, text.length); at++) kinds[at] += warning ? " warn" : " wrong";
  }
  let out = "", line = 0, from = 0;
  const flush = (to) => {
    if (to > from) out += kinds[from] ? `<span class="${kinds[from]}">${escape(text.slice(from, to))}</span>` : escape(text.slice(from, to));
    from = to;
  };
  for (let at = 0; at <= text.length; at++) {
    const ends = at === text.length || text[at] === "\n";
    if (ends || kinds[at] !== kinds[from]) flush(at);
    if (!ends) continue;
    for (const { kind, text: note } of notes.get(line) ?? []) out += `  <span class="${kind}">${escape(note)}</span>`;
    out += "\n";
    from = at + 1;
    line++;
  }
  return out;
};

/** The number around a place, if there is one. */
export const numberAt = (text, place) => {
  for (const found of text.matchAll(TOKENS)) {
    const [start, end] = [found.index, found.index + found[0].length];
    if (start > place) return;
    if (place <= end && found[3] !== undefined) return { start, end, text: found[3] };
  }
};

export class Editor {
  /** Calls `changed` after each change of the text, and `moved` when the cursor is elsewhere. */
  constructor(parent, { label = "Program", changed = () => {}, moved = () => {} } = {}) {
    parent.insertAdjacentHTML("beforeend", '<div class="code"><pre aria-hidden="true"></pre><textarea spellcheck="false" autocapitalize="off" autocomplete="off" wrap="off"></textarea></div>');
    this.box = parent.lastElementChild;
    [this.paint, this.area] = this.box.children;
    this.area.setAttribute("aria-label", label);
    this.area.title = "Esc, then Tab, leaves the program";
    this.problems = [];
    this.notes = new Map();
    this.area.addEventListener("input", () => {
      this.problems = [];
      this.notes = new Map();
      this.draw();
      changed();
    });
    this.area.addEventListener("scroll", () => this.follow());
    for (const event of ["keyup", "click"]) this.area.addEventListener(event, moved);
    this.area.addEventListener("keydown", (event) => this.key(event));
  }

  get text() {
    return this.area.value;
  }

  set text(text) {
    this.area.value = text;
    this.show([], new Map());
  }

  get cursor() {
    return this.area.selectionStart;
  }

  /** Replaces a part of the text, as if it had been typed. */
  replace(start, end, text) {
    this.area.setRangeText(text, start, end, "preserve");
    this.area.dispatchEvent(new Event("input"));
  }

  show(problems, notes) {
    this.problems = problems;
    this.notes = notes;
    this.draw();
  }

  draw() {
    this.paint.innerHTML = painted(this.text, this.problems, this.notes);
    this.follow();
  }

  follow() {
    this.paint.style.transform = `translate(${-this.area.scrollLeft}px, ${-this.area.scrollTop}px)`;
  }

  key(event) {
    if (event.key === "Escape") this.leaves = true;
    else if (event.key === "Tab" && !event.shiftKey && !this.leaves) {
      event.preventDefault();
      this.insert("  ");
    } else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      const before = this.text.slice(0, this.cursor);
      const line = before.slice(before.lastIndexOf("\n") + 1);
      this.insert("\n" + line.match(/^ */)[0] + (/[{(\[]\s*$/.test(line) ? "  " : ""));
    } else if (event.key !== "Tab" && event.key !== "Shift") this.leaves = false;
  }

  insert(text) {
    const { selectionStart: start, selectionEnd: end } = this.area;
    this.area.setRangeText(text, start, end, "end");
    this.area.dispatchEvent(new Event("input"));
  }
}

/** Which line a place is on, from 0. */
export const lineOf = (text, place) => {
  let line = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < place; at = text.indexOf("\n", at + 1)) line++;
  return line;
};

const SHORT = 80;

/** What stands behind the lines of a text: its values, and whether what it claims holds. */
export const notesOf = (text, answer) => {
  const notes = new Map();
  const lines = text.split("\n");
  const add = (line, note) => notes.set(line, [...(notes.get(line) ?? []), note]);
  for (const { end, text: value } of answer.values ?? []) {
    const line = lineOf(text, end);
    const flat = value.replace(/\s+/g, " ");
    if (!/\/\/[=!]/.test(lines[line])) add(line, { kind: "value", text: flat.length > SHORT ? flat.slice(0, SHORT) + "…" : flat });
  }
  for (const { at, ok, left_out: left } of answer.claims ?? []) {
    if (ok && !left) add(lineOf(text, at), { kind: "fine", text: "✓" });
  }
  return notes;
};
