// The extension starts `evert lsp` and shows what its lenses answer; everything else the server does.

const path = require("path");
const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

async function start(output) {
  const command = vscode.workspace.getConfiguration("evert").get("path", "evert");
  const server = { command, args: ["lsp"], transport: TransportKind.stdio };
  const documentSelector = [
    { language: "evert", scheme: "file" },
    { language: "evert", scheme: "untitled" },
    { language: "markdown", scheme: "file" },
  ];
  const middleware = {
    // A command of a lens goes to the server; its answer is shown. Endless programs can be stopped.
    executeCommand: async (name, args, next) => {
      const what = `Evert: ${name.replace("evert.", "").replace(/[A-Z]/g, (letter) => " " + letter.toLowerCase())}`;
      const options = { location: vscode.ProgressLocation.Window, title: what };
      const answer = await vscode.window.withProgress(options, () => next(name, args));
      await show(name, args, answer, output);
      return answer;
    },
  };
  const initializationOptions = { showsAnswers: true };
  const options = { documentSelector, middleware, outputChannel: output, initializationOptions };
  client = new LanguageClient("evert", "Evert", server, options);
  try {
    await client.start();
  } catch (error) {
    const choice = await vscode.window.showErrorMessage(
      `The command "${command}" can't be started: ${error.message}. Install it with "cargo install --path crates/cli", or say where it is.`,
      "Open settings",
    );
    if (choice) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "evert.path");
    }
  }
}

async function show(name, args, answer, output) {
  if (!answer) {
    return;
  }
  if (answer.ok && typeof answer.svg === "string") {
    return showPlot(args[0], answer.svg);
  }
  if (typeof answer.text !== "string") {
    return;
  }
  if (answer.ok && name === "evert.showDerivative") {
    return showDerivative(args[1], answer.text);
  }
  const what = args && args[1] ? `${args[1]}: ` : "";
  if (answer.ok) {
    vscode.window.showInformationMessage(what + answer.text);
  } else {
    output.appendLine(what + answer.text);
    output.show(true);
    vscode.window.showWarningMessage(what + answer.text.split("\n")[0]);
  }
}

const DERIVATIVE = "evert-derivative";
const derivatives = new Map();
const derivativesChanged = new vscode.EventEmitter();

// A derivative is a document that can be read and copied, but not one that asks to be saved.
async function showDerivative(name, text) {
  const uri = vscode.Uri.from({ scheme: DERIVATIVE, path: `/derivative of ${name}.ev` });
  derivatives.set(uri.path, text);
  derivativesChanged.fire(uri);
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: true });
}

let plots;

// Plots share one panel beside the text. It runs no scripts and loads nothing.
function showPlot(uri, svg) {
  if (!plots) {
    plots = vscode.window.createWebviewPanel("evert.plot", "Plot", { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true }, {});
    plots.onDidDispose(() => {
      plots = undefined;
    });
  }
  plots.title = `Plot: ${path.basename(vscode.Uri.parse(uri).path)}`;
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  plots.webview.html = `<!DOCTYPE html><html><head><meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <style>body { background: #fff; margin: 0; padding: 1em } svg { max-width: 100%; height: auto }</style></head>
    <body>${svg}</body></html>`;
  plots.reveal(undefined, true);
}

// The commands of the palette are those of the lenses, about what stands at the cursor.
async function atCursor(command, title) {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    return;
  }
  const uri = editor.document.uri;
  const lenses = (await vscode.commands.executeCommand("vscode.executeCodeLensProvider", uri)) || [];
  const line = editor.selection.active.line;
  const above = lenses
    .filter((lens) => lens.command && lens.command.command === command && lens.range.start.line <= line)
    .sort((a, b) => b.range.start.line - a.range.start.line);
  if (above.length === 0) {
    vscode.window.showWarningMessage(`There is nothing above the cursor for "${title}".`);
    return;
  }
  await vscode.commands.executeCommand(command, ...above[0].command.arguments);
}

async function runInTerminal() {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !(await editor.document.save())) {
    return;
  }
  const command = vscode.workspace.getConfiguration("evert").get("path", "evert");
  const options = { name: "Evert", shellPath: command, shellArgs: ["run", editor.document.uri.fsPath, "--watch"] };
  vscode.window.createTerminal(options).show(true);
}

async function activate(context) {
  const output = vscode.window.createOutputChannel("Evert", { log: true });
  const checkFile = async () => {
    const editor = vscode.window.activeTextEditor;
    if (editor) {
      await vscode.commands.executeCommand("evert.runFile", editor.document.uri.toString(), "");
    }
  };
  const restart = async () => {
    await client?.stop();
    await start(output);
  };
  const commands = {
    "evert.checkThisFile": checkFile,
    "evert.runThisFile": runInTerminal,
    "evert.checkRuleHere": () => atCursor("evert.checkRule", "check rule"),
    "evert.showDerivativeHere": () => atCursor("evert.showDerivative", "show derivative"),
    "evert.showPlotHere": () => atCursor("evert.showPlot", "show plot"),
    "evert.restart": restart,
  };
  const reader = {
    onDidChange: derivativesChanged.event,
    provideTextDocumentContent: (uri) => derivatives.get(uri.path),
  };
  context.subscriptions.push(output, vscode.workspace.registerTextDocumentContentProvider(DERIVATIVE, reader));
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  }
  await start(output);
}

async function deactivate() {
  await client?.stop();
}

module.exports = { activate, deactivate };
