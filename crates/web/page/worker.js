// One module for one question: it is made ready beforehand, answers, and is not used again.
import { answer, instantiate } from "./host.js";

let instance;

onmessage = async ({ data }) => {
  try {
    if (data.module) {
      instance = await instantiate(data.module);
      postMessage({ ready: true });
    } else postMessage({ answer: answer(instance, data.question) });
  } catch (error) {
    postMessage({ trap: String(error) });
  }
};
