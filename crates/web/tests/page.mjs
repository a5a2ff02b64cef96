// The page in a real browser: `cargo xtask page test`.
//
// node page.mjs ADDRESS KIND BROWSER MODULES PICTURES: KIND is `chromium` or `firefox`, playwright-core is in MODULES, screenshots are put into PICTURES.

import { createRequire } from "node:module";
import assert from "node:assert/strict";
import { alike, count, decode } from "./picture.mjs";

const [address, kind, executablePath, modules, pictures] = process.argv.slice(2);
const { chromium, _bidiFirefox } = createRequire(modules + "/")("playwright-core");
const isFirefox = kind === "firefox";
const launch = () => {
  // Firefox as it is published, spoken to by WebDriver BiDi.
  if (isFirefox) return _bidiFirefox.launch({ channel: "moz-firefox", executablePath });
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"] });
};
const browser = await launch();
const size = { width: 1200, height: 800 };
const context = await browser.newContext({ viewport: size, ...(isFirefox ? {} : { permissions: ["clipboard-read", "clipboard-write"] }) });
const page = await context.newPage();
const mistakes = [];
page.on("pageerror", (error) => mistakes.push(String(error)));

/** The page as pixels; kept as a file too. */
const seen = async (name) => decode(await page.screenshot({ path: `${pictures}/${kind}-${name}.png` }));
/** Colours of the style sheet and of plots, on light pages. */
const [BLUE, ORANGE, RED] = [[0, 114, 178], [213, 94, 0], [175, 48, 41]];

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

const opened = Date.now();
await page.goto(address + "/");
await step("the first program has values and curves", async () => {
  await page.waitForFunction(() => document.querySelectorAll("#editor .value").length === 3);
  console.log(`   ${Date.now() - opened} ms to the first values`);
  assert.equal((await notes())[0].slice(0, 6), String(Math.sin(1) * Math.exp(-0.25)).slice(0, 6));
  assert.equal(await page.locator("#results svg.evert-plot").count(), 1);
  const picture = await seen("playground");
  const box = await page.locator("#results svg.evert-plot").boundingBox();
  for (const colour of [BLUE, ORANGE]) assert.ok(count(picture, box, colour) > 200, `no curve in ${colour}`);
});
await step("curves are where their functions say", async () => {
  await type("plot(x => x^2, 0, 2)\n");
  await settled(async () => (await page.locator("#results svg.evert-plot desc").allTextContents()).join().includes("x 0.0..2.0"));
  // Ends at (0, 0) and (2, 4): so at x = 1 a quarter of the way up.
  const { x, y, far } = await page.locator("#results svg.evert-plot svg path").first().evaluate((path) => {
    const [length, matrix] = [path.getTotalLength(), path.getScreenCTM()];
    const [first, last] = [path.getPointAtLength(0), path.getPointAtLength(length)];
    let [low, high] = [0, length];
    for (let n = 0; n < 40; n++) {
      const middle = (low + high) / 2;
      if (path.getPointAtLength(middle).x < (first.x + last.x) / 2) low = middle;
      else high = middle;
    }
    const found = path.getPointAtLength(low);
    const here = found.matrixTransform(matrix);
    return { x: here.x, y: here.y, far: Math.abs(found.y - (first.y + (last.y - first.y) / 4)) };
  });
  assert.ok(far < 0.5, `${far}`);
  const picture = await seen("curve");
  assert.ok(count(picture, { x: x - 2, y: y - 2, width: 5, height: 5 }, BLUE) > 4, "the curve isn't where its path is");
});
await step("values appear as one types", async () => {
  await type("let θ = 3.0\ngrad(x => x^2 * θ)(2.0)\n");
  await settled(async () => (await notes()).join() === "12.0");
});
await step("mistakes are underlined where they stand, and lead to their page", async () => {
  await type("let 𝜃 = 1.0\n𝜃𝜃 + 1\n");
  await settled(async () => (await page.locator("#editor .wrong").allTextContents()).join("") === "𝜃𝜃");
  assert.equal(await page.locator("#results .problem a").getAttribute("href"), "manual.html#errors/E0201");
  const box = await page.locator("#editor .wrong").first().boundingBox();
  const reds = count(await seen("mistake"), { ...box, height: box.height + 4 }, RED);
  assert.ok(reds > 10, `the line below it has ${reds} red pixels`);
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
  await page.waitForFunction(() => document.querySelector("#editor .value")?.textContent === "2");
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
  await elsewhere.evaluate(() => void (location.hash = "p=nonsense"));
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
const isDark = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor === "rgb(16, 15, 15)");
const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.getAttribute("aria-label") || document.activeElement.tagName);
await step("all that the page offers is reached by keyboard", async () => {
  await type('let k = 2.0\nplots.slider("a", 1, 5, a => plot(x => sin(a * x), 0, 6))\n');
  await settled(async () => (await page.locator("#results .sliders input").count()) === 1);
  await page.locator("#gallery").focus();
  const reached = new Set();
  for (let n = 0; n < 25; n++) {
    reached.add(await focused());
    // Tab indents in the program: Esc says that it leaves.
    if ((await focused()) === "Program") await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
  }
  for (const part of ["gallery", "format", "share", "theme", "Program", "tab-results", "tab-derivative", "tab-levels", "engine", "a"]) {
    assert.ok(reached.has(part), `${part} isn't reached, but ${[...reached].join(", ")}`);
  }
  await page.locator("#results .sliders input").focus();
  await page.keyboard.press("ArrowRight");
  await settled(async () => (await page.locator("#results .sliders output").innerText()) !== "3");
  await page.locator("#tab-levels").focus();
  await page.keyboard.press("Enter");
  await settled(async () => (await page.locator("#levels").innerText()).includes("L1"));
  await page.locator("#tab-results").focus();
  await page.keyboard.press("Enter");
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
  for (const part of ["#editor textarea", "#answers", "#engine", "#share", "#theme"]) {
    const box = await page.locator(part).boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 400.5 && box.height > 10 && box.y + box.height <= 700.5, `${part} is at ${JSON.stringify(box)}`);
  }
  // Not every browser can be told by its driver that the system is dark; the button says it too.
  for (let n = 0; n < 3 && !(await isDark()); n++) await page.locator("#theme").click();
  const dark = await seen("small");
  assert.ok(alike(dark.at(200, 300), [16, 15, 15]), `the ground is ${dark.at(200, 300)}`);
  while ((await page.evaluate(() => document.documentElement.style.colorScheme)) !== "") await page.locator("#theme").click();
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
  await seen("paper");
  await page.evaluate(() => void (location.hash = "errors/E0201"));
  await settled(async () => (await page.locator("h1", { hasText: "E0201" }).count()) > 0);
});
assert.deepEqual(mistakes, []);
await browser.close();
console.log("the page works");
