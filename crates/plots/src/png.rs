//! Pictures as PNG, for images inside SVG: with a palette where few colours occur, compressed by repeats (deflate with its
//! fixed codes).

use crate::colour::Rgb;

/// A picture as the text of a data URI.
pub fn data_uri(rows: usize, columns: usize, pixels: &[Rgb]) -> String {
    "data:image/png;base64,".to_string() + &base64(&png(rows, columns, pixels))
}

pub fn png(rows: usize, columns: usize, pixels: &[Rgb]) -> Vec<u8> {
    const TRUE_COLOUR: u8 = 2;
    const INDEXED: u8 = 3;
    let palette = palette(pixels);
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = vec![];
    header.extend((columns as u32).to_be_bytes());
    header.extend((rows as u32).to_be_bytes());
    header.extend([8, if palette.is_some() { INDEXED } else { TRUE_COLOUR }, 0, 0, 0]);
    chunk(&mut bytes, b"IHDR", &header);
    let mut lines = vec![];
    for row in pixels.chunks(columns.max(1)) {
        // No filter.
        lines.push(0);
        match &palette {
            Some(palette) => lines.extend(row.iter().map(|pixel| palette.binary_search(pixel).unwrap_or(0) as u8)),
            None => lines.extend(row.iter().flatten()),
        }
    }
    if let Some(palette) = palette {
        chunk(&mut bytes, b"PLTE", &palette.concat());
    }
    chunk(&mut bytes, b"IDAT", &zlib(&lines));
    chunk(&mut bytes, b"IEND", &[]);
    bytes
}

/// The colours of a picture in order, if an index of one byte is enough.
fn palette(pixels: &[Rgb]) -> Option<Vec<Rgb>> {
    let mut colours = pixels.to_vec();
    colours.sort_unstable();
    colours.dedup();
    (colours.len() <= 256 && !colours.is_empty()).then_some(colours)
}

fn chunk(out: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    out.extend((data.len() as u32).to_be_bytes());
    let start = out.len();
    out.extend(kind);
    out.extend(data);
    let check = crc(&out[start..]);
    out.extend(check.to_be_bytes());
}

fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
    };
    !bytes.iter().fold(!0, step)
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x78, 0x01];
    out.extend(deflate(bytes));
    let (mut a, mut b) = (1u32, 0u32);
    for byte in bytes {
        a = (a + u32::from(*byte)) % 65521;
        b = (b + a) % 65521;
    }
    out.extend(((b << 16) | a).to_be_bytes());
    out
}

const LONGEST_REPEAT: usize = 258;
const SHORTEST_REPEAT: usize = 3;
const FARTHEST_REPEAT: usize = 32 * 1024;

/// One block with the fixed codes; repeats of what began with the same three bytes last.
fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut out = Bits::default();
    out.put(0b011, 3);
    let mut last = vec![usize::MAX; 1 << 15];
    let mut at = 0;
    while at < bytes.len() {
        let seen = match bytes.get(at..at + SHORTEST_REPEAT) {
            Some(start) => std::mem::replace(&mut last[hash(start)], at),
            None => usize::MAX,
        };
        let near = seen != usize::MAX && at - seen <= FARTHEST_REPEAT;
        let length = if near { common(bytes, seen, at) } else { 0 };
        if length >= SHORTEST_REPEAT {
            out.repeat(length, at - seen);
            at += length;
        } else {
            out.literal(u32::from(bytes[at]));
            at += 1;
        }
    }
    out.literal(256);
    out.finish()
}

fn hash(start: &[u8]) -> usize {
    let key = u32::from(start[0]) | u32::from(start[1]) << 8 | u32::from(start[2]) << 16;
    (key.wrapping_mul(0x9e37_79b1) >> 17) as usize
}

/// How long two places go on in the same way.
fn common(bytes: &[u8], a: usize, b: usize) -> usize {
    bytes[a..].iter().zip(&bytes[b..]).take(LONGEST_REPEAT).take_while(|(x, y)| x == y).count()
}

/// Bits, the lowest of a byte first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    held: u64,
    count: u32,
}

impl Bits {
    fn put(&mut self, value: u32, bits: u32) {
        self.held |= u64::from(value) << self.count;
        self.count += bits;
        while self.count >= 8 {
            self.bytes.push(self.held as u8);
            self.held >>= 8;
            self.count -= 8;
        }
    }

    /// A code, whose highest bit goes first.
    fn code(&mut self, code: u32, bits: u32) {
        self.put(code.reverse_bits() >> (32 - bits), bits);
    }

