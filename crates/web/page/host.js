// What the module of Evert asks of its host: to make compiled programs callable, and to leave them where they fail.

/** Thrown through compiled code, which has nothing to clean up. */
class Left {
  constructor(status) {
    this.status = status;
  }
}

/** (x, y, z) => x·y + z by `f64x2.relaxed_madd`, exported as `f`. */
const MADD = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 8, 1, 96, 3, 124, 124, 124, 1, 124, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 22, 1, 20, 0,
  32, 0, 253, 20, 32, 1, 253, 20, 32, 2, 253, 20, 253, 135, 2, 253, 33, 0, 11,
]);

/** Is there an instruction that rounds a product and a sum once? Where there is none the compiled code does with others. */
export const fused = () => {
  try {
    const { f } = new WebAssembly.Instance(new WebAssembly.Module(MADD)).exports;
    const e = 2 ** -30;
    return f(1 + e, 1 - e, -1) === -(e * e) && f(1 + e, 1 + e, -1 - 2 * e) === e * e;
  } catch {
    return false;
  }
};

/** An instance of Evert that can compile. Options, for tests: `fused: false`, without that instruction; `refused`, is told why a program wasn't taken;
    `calls`, makes the calls of compiled code. */
export const instantiate = async (module, options = {}) => {
  let exports;
  const table = () => exports.__indirect_function_table;
  const free = [];
  const evert = {
    fused: () => Number(options.fused !== false && fused()),
    compile: (bytes, length, data, functions) => {
      try {
        const { memory } = exports;
        const code = new WebAssembly.Module(new Uint8Array(memory.buffer, bytes, length).slice());
        const numbers = new DataView(memory.buffer, functions);
        const runtime = { memory, data: new WebAssembly.Global({ value: "i32" }, data) };
        const wanted = WebAssembly.Module.imports(code).filter(({ kind }) => kind === "function");
        wanted.forEach(({ name }, at) => (runtime[name] = table().get(numbers.getUint32(4 * at, true))));
        const { entry } = new WebAssembly.Instance(code, { runtime }).exports;
        const at = free.pop() ?? table().grow(1);
        table().set(at, entry);
        return at;
      } catch (error) {
        options.refused?.(error);
        return 0;
      }
    },
    forget: (entry) => {
      table().set(entry, null);
      free.push(entry);
    },
    composed: (text, length, room, most) => {
      const { buffer } = exports.memory;
      const normal = new TextDecoder().decode(new Uint8Array(buffer, text, length)).normalize("NFC");
      return new TextEncoder().encodeInto(normal, new Uint8Array(buffer, room, most)).written;
    },
    enter: (entry, context, args, out) => {
      const call = () => table().get(entry)(context, args, out);
      try {
        if (options.calls) options.calls(call);
        else call();
        return 0;
      } catch (error) {
        if (error instanceof Left) return error.status;
        throw error;
      }
    },
    leave: (status) => {
      throw new Left(status);
    },
  };
  const instance = await WebAssembly.instantiate(module, { evert });
  exports = instance.exports;
  exports.evert_ready();
  return exports;
};

/** The answer to a question. */
export const answer = ({ memory, evert_room, evert_answer }, question) => {
  const bytes = new TextEncoder().encode(JSON.stringify(question));
  const room = evert_room(bytes.length);
  new Uint8Array(memory.buffer, room, bytes.length).set(bytes);
  const out = evert_answer(room, bytes.length);
  const length = new DataView(memory.buffer).getUint32(out, true);
  return JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, out + 4, length)));
};
