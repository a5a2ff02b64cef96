//! Zip archives, as far as `.npz` files use them: members that are stored or deflated, sizes of 32 and 64 bits.

use std::borrow::Cow;

use eval::memory;

use crate::problem::Problem;

pub struct Member<'b> {
    pub name: String,
    packed: &'b [u8],
    method: Method,
    size: usize,
    checksum: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Method {
    Stored,
    Deflated,
}

const END: &[u8] = b"PK\x05\x06";
const END_64: &[u8] = b"PK\x06\x06";
const LOCATOR_64: &[u8] = b"PK\x06\x07";
const ENTRY: &[u8] = b"PK\x01\x02";
const LOCAL: &[u8] = b"PK\x03\x04";
/// What says that the size is among the extra fields.
const LONG: u64 = 0xffff_ffff;

/// The members of an archive, in the order of its directory.
pub fn read(bytes: &[u8]) -> Result<Vec<Member<'_>>, Problem> {
    let (count, mut at) = directory(bytes)?;
    let mut members = vec![];
    for _ in 0..count {
        let (member, next) = entry(bytes, at).ok_or_else(broken)??;
        members.push(member);
        at = next;
    }
    Ok(members)
}

fn broken() -> Problem {
    Problem::new("the archive is broken or breaks off")
        .help("save it again; it has to be an .npz file as NumPy writes it")
}

/// How many entries the directory has, and where it begins.
fn directory(bytes: &[u8]) -> Result<(u64, usize), Problem> {
    // A comment of up to 65,535 bytes may follow.
    let earliest = bytes.len().saturating_sub(22 + 0xffff);
    let latest = bytes.len().checked_sub(22).ok_or_else(broken)?;
    let end = (earliest..=latest).rev().find(|at| bytes[*at..].starts_with(END)).ok_or_else(broken)?;
    let (mut count, mut start) = (number(bytes, end + 10, 2), number(bytes, end + 16, 4));
    if (count == Some(0xffff) || start == Some(LONG))
        && let Some(locator) = end.checked_sub(20).filter(|at| bytes[*at..].starts_with(LOCATOR_64))
    {
        let at = number(bytes, locator + 8, 8).and_then(|at| usize::try_from(at).ok()).ok_or_else(broken)?;
        if !bytes.get(at..).is_some_and(|rest| rest.starts_with(END_64)) {
            return Err(broken());
        }
        (count, start) = (number(bytes, at + 32, 8), number(bytes, at + 48, 8));
    }
    let start = start.and_then(|start| usize::try_from(start).ok());
    count.zip(start).ok_or_else(broken)
}

/// The entry of the directory at a place, and where the next one begins; `None`: it is broken.
fn entry(bytes: &[u8], at: usize) -> Option<Result<(Member<'_>, usize), Problem>> {
    let entry = bytes.get(at..).filter(|rest| rest.starts_with(ENTRY))?;
    let field = |at, width| number(entry, at, width);
    let (flags, method, checksum) = (field(8, 2)?, field(10, 2)?, field(16, 4)? as u32);
    let (mut packed, mut size, mut local) = (field(20, 4)?, field(24, 4)?, field(42, 4)?);
    let lengths = [field(28, 2)?, field(30, 2)?, field(32, 2)?].map(|length| length as usize);
    let name = entry.get(46..46 + lengths[0])?;
    let mut extra = entry.get(46 + lengths[0]..46 + lengths[0] + lengths[1])?;
    let next = at + 46 + lengths.iter().sum::<usize>();
    while let (Some(id), Some(length)) = (number(extra, 0, 2), number(extra, 2, 2)) {
        let mut content = extra.get(4..4 + length as usize)?;
        if id == 1 {
            for field in [&mut size, &mut packed, &mut local].into_iter().filter(|field| **field == LONG) {
                *field = number(content, 0, 8)?;
                content = &content[8..];
            }
        }
        extra = &extra[4 + length as usize..];
    }
    let name = String::from_utf8_lossy(name).into_owned();
    if flags & 1 != 0 {
        return Some(Problem::new(format!("`{name}` in the archive is encrypted")).err());
    }
    let method = match method {
        0 => Method::Stored,
        8 => Method::Deflated,
        other => return Some(Problem::new(format!("`{name}` is packed by method {other}, which isn't known")).err()),
    };
    // The lengths of name and extra fields may differ from those in the directory.
    let local = bytes.get(usize::try_from(local).ok()?..).filter(|rest| rest.starts_with(LOCAL))?;
    let start = 30 + number(local, 26, 2)? as usize + number(local, 28, 2)? as usize;
    let packed = local.get(start..start.checked_add(usize::try_from(packed).ok()?)?)?;
    Some(Ok((Member { name, packed, method, size: usize::try_from(size).ok()?, checksum }, next)))
}

