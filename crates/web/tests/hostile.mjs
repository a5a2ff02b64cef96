// Texts as nobody should write them, given to the page's module in node: node hostile.mjs MODULE FILE…
// Each file is cut off at many places, with characters taken out, doubled and put in; and there are texts that are too deep, too long, or no texts at all. Every
// question has an answer with values or mistakes, whose places lie inside the text or at its end. The module traps only where the host's stack ends, on texts that are too deep: the page
// has a message for that (runner.js).
import { readFileSync } from "node:fs";
import { answer, instantiate } from "../page/host.js";

const [module, ...files] = process.argv.slice(2);
const compiled = await WebAssembly.compile(readFileSync(module));

/** Numbers that look random and are the same each time. */
let seed = 19;
const below = (n) => {
  seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
  return Math.floor((seed / 2 ** 32) * n);
};

const CUTS = 40;
const PUT_IN = ['"', "{", "}", "(", ")", "[", "]", "\\", "\u{1d703}", "\0", "\ud800", "=>", "let ", "fn f(", "//", "..", "9".repeat(400), "e308", "\n", "reverse ", "match x {", "'", "\u202e"];
const hurt = (text) => {
  const at = below(text.length + 1);
  switch (below(4)) {
    case 0: return text.slice(0, at);
    case 1: return text.slice(0, at) + text.slice(at + 1 + below(8));
    case 2: return text.slice(0, at) + PUT_IN[below(PUT_IN.length)] + text.slice(at);
    default: return text.slice(at) + text.slice(0, at);
  }
};

const deep = (open, close, n = 20_000) => open.repeat(n) + "1" + close.repeat(n);
const DEEP = [deep("(", ")"), deep("[", "]"), deep("{", "}"), deep("f(", ")"), deep("-", ""), deep("if true { ", " } else { 0 }"), deep("x => ", ""), "1" + " + 1".repeat(50_000), '"{'.repeat(5_000), "let a = 1\n".repeat(20_000)];
const NO_TEXTS = ["", "\0", "\ufeff1 + 1", "\r\n\r\n1", "\ud800\udfff", " ".repeat(100_000), "\t", "//"];
const texts = [...DEEP, ...NO_TEXTS, ...files.flatMap((file) => Array.from({ length: CUTS }, () => hurt(readFileSync(file, "utf8"))))];

let exports, used = 0, wrong = 0;
const ask = async (question) => {
  // A module answers a few questions, so that most time isn't spent on making them.
  if (!exports || used++ >= 10) [exports, used] = [await instantiate(compiled), 0];
  return answer(exports, question);
};
const complain = (text, what) => {
  wrong++;
  console.log(`${JSON.stringify(text.length > 200 ? text.slice(0, 200) + "…" : text)}: ${what}`);
};
for (const text of texts) {
  for (const question of [{ task: "run", text, engine: "compiled" }, { task: "format", text }]) {
    try {
      const found = await ask(question);
      if (found.wrong) complain(text, found.wrong);
      for (const { start, end } of found.problems ?? []) {
        if (!(0 <= start && (start < end || start === text.length) && end <= text.length + 1)) complain(text, `a mistake from ${start} to ${end}`);
      }
    } catch (trap) {
      exports = undefined;
      if (!(trap instanceof RangeError && DEEP.includes(text))) complain(text, `${question.task} ends with ${trap}`);
    }
  }
}
console.log(`${texts.length} texts, ${wrong} wrong`);
process.exit(wrong ? 1 : 0);
