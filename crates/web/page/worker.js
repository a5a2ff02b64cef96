// One module for one question: it is made ready beforehand, answers, and is not used again.
let instance;

const ready = async (module) => {
  instance = await WebAssembly.instantiate(module, {});
  instance.exports.evert_ready();
  postMessage({ ready: true });
};

const answer = (question) => {
  const { memory, evert_room, evert_answer } = instance.exports;
  const bytes = new TextEncoder().encode(JSON.stringify(question));
  const room = evert_room(bytes.length);
  new Uint8Array(memory.buffer, room, bytes.length).set(bytes);
  const out = evert_answer(room, bytes.length);
  const length = new DataView(memory.buffer).getUint32(out, true);
  return JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, out + 4, length)));
};

onmessage = async ({ data }) => {
  try {
    if (data.module) await ready(data.module);
    else postMessage({ answer: answer(data.question) });
  } catch (error) {
    postMessage({ trap: String(error) });
  }
};
