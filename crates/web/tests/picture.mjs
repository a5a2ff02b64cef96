// Screenshots as pixels, so that tests can say what must be in them.
//
// In: a PNG of eight bits a channel, as browsers write them. Out: the colour of each pixel.

import { inflateSync } from "node:zlib";

/** The data of a PNG's chunks of a kind, one after the other. */
const chunks = (png, kind) => {
  const found = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === kind) found.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  return Buffer.concat(found);
};

/** What a filter adds to a byte, given those to the left, above, and above to the left. */
const predicted = [
  () => 0,
  (left) => left,
  (_, up) => up,
  (left, up) => (left + up) >> 1,
  (left, up, corner) => {
    const [a, b, c] = [up - corner, left - corner, left + up - 2 * corner].map(Math.abs);
    return a <= b && a <= c ? left : b <= c ? up : corner;
  },
];

/** A picture's width, height, and `at(x, y)`: red, green, blue. */
export const decode = (png) => {
  const header = chunks(png, "IHDR");
  const [width, height, depth, kind] = [header.readUInt32BE(0), header.readUInt32BE(4), header[8], header[9]];
  if (depth !== 8 || (kind !== 2 && kind !== 6) || header[12]) throw new Error("a PNG that browsers don't write");
  const channels = kind === 6 ? 4 : 3;
  const row = width * channels;
  const packed = inflateSync(chunks(png, "IDAT"));
  const bytes = new Uint8Array(row * height);
  for (let y = 0; y < height; y++) {
    const filter = predicted[packed[y * (row + 1)]];
    for (let x = 0; x < row; x++) {
      const here = y * row + x;
      const left = x < channels ? 0 : bytes[here - channels];
      const up = y ? bytes[here - row] : 0;
      const corner = y && x >= channels ? bytes[here - row - channels] : 0;
      bytes[here] = packed[y * (row + 1) + 1 + x] + filter(left, up, corner);
    }
  }
  const at = (x, y) => [...bytes.subarray(y * row + x * channels, y * row + x * channels + 3)];
  return { width, height, at };
};

/** Is one colour another, but for smoothing? */
export const alike = (one, other, most = 40) => one.every((channel, n) => Math.abs(channel - other[n]) <= most);

/** How many pixels of a part of a picture have a colour. */
export const count = (picture, { x, y, width, height }, colour) => {
  let found = 0;
  for (let row = Math.max(0, Math.floor(y)); row < Math.min(picture.height, y + height); row++) {
    for (let column = Math.max(0, Math.floor(x)); column < Math.min(picture.width, x + width); column++) {
      if (alike(picture.at(column, row), colour)) found++;
    }
  }
  return found;
};
