import { fused } from "./host.js";

// Programs run in workers. One is always ready for the next question; a question that is asked while another is being answered ends that one.

const LIMIT = 30_000;

const TRAP = "The program needs a deeper stack or more memory than a page has. On the command line it may run: `evert run`.";
const LATE = `The program was stopped after ${LIMIT / 1000} seconds.`;

let compiled;
const compile = () => (compiled ??= (async () => {
  // With an instruction for fma, where the browser has it and it rounds once.
  const name = fused() ? "evert-fused.wasm" : "evert.wasm";
  const response = await fetch(name);
  if (!response.ok) throw new Error(`${name} can't be fetched (${response.status})`);
  return WebAssembly.compile(await response.arrayBuffer());
})());

class Worked {
  constructor() {
    this.worker = new Worker("worker.js", { type: "module" });
    this.ready = new Promise((resolve, reject) => {
      this.worker.onmessage = ({ data }) => (data.ready ? resolve() : reject(new Error(data.trap)));
      this.worker.onerror = (event) => reject(new Error(event.message));
    });
    compile().then((module) => this.worker.postMessage({ module }), () => {});
    this.ready.catch(() => {});
  }

  async ask(question) {
    const started = compile();
    await Promise.race([this.ready, started.then(() => this.ready)]);
    return new Promise((resolve) => {
      this.timer = setTimeout(() => this.end({ wrong: LATE }), LIMIT);
      this.resolve = resolve;
      this.worker.onmessage = ({ data }) => this.end(data.trap ? { wrong: TRAP, trap: true } : data.answer);
      this.worker.onerror = () => this.end({ wrong: TRAP, trap: true });
      this.worker.postMessage({ question });
    });
  }

  /** Answers for the worker, which goes. */
  end(answer) {
    clearTimeout(this.timer);
    this.worker.terminate();
    this.resolve?.(answer);
    this.resolve = undefined;
  }
}

/** Asks one question at a time; the newest counts. */
export class Runner {
  constructor() {
    this.spare = new Worked();
  }

  /** The answer; nothing, if another question came before it. */
  async ask(question) {
    this.stop();
    const worked = this.spare;
    this.spare = new Worked();
    this.busy = worked;
    try {
      const answer = await worked.ask(question);
      if (this.busy !== worked) return undefined;
      // What is too deep for the compiler may not be for the reference evaluator, which has a stack of its own.
      if (answer?.trap && question.engine && question.engine !== "reference") {
        const again = await this.ask({ ...question, engine: "reference" });
        return again && { ...again, instead: "the reference evaluator: a browser's stack is too small for compiling it" };
      }
      return answer;
    } catch (error) {
      return { wrong: String(error.message ?? error) };
    } finally {
      if (this.busy === worked) this.busy = undefined;
    }
  }

  get isBusy() {
    return this.busy !== undefined;
  }

  /** Ends what runs. */
  stop() {
    const busy = this.busy;
    this.busy = undefined;
    busy?.end(undefined);
  }
}
