// The programs of `benches/programs` as compiled WebAssembly, in node: node speed.mjs MODULE EVERT-BENCH [NAME…]
// Beside them the times of the native engine, by the program `evert-bench`, in the same run. What counts is the ratio: a table in Markdown.
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { answer, instantiate } from "../page/host.js";

const [module, bench, ...names] = process.argv.slice(2);
const folder = new URL("../../../benches/programs", import.meta.url).pathname;
const ROUNDS = 5;

const compiled = await WebAssembly.compile(readFileSync(module));

/** The least processor time of each kernel in milliseconds, by its name. */
const inNode = async (text) => {
  const kernels = [...text.matchAll(/^let (primal|gradient|forward|ff|fr|rf|rr) = (.*)$/gm)];
  const setting = kernels.reduce((text, [line]) => text.replace(line, ""), text);
  const least = {};
  for (const [, kernel, expression] of kernels) {
    const times = [];
    const calls = (call) => {
      const began = process.cpuUsage();
      call();
      const { user, system } = process.cpuUsage(began);
      times.push((user + system) / 1000);
    };
    const exports = await instantiate(compiled, { calls });
    // Several steps of one program: each is compiled, and runs, anew.
    const found = answer(exports, { task: "run", text: setting + `let ${kernel} = ${expression}\n`.repeat(ROUNDS).replaceAll(/let (\w+) =/g, (_, name, at) => `let ${name}_${at} =`), engine: "compiled", always: true });
    const mistakes = found.problems?.filter(({ warning }) => !warning) ?? [];
    if (mistakes.length) throw new Error(`${kernel}: ${mistakes[0].message}`);
    least[kernel] = Math.min(...times.filter((time) => time > Math.max(...times) / 20));
  }
  return least;
};

/** Milliseconds from `7.91 ms` or `12 µs`. */
const milliseconds = (text) => parseFloat(text) * { s: 1000, ms: 1, µs: 0.001 }[text.trim().split(" ")[1]];

/** The native engine's times by kernel, from the table that the benchmarks print. */
const natively = (name) => {
  const printed = execFileSync(bench, ["--no-c", "--no-jax", "--quick", "--only", name], { encoding: "utf8", cwd: join(folder, "../..") });
  const table = printed.split("\n## ")[0];
  const rows = [...table.matchAll(/^\| *(\w+) *\| *(\w+) *\| *([\d.]+ [mµ]?s)/gm)].filter(([, program]) => program === name);
  return Object.fromEntries(rows.map(([, , kernel, time]) => [kernel, milliseconds(time)]));
};

console.log("| program | kernel | WebAssembly | LLVM | ratio |\n|---|---|---|---|---|");
const all = readdirSync(folder).filter((file) => file.endsWith(".ev")).map((file) => file.slice(0, -3));
for (const name of names.length ? names : all) {
  const [page, native] = [await inNode(readFileSync(join(folder, `${name}.ev`), "utf8")), natively(name)];
  for (const kernel of Object.keys(page)) {
    const shown = (time) => (time === undefined ? "" : `${time.toPrecision(3)} ms`);
    console.log(`| ${name} | ${kernel} | ${shown(page[kernel])} | ${shown(native[kernel])} | ${(page[kernel] / native[kernel]).toFixed(2)} |`);
  }
}