/// The number of so many bytes at a place.
fn number(bytes: &[u8], at: usize, width: usize) -> Option<u64> {
    let field = bytes.get(at..at.checked_add(width)?)?;
    Some(field.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

impl<'b> Member<'b> {
    pub fn content(&self) -> Result<Cow<'b, [u8]>, Problem> {
        let content = match self.method {
            Method::Stored => Cow::Borrowed(self.packed),
            Method::Deflated => {
                if !memory::has_room_for(self.size) {
                    return Problem::new(format!("{} bytes need too much memory", self.size)).err();
                }
                let unpacked = miniz_oxide::inflate::decompress_to_vec_with_limit(self.packed, self.size);
                Cow::Owned(unpacked.map_err(|_| broken())?)
            }
        };
        if content.len() != self.size || checksum(&content) != self.checksum {
            return Err(broken());
        }
        Ok(content)
    }
}

/// An archive with these members, stored as they are.
pub fn write(members: &[(String, Vec<u8>)]) -> Result<Vec<u8>, String> {
    let total: usize = members.iter().map(|(name, bytes)| bytes.len() + 2 * name.len() + 128).sum();
    if total as u64 >= LONG || members.len() >= 0xffff {
        return Err("an .npz file of 4 GiB or more can't be written; write its parts as .npy files".to_string());
    }
    let mut out = Vec::with_capacity(total);
    let mut directory = vec![];
    for (name, bytes) in members {
        let start = out.len() as u32;
        // Version 2.0, no flags, stored, the first day of 1980.
        let mut common = vec![20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0];
        for number in [checksum(bytes), bytes.len() as u32, bytes.len() as u32] {
            common.extend(number.to_le_bytes());
        }
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0, 0]);
        out.extend([LOCAL, &common, name.as_bytes(), bytes].concat());
        directory.extend([ENTRY, &[20, 0], &common, &[0; 10], &start.to_le_bytes(), name.as_bytes()].concat());
    }
    let start = out.len() as u32;
    out.extend(&directory);
    let count = (members.len() as u16).to_le_bytes();
    let length = (directory.len() as u32).to_le_bytes();
    out.extend([END, &[0; 4], &count, &count, &length, &start.to_le_bytes(), &[0; 2]].concat());
    Ok(out)
}

/// CRC-32.
fn checksum(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = table();
    !bytes.iter().fold(!0, |sum, byte| TABLE[usize::from(sum as u8 ^ byte)] ^ (sum >> 8))
}

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let mut sum = at as u32;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 { 0xedb8_8320 ^ (sum >> 1) } else { sum >> 1 };
            bit += 1;
        }
        table[at] = sum;
        at += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_zip() {
        assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn what_is_written_reads_back_and_damage_is_found() {
        let members = [("a.npy".to_string(), b"hello".to_vec()), ("b.npy".to_string(), vec![])];
        let archive = write(&members).expect("an archive");
        let found = read(&archive).expect("members");
        let found: Vec<_> =
            found.iter().map(|member| (member.name.clone(), member.content().expect("content").to_vec())).collect();
        assert_eq!(found, members);
        for length in 0..archive.len() {
            let cut: Result<(), Problem> =
                read(&archive[..length]).and_then(|members| members.iter().try_for_each(|one| one.content().map(drop)));
            assert!(cut.is_err(), "{length}");
        }
        let place = archive.windows(5).position(|window| window == b"hello").expect("stored");
        let mut changed = archive.clone();
        changed[place] = b'j';
        assert!(read(&changed).expect("members")[0].content().is_err());
    }
}
