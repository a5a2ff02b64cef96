// The page in a real browser: `cargo xtask page test`.
//
// node page.mjs ADDRESS BROWSER, with playwright-core where node finds it.

import { createRequire } from "node:module";
import assert from "node:assert/strict";

const [address, executablePath, modules, pictures] = process.argv.slice(2);
const { chromium } = createRequire(modules + "/")("playwright-core");
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"] });
const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, permissions: ["clipboard-read", "clipboard-write"] });
const page = await context.newPage();
const mistakes = [];
page.on("pageerror", (error) => mistakes.push(String(error)));

const area = page.locator("#editor textarea");
const notes = () => page.locator("#editor .value").allTextContents();
const type = async (text) => {
  await area.fill(text);
};
const settled = async (test) => {
  for (let n = 0; n < 400; n++) {
    if (await test()) return;
    await page.waitForTimeout(50);
  }
  throw new Error(`it doesn't happen: ${test}; ${(await page.locator("main").innerText()).slice(0, 2000)}`);
};
const step = async (name, body) => {
  await body();
  console.log(`ok ${name}`);
};

await page.goto(address + "/");
await step("the first program has values and curves", async () => {
  await settled(async () => (await notes()).length === 3);
  assert.equal((await notes())[0].slice(0, 6), String(Math.sin(1) * Math.exp(-0.25)).slice(0, 6));
  assert.equal(await page.locator("#results svg.evert-plot").count(), 1);
  if (pictures) await page.screenshot({ path: `${pictures}/playground.png` });
});
await step("values appear as one types", async () => {
  await type("let θ = 3.0\ngrad(x => x^2 * θ)(2.0)\n");
  await settled(async () => (await notes()).join() === "12.0");
});
await step("mistakes are underlined where they stand, and lead to their page", async () => {
  await type("let 𝜃 = 1.0\n𝜃𝜃 + 1\n");
  await settled(async () => (await page.locator("#editor .wrong").allTextContents()).join("") === "𝜃𝜃");
  assert.equal(await page.locator("#results .problem a").getAttribute("href"), "manual.html#errors/E0201");
});
await step("a number at the cursor has a slider, which changes the program and its value", async () => {
  await type("2.0 * 2\n");
  await area.press("Control+Home");
  await area.press("ArrowRight");
  await settled(async () => (await page.locator(".slider input").count()) === 1);
  await page.locator(".slider input").fill("4");
  await settled(async () => (await notes()).join() === "8.0");
  assert.equal(await area.inputValue(), "4.0 * 2\n");
});
await step("an endless program is stopped by the next one", async () => {
  await type("while_loop(x => true, x => x + 1, 0)\n");
  await settled(async () => page.locator("#stop").isVisible());
  const began = Date.now();
  await type("1 + 1\n");
  await settled(async () => (await notes()).join() === "2");
  console.log(`   ${Date.now() - began} ms to the next value`);
});
await step("an endless program is stopped by hand", async () => {
  await type("while_loop(x => true, x => x + 1, 0)\n");
  await settled(async () => page.locator("#stop").isVisible());
  await page.locator("#stop").click();
  await settled(async () => (await page.locator("#state").innerText()) === "stopped");
});
await step("too deep and too large are messages, and the next program runs", async () => {
  for (const text of ["fn f(n) = if n == 0 { 0 } else { 1 + f(n - 1) }\nf(100000000)\n", "sum(zeros(1000000000000))\n"]) {
    await type(text);
    await settled(async () => (await page.locator("#results .problem").count()) === 1);
  }
  await type("[1.0, 2.0]\n");
  await settled(async () => (await notes()).join() === "[1.0, 2.0]");
});
await step("a link holds the program", async () => {
  await type("let x = \"ü\"\nx\n");
  await page.locator("#share").click();
  await settled(async () => page.url().includes("#p="));
  const elsewhere = await context.newPage();
  await elsewhere.goto(page.url());
  await elsewhere.waitForFunction(() => document.querySelector("#editor textarea").value === 'let x = "ü"\nx\n');
  await elsewhere.goto(address + "/#p=nonsense");
  await elsewhere.waitForFunction(() => document.querySelector("#state").textContent !== "");
  await elsewhere.close();
});
await step("a wrong rule is marked", async () => {
  await type("fn f(x) = x^2\n  reverse x => (x^2, d => ({}, 3 * x * d))\ngrad(f)(2.0)\n");
  await settled(async () => (await page.locator("#results").innerText()).includes("✗ the rule of `f`"));
});
await step("the derivative and the levels of the function at the cursor", async () => {
  await type("fn f(x) = x^2\nfn g(x) = f(x) * 3.0\ng(1.0)\n");
  await page.locator("#tab-derivative").click();
  await settled(async () => (await page.locator("#derivative").innerText()).includes("fn g_grad(x)"));
  await page.locator("#tab-levels").click();
  await settled(async () => (await page.locator("#levels").innerText()).includes("entry f0"));
  await page.locator("#tab-results").click();
});
await step("a slider of a plot changes the plot", async () => {
  await type('plots.slider("k", 1, 5, k => plot(x => sin(k * x), 0, 6))\n');
  await settled(async () => (await page.locator("#results .sliders input").count()) === 1);
  const before = await page.locator("#results .picture").innerHTML();
  await page.locator("#results .sliders input").fill("4.5");
  await settled(async () => (await page.locator("#results .picture").innerHTML()) !== before);
  assert.equal(await page.locator("#results .sliders output").innerText(), "4.5");
});
await step("the gradient of the function at the cursor is shown on L4", async () => {
  await type("fn f(x) = sin(x) * x\nf(1.5)\n");
  await area.press("Control+Home");
  await page.locator("#tab-levels").click();
  await settled(async () => (await page.locator("#levels").innerText()).includes("L4, grad(f)(x)"));
  await page.locator("#tab-results").click();
});
await step("a program is compiled, and what can't be is named", async () => {
  await page.locator("#engine").selectOption("compiled");
  await type("fn go(i, x) = if i >= 3000000 { x } else { go(i + 1, 3.7 * x * (1.0 - x)) }\ngo(0, 0.3)\n");
  const began = Date.now();
  await settled(async () => (await notes()).length === 1);
  console.log(`   ${Date.now() - began} ms to three million steps`);
});
await step("the engines agree", async () => {
  await type("hessian(v => sum(v^3))([1.0, 2.0])\n");
  await settled(async () => (await notes()).length === 1);
  const [first] = await notes();
  for (const engine of ["first-order", "reference", "compiled"]) {
    await page.locator("#engine").selectOption(engine);
    await settled(async () => (await page.locator("#state").innerText()).endsWith("ms") && (await notes()).join() === first);
  }
});
await step("the gallery, and formatting", async () => {
  const programs = await page.locator("#gallery option").count();
  assert.ok(programs > 10, `${programs}`);
  await page.locator("#gallery").selectOption("0");
  await settled(async () => (await area.inputValue()).length > 100);
  await type("fn f(x)=x\n");
  await page.locator("#format").click();
  await settled(async () => (await area.inputValue()) === "fn f(x) = x\n");
});
await step("the page is used by keyboard, on small screens and in the dark", async () => {
  await area.focus();
  await area.press("Escape");
  await page.keyboard.press("Tab");
  assert.notEqual(await page.evaluate(() => document.activeElement.tagName), "TEXTAREA");
  await page.setViewportSize({ width: 400, height: 700 });
  await page.emulateMedia({ colorScheme: "dark" });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 400, `${wide}`);
  if (pictures) await page.screenshot({ path: `${pictures}/small.png` });
  await page.setViewportSize({ width: 1200, height: 800 });
  await page.emulateMedia({ colorScheme: "light" });
});
await step("the manual runs its programs where they stand", async () => {
  await page.goto(address + "/manual.html#paper");
  await settled(async () => (await page.locator(".block .fine").count()) > 5);
  assert.equal(await page.locator(".block .wrong").count(), 0);
  const block = page.locator(".block textarea").first();
  const before = await block.inputValue();
  await block.fill(before + "\n1 +");
  await settled(async () => (await page.locator(".block .problem").count()) > 0);
  if (pictures) await page.screenshot({ path: `${pictures}/paper.png` });
  await page.goto(address + "/manual.html#errors/E0201");
  await settled(async () => (await page.locator("h1", { hasText: "E0201" }).count()) > 0);
});
assert.deepEqual(mistakes, []);
await browser.close();
console.log("the page works");
