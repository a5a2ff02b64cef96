// VS Code itself, as code-server in Chromium, on the real server: `cargo xtask editors test`.
//
//   node vscode.mjs EVERT BROWSER CODE_SERVER EXTENSION.vsix FOLDER
//
// The extension is installed from its package, a folder is opened, and a person's hour is done in a minute. Pictures lie in FOLDER/pictures;
// what must be in them is asked of their pixels.

import { execFileSync, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { mkdirSync, rmSync, writeFileSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import assert from "node:assert/strict";

const [evert, executablePath, codeServer, extension, folder] = process.argv.slice(2);
const { chromium } = createRequire(join(dirname(process.execPath), "../../"))("playwright-core");
const work = join(folder, "work");
const pictures = join(folder, "pictures");
const home = join(folder, "home");
for (const one of [work, home]) rmSync(one, { recursive: true, force: true });
for (const one of [work, pictures, join(home, "user/User")]) mkdirSync(one, { recursive: true });
const settings = {
  "evert.path": evert, "editor.formatOnSave": true, "editor.minimap.enabled": false, "workbench.startupEditor": "none", "telemetry.telemetryLevel": "off",
  "workbench.secondarySideBar.defaultVisibility": "hidden", "chat.disableAIFeatures": true, "window.menuBarVisibility": "hidden",
};
writeFileSync(join(home, "user/User/settings.json"), JSON.stringify(settings));
writeFileSync(join(home, "config.yaml"), "");
const program = `import "lib.ev"
import plots
fn weigh(θ, xs) = θ * sum(xs)
let 𝛉 = weihg(2.0, [1.0, 2.0])
lib.twice(3.0)
fn cube(x) = x^3
plots.curve(cube, 0.0, 1.0)
test "one" { assert 1 == 1 }
`;
writeFileSync(join(work, "a.ev"), program);
writeFileSync(join(work, "lib.ev"), "fn twice(x) = 2.0 * x\n");
writeFileSync(join(work, "page.md"), "# Text θ\n\n```evert\nlet a = 1.0\na + nothing\n```\n");

const places = ["--user-data-dir", join(home, "user"), "--extensions-dir", join(home, "extensions"), "--config", join(home, "config.yaml")];
const environment = { ...process.env, HOME: home };
execFileSync(process.execPath, [codeServer, ...places, "--install-extension", extension], { env: environment, stdio: "pipe" });
const server = spawn(process.execPath, [codeServer, ...places, "--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check",
  "--disable-workspace-trust", "--disable-getting-started-override", work], { env: environment, stdio: ["ignore", "pipe", "pipe"] });
let log = "";
for (const stream of [server.stdout, server.stderr]) stream.on("data", (part) => (log += part));
let browser;
let page;

const until = async (what, test, patience = 30000) => {
  const begun = Date.now();
  while (Date.now() - begun < patience) {
    const found = await test();
    if (found) return found;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`it doesn't happen: ${what}`);
};
const step = async (name, body) => {
  const begun = Date.now();
  const more = await body();
  console.log(`holds   ${name}${more ? `: ${more}` : ""} (${Date.now() - begun} ms)`);
};
const lines = () => page.locator(".view-line").allTextContents().then((all) => all.map((text) => text.replace(/\u00a0/g, " ")));
const shows = (text) => until(`the editor shows ${text}`, async () => (await lines()).join("\n").includes(text));
/// The box at the top: opened by a key, which is pressed again if something else has taken it.
const quick = async (key, text, isThere = () => true) => {
  const input = page.locator(".quick-input-box input");
  await until("the box at the top opens", async () => {
    await page.keyboard.press(key);
    return input.waitFor({ state: "visible", timeout: 1500 }).then(() => true, () => false);
  });
  await input.fill(text);
  await until(`${text} is found`, isThere);
  await page.keyboard.press("Enter");
  await page.locator(".quick-input-widget").waitFor({ state: "hidden" });
};
const first = () => page.locator(".quick-input-list .monaco-list-row").first().textContent({ timeout: 1000 }).catch(() => "");
// By the command, since lenses move lines.
const place = (line, column) => quick("Control+g", `:${line}:${column}`);
const run = (command) => quick("F1", `>${command}`, async () => (await first()).includes(command));
const openFile = (name) => quick("Control+p", name, async () => (await first()).includes(name));
/// A picture, and how many of its pixels in a box are of a colour.
const picture = async (name, box, isWanted) => {
  const bytes = await page.screenshot({ path: join(pictures, `${name}.png`) });
  if (!box) return 0;
  const source = `data:image/png;base64,${bytes.toString("base64")}`;
  const pixels = await browser.newPage();
  const count = await pixels.evaluate(async ([source, box, test]) => {
    const image = new Image();
    image.src = source;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
    canvas.drawImage(image, 0, 0);
    const { data } = canvas.getImageData(box.x, box.y, box.width, box.height);
    const wanted = new Function("r", "g", "b", `return ${test}`);
    let count = 0;
    for (let k = 0; k < data.length; k += 4) count += wanted(data[k], data[k + 1], data[k + 2]) ? 1 : 0;
    return count;
  }, [source, box, isWanted]);
  await pixels.close();
  return count;
};

try {
  const address = await until("code-server listens", () => /HTTP server listening on (http:\S+)/.exec(log)?.[1]);
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
  page = await (await browser.newContext({ viewport: { width: 1200, height: 760 } })).newPage();
  await step("the folder opens", async () => {
    await page.goto(`${address.replace(/\/$/, "")}/?folder=${work}`, { timeout: 120000 });
    await page.locator(".monaco-list-row", { hasText: "a.ev" }).first().waitFor({ timeout: 120000 });
  });
  await step("a program is opened, and a mistake is underlined", async () => {
    await page.locator(".monaco-list-row", { hasText: "a.ev" }).first().dblclick();
    await page.locator(".squiggly-error").first().waitFor({ timeout: 60000 });
    await page.locator(".monaco-list-row", { hasText: "a.ev" }).first().waitFor();
    const box = await page.locator(".squiggly-error").first().boundingBox();
    const red = await picture("mistake", box, "r > 180 && g < 120 && b < 120");
    assert.ok(red > 10, `only ${red} red pixels under the mistake`);
    const line = (await lines()).find((text) => text.includes("weihg"));
    assert.ok(line, "the program is there");
    return `${red} red pixels`;
  });
  await step("resting on it shows message and code", async () => {
    await page.locator(".view-line", { hasText: "weihg" }).first().waitFor();
    const hover = page.locator(".monaco-hover:visible", { hasText: "E0201" }).first();
    // Lenses move lines while the file is new.
    await until("the mouse rests on the mistake", async () => {
      const box = await page.locator(".squiggly-error").first().boundingBox();
      await page.mouse.move(5, 5);
      await page.mouse.move(box.x + 12, box.y + 4);
      return hover.waitFor({ timeout: 3000 }).then(() => true, () => false);
    });
    return (await hover.innerText()).replace(/\s+/g, " ").slice(0, 80);
  });
  await step("the repair is offered and made", async () => {
    await page.mouse.move(5, 5);
    await place(4, 11);
    await page.keyboard.press("Control+.");
    const action = page.locator(".action-widget .monaco-list-row", { hasText: "write `weigh`" }).first();
    await action.waitFor();
    await picture("repair");
    await page.keyboard.press("Enter");
    await shows("weigh(2.0, [1.0, 2.0])");
    await until("nothing is underlined", async () => (await page.locator(".squiggly-error").count()) === 0);
  });
  await step("values stand beside expressions, shapes beside parameters", async () => {
    await shows("= 6.0");
    await shows(": real[2]");
  });
  await step("hovering shows a shape", async () => {
    await place(3, 14);
    await run("Show or Focus Hover");
    await page.locator(".monaco-hover:visible", { hasText: "xs: real[2]" }).first().waitFor();
    await picture("shape");
    await page.keyboard.press("Escape");
  });
  await step("colours by meaning", async () => {
    const colours = await page.evaluate(() => new Set([...document.querySelectorAll(".view-line span span")].map((e) => getComputedStyle(e).color)).size);
    assert.ok(colours >= 5, `${colours} colours`);
    return `${colours} colours`;
  });
  await step("a lens runs a test", async () => {
    await page.locator(".codelens-decoration a", { hasText: "run test" }).first().click();
    await page.locator(".notification-toast", { hasText: "one: 1 passed" }).first().waitFor();
    await run("Notifications: Clear All Notifications");
  });
  await step("a lens shows a plot", async () => {
    await page.locator(".codelens-decoration a", { hasText: "show plot" }).first().click();
    await page.locator(".tab", { hasText: "Plot: a.ev" }).first().waitFor();
    const curves = await until("the panel has the plot", async () => {
      for (const frame of page.frames()) {
        const count = await frame.locator("svg.evert-plot path, svg.evert-plot polyline").count().catch(() => 0);
        if (count > 0) return count;
      }
      return 0;
    });
    await picture("plot");
    return `${curves} lines`;
  });
  await step("a lens shows a derivative", async () => {
    await page.locator(".codelens-decoration a", { hasText: "show derivative" }).last().click();
    await shows("fn cube_grad(x) = 3 * x^2");
    await picture("derivative");
    assert.equal(await page.locator(".tab.dirty").count(), 0, "nothing asks to be saved");
  });
  await step("a name is completed by Enter", async () => {
    await openFile("a.ev");
    await place(9, 1);
    await page.keyboard.type("lib.tw");
    await page.locator(".suggest-widget.visible .monaco-list-row", { hasText: "twice" }).first().waitFor();
    await page.keyboard.press("Enter");
    await shows("lib.twice");
    await page.keyboard.type("(1.0");
    await shows("lib.twice(1.0");
  });
  await step("a rename reaches the other file", async () => {
    await place(5, 6);
    await page.keyboard.press("F2");
    const input = page.locator(".rename-box input");
    await input.waitFor();
    await input.fill("double");
    await page.keyboard.press("Enter");
    await shows("lib.double(3.0)");
    await run("File: Save All");
    await until("the other file is changed", () => readFileSync(join(work, "lib.ev"), "utf8").includes("fn double(x)"));
  });
  await step("saving writes the standard layout", async () => {
    await openFile("lib.ev");
    await shows("fn double(x)");
    await run("Select All");
    await page.keyboard.type("fn double( x )=2.0*x");
    await page.keyboard.press("Control+s");
    await until("the file is formatted", () => readFileSync(join(work, "lib.ev"), "utf8") === "fn double(x) = 2.0 * x\n");
  });
  await step("a block of Markdown is a program", async () => {
    await openFile("page.md");
    await page.locator(".squiggly-error").first().waitFor();
    await picture("markdown");
  });
  await step("the extension starts within a second", async () => {
    await run("Developer: Show Running Extensions");
    const row = page.locator(".runtime-extensions-editor .extension", { hasText: "Evert" }).first();
    await row.waitFor();
    const words = await row.locator(".activation-time").textContent();
    const time = Number(/(\d+)\s*ms/.exec(words)?.[1] ?? NaN);
    assert.ok(time <= 1000, words);
    return `${time} ms`;
  });
  console.log("VS Code: all of it holds");
} catch (error) {
  console.log(`FAILS   ${error.stack}`);
  if (page) await page.screenshot({ path: join(pictures, "failure.png") }).catch(() => {});
  console.log(log.slice(-1500));
  process.exitCode = 1;
} finally {
  await browser?.close();
  server.kill("SIGTERM");
}
