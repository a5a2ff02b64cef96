// The suite on the page's engines, in node: node suite.mjs MODULE [--engine NAME]… [--plain] FILE…
// Every claim holds on every engine, and every value is that of the reference evaluator. `--plain`: compiled without the fma instruction of relaxed SIMD.
import { readFileSync, readdirSync, statSync } from "fs";
import { dirname, join, relative } from "path";
import { answer, instantiate } from "../page/host.js";

const [module, ...rest] = process.argv.slice(2);
const engines = [];
const files = [];
let plain = false;
while (rest.length) {
  const word = rest.shift();
  if (word === "--engine") engines.push(rest.shift());
  else if (word === "--plain") plain = true;
  else files.push(word);
}
if (!engines.length) engines.push("compiled");

const under = (folder) =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? under(path) : [path];
  });

/** The texts that a program in this folder may import. */
const texts = {};
const importable = (folder) =>
  (texts[folder] ??= Object.fromEntries(
    under(folder).filter((path) => statSync(path).size < 100_000).map((path) => [relative(folder, path), readFileSync(path, "utf8")]),
  ));

const compiled = await WebAssembly.compile(readFileSync(module));
const run = async (engine, path) => {
  const refused = [];
  const exports = await instantiate(compiled, { fused: plain ? false : undefined, refused: (why) => refused.push(String(why)) });
  const question = { task: "run", text: readFileSync(path, "utf8"), engine, always: true, files: importable(dirname(path)) };
  const start = performance.now();
  try {
    return { ...answer(exports, question), refused, took: performance.now() - start };
  } catch (trap) {
    return { trap: String(trap.stack ?? trap).split("\n").slice(0, 12).join("\n"), refused };
  }
};

const counts = { claims: 0, values: 0 };
const how = {};
let wrong = 0;
const say = (text) => {
  wrong += 1;
  console.log(text);
};
for (const path of files) {
  const right = await run("reference", path);
  if (right.trap) {
    console.log(`${path}: the reference evaluator ends with ${right.trap.split("\n")[0]}; left out`);
    continue;
  }
  for (const engine of engines) {
    const got = await run(engine, path);
    if (got.trap) {
      say(`${path} on ${engine}: ${got.trap}`);
      continue;
    }
    got.refused.forEach((why) => say(`${path} on ${engine}: refused: ${why}`));
    for (const step of got.steps) {
      how[step.how] = (how[step.how] ?? 0) + 1;
      if (step.why && process.env.WHY) console.log(`${path}@${step.at}: ${step.how}: ${step.why}`);
    }
    counts.claims += got.claims.length;
    counts.values += got.values.length;
    for (const part of ["claims", "problems", "values", "prints", "plots"]) {
      const [a, b] = [right, got].map((answer) => answer[part].map((one) => JSON.stringify(one)));
      const at = a.findIndex((one, at) => one !== b[at]);
      if (at >= 0) say(`${path} on ${engine}: ${part}: expected ${a[at]}\n    found ${b[at]}`);
      else if (a.length !== b.length) say(`${path} on ${engine}: ${b.length} ${part} instead of ${a.length}`);
    }
    if (process.env.VERBOSE) console.log(`${path}: ${right.took.toFixed(0)} ms, ${engine} ${got.took.toFixed(0)} ms`);
  }
}
console.log(`${files.length} files, ${counts.claims} claims and ${counts.values} values, ${wrong} wrong; steps: ${JSON.stringify(how)}`);
process.exit(wrong ? 1 : 0);
