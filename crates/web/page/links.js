// A program in a link: compressed, in the part behind `#`, which no server sees.

const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

export const toLink = async (text) => {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  const letters = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return "#p=" + letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};

/** The program in a link; nothing, if there is none. Fails if it is broken. */
export const fromLink = async (hash) => {
  const found = hash.match(/^#p=([\w-]+)$/);
  if (!found) return;
  const letters = atob(found[1].replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  return new TextDecoder("utf-8", { fatal: true }).decode(await through(bytes, new DecompressionStream("deflate-raw")));
};
