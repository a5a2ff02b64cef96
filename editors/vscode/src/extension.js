// The extension starts `evert lsp` and shows what its lenses answer; everything else the server does.

const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

async function start(output) {
  const command = vscode.workspace.getConfiguration("evert").get("path", "evert");
  const server = { command, args: ["lsp"], transport: TransportKind.stdio };
  const documentSelector = [{ language: "evert" }, { language: "markdown", scheme: "file" }];
  const middleware = {
    // A command of a lens goes to the server; its answer is shown.
    executeCommand: async (name, args, next) => {
      const answer = await next(name, args);
      await show(name, args, answer, output);
      return answer;
    },
  };
  client = new LanguageClient("evert", "Evert", server, { documentSelector, middleware, outputChannel: output });
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
  if (!answer || typeof answer.text !== "string") {
    return;
  }
  if (name === "evert.showDerivative") {
    const document = await vscode.workspace.openTextDocument({ content: answer.text, language: "evert" });
    await vscode.window.showTextDocument(document, vscode.ViewColumn.Beside);
    return;
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

async function activate(context) {
  const output = vscode.window.createOutputChannel("Evert");
  const runFile = async () => {
    const editor = vscode.window.activeTextEditor;
    if (editor) {
      await vscode.commands.executeCommand("evert.runFile", editor.document.uri.toString(), "");
    }
  };
  const restart = async () => {
    await client?.stop();
    await start(output);
  };
  context.subscriptions.push(
    output,
    vscode.commands.registerCommand("evert.runThisFile", runFile),
    vscode.commands.registerCommand("evert.restart", restart),
  );
  await start(output);
}

async function deactivate() {
  await client?.stop();
}

module.exports = { activate, deactivate };