    fn literal(&mut self, symbol: u32) {
        match symbol {
            0..=143 => self.code(0b0011_0000 + symbol, 8),
            144..=255 => self.code(0b1_1001_0000 + symbol - 144, 9),
            256..=279 => self.code(symbol - 256, 7),
            _ => self.code(0b1100_0000 + symbol - 280, 8),
        }
    }

    fn repeat(&mut self, length: usize, distance: usize) {
        let (symbol, extra, bits) = length_code(length as u32);
        self.literal(symbol);
        self.put(extra, bits);
        let (symbol, extra, bits) = distance_code(distance as u32);
        self.code(symbol, 5);
        self.put(extra, bits);
    }

    fn finish(mut self) -> Vec<u8> {
        self.put(0, (8 - self.count % 8) % 8);
        self.bytes
    }
}

/// Symbol, extra bits and their number: four symbols for each number of extra bits.
fn length_code(length: u32) -> (u32, u32, u32) {
    match length {
        258 => (285, 0, 0),
        3..=10 => (254 + length, 0, 0),
        _ => {
            let bits = (length - 3).ilog2() - 2;
            let group = (length - 3) >> bits;
            (257 + 4 * bits + group, (length - 3) & ((1 << bits) - 1), bits)
        }
    }
}

/// The same for distances, with two symbols for each number of extra bits.
fn distance_code(distance: u32) -> (u32, u32, u32) {
    let from_zero = distance - 1;
    if from_zero < 4 {
        return (from_zero, 0, 0);
    }
    let bits = from_zero.ilog2() - 1;
    (2 * bits + (from_zero >> bits), from_zero & ((1 << bits) - 1), bits)
}

pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |i: usize| u32::from(*three.get(i).unwrap_or(&0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * i)) as usize & 63] as char;
            out.push(if i <= three.len() { digit } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_the_standard_one() {
        assert_eq!(["", "M", "Ma", "Man"].map(|text| base64(text.as_bytes())), ["", "TQ==", "TWE=", "TWFu"]);
    }

    #[test]
    fn checks_are_the_standard_ones() {
        assert_eq!(crc(b"123456789"), 0xcbf4_3926);
        assert_eq!(zlib(b"Wikipedia")[zlib(b"Wikipedia").len() - 4..], 0x11e6_0398_u32.to_be_bytes());
    }

    /// Undoes what `deflate` does, by the definition of the format.
    fn inflate(bytes: &[u8]) -> Vec<u8> {
        let mut at = 0;
        let mut take = |count: u32, high_first: bool| {
            let bits = (0..count).map(|i| {
                let bit = u32::from(bytes[at / 8] >> (at % 8)) & 1;
                at += 1;
                if high_first { bit << (count - 1 - i) } else { bit << i }
            });
            bits.sum::<u32>()
        };
        assert_eq!(take(3, false), 0b011);
        let mut out: Vec<u8> = vec![];
        loop {
            let mut code = take(7, true);
            let symbol = if code < 24 {
                256 + code
            } else {
                code = code * 2 + take(1, true);
                match code {
                    48..=191 => code - 48,
                    192..=199 => 280 + code - 192,
                    _ => 144 + code * 2 + take(1, true) - 400,
                }
            };
            if symbol < 256 {
                out.push(symbol as u8);
                continue;
            }
            if symbol == 256 {
                return out;
            }
            let length = match symbol {
                285 => 258,
                257..=264 => symbol - 254,
                _ => {
                    let bits = (symbol - 261) / 4;
                    3 + ((4 + (symbol - 261) % 4) << bits) + take(bits, false)
                }
            };
            let symbol = take(5, true);
            let distance = if symbol < 4 {
                symbol + 1
            } else {
                let bits = symbol / 2 - 1;
                1 + ((2 + symbol % 2) << bits) + take(bits, false)
            };
            for _ in 0..length {
                out.push(out[out.len() - distance as usize]);
            }
        }
    }

    #[test]
    fn what_is_compressed_comes_back() {
        let noise = |i: u32| (i.wrapping_mul(2_654_435_761) >> 13) as u8;
        let texts: [Vec<u8>; 5] = [
            vec![],
            b"a".to_vec(),
            vec![7; 100_000],
            (0..70_000).map(noise).collect(),
            (0..70_000).map(|i| if i % 900 < 800 { (i % 37) as u8 } else { noise(i) }).collect(),
        ];
        for text in texts {
            assert!(inflate(&deflate(&text)) == text, "{} bytes", text.len());
        }
        assert!(deflate(&[7; 100_000]).len() < 1000);
    }
}
