// A program in a link: compressed, in the part behind `#`, which no server sees.

/** No program in a link is longer; a few bytes could become a gigabyte. */
const MOST = 1_000_000;

const through = async (bytes, stream) => {
  const parts = [];
  let length = 0;
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    parts.push(value);
    length += value.length;
    if (length > MOST) throw new RangeError(`the program in the link has more than ${MOST} characters`);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
};

export const toLink = async (text) => {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  const letters = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return "#p=" + letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};

/** The program in a link; nothing, if there is none. Fails if it is broken. */
export const fromLink = async (hash) => {
  if (!hash.startsWith("#p=")) return;
  const found = hash.match(/^#p=([\w-]+)$/);
  if (!found) throw new Error("there are characters that no link has");
  const letters = atob(found[1].replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  return new TextDecoder("utf-8", { fatal: true }).decode(await through(bytes, new DecompressionStream("deflate-raw")));
};
