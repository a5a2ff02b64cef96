//! The line table of an object: which line each instruction belongs to.
//!
//! In: an ELF object with a table of DWARF 4, as LLVM writes it for one module. Out: the offsets in the section of instructions at which another line begins, ascending.
//! What isn't such a table gives nothing: a profile then knows no places.

use object::{Object, ObjectSection, RelocationTarget, SectionKind};

/// From this offset on instructions belong to this line; 0: to none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    pub offset: u64,
    pub line: u32,
}

/// The rows of an object's table.
pub fn lines(object: &[u8]) -> Vec<Row> {
    read(object).unwrap_or_default()
}

fn read(bytes: &[u8]) -> Option<Vec<Row>> {
    let file = object::File::parse(bytes).ok()?;
    let section = file.section_by_name(".debug_line")?;
    let mut data = section.data().ok()?.to_vec();
    for (at, relocation) in section.relocations() {
        // Addresses are written by the linker: here they are offsets in the section of instructions.
        let base = match relocation.target() {
            RelocationTarget::Section(index) if file.section_by_index(index).ok()?.kind() == SectionKind::Text => 0,
            RelocationTarget::Symbol(index) => {
                let symbol = object::ObjectSymbolTable::symbol_by_index(&file.symbol_table()?, index).ok()?;
                object::ObjectSymbol::address(&symbol)
            }
            _ => continue,
        };
        let value = base.wrapping_add_signed(relocation.addend());
        let size = usize::from(relocation.size() / 8);
        data.get_mut(at as usize..)?.get_mut(..size)?.copy_from_slice(&value.to_le_bytes()[..size]);
    }
    let mut rows = vec![];
    let mut units = Bytes(&data);
    while !units.0.is_empty() {
        let length = units.u32()? as usize;
        unit(Bytes(units.take(length)?), &mut rows)?;
    }
    rows.sort_by_key(|row| row.offset);
    Some(rows)
}

/// A unit: its header, then a program that makes rows (DWARF 4, section 6.2).
fn unit(mut bytes: Bytes, rows: &mut Vec<Row>) -> Option<()> {
    if bytes.u16()? != 4 {
        return None;
    }
    let header = bytes.u32()? as usize;
    let mut head = Bytes(bytes.take(header)?);
    let least = u64::from(head.u8()?);
    let [_, _] = [head.u8()?, head.u8()?];
    let line_base = i64::from(head.u8()? as i8);
    let line_range = i64::from(head.u8()?);
    let first_special = head.u8()?;
    let operands = head.take(usize::from(first_special) - 1)?.to_vec();
    let (mut offset, mut line) = (0u64, 1i64);
    while let Some(code) = bytes.u8() {
        let row = |offset, line: i64| Row { offset, line: u32::try_from(line).unwrap_or(0) };
        match code {
            0 => {
                let length = bytes.unsigned()? as usize;
                let mut extended = Bytes(bytes.take(length)?);
                match extended.u8()? {
                    1 => {
                        rows.push(Row { offset, line: 0 });
                        (offset, line) = (0, 1);
                    }
                    2 => offset = u64::from_le_bytes(extended.take(8)?.try_into().ok()?),
                    _ => {}
                }
            }
            special if special >= first_special => {
                let adjusted = i64::from(special - first_special);
                offset += least * (adjusted / line_range) as u64;
                line += line_base + adjusted % line_range;
                rows.push(row(offset, line));
            }
            1 => rows.push(row(offset, line)),
            2 => offset += least * bytes.unsigned()?,
            3 => line += bytes.signed()?,
            8 => offset += least * ((255 - i64::from(first_special)) / line_range) as u64,
            9 => offset += u64::from(bytes.u16()?),
            other => {
                for _ in 0..operands[usize::from(other) - 1] {
                    bytes.unsigned()?;
                }
            }
        }
    }
    Some(())
}

/// Bytes that are read from their beginning.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn u8(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.take(2)?.try_into().ok()?))
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    /// LEB128.
    fn unsigned(&mut self) -> Option<u64> {
        let (mut value, mut shift) = (0u64, 0);
        loop {
            let byte = self.u8()?;
            value |= u64::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
    }

    fn signed(&mut self) -> Option<i64> {
        let (mut value, mut shift) = (0i64, 0);
        loop {
            let byte = self.u8()?;
            value |= i64::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                let negative = byte & 0x40 != 0 && shift < 64;
                return Some(if negative { value | -1i64 << shift } else { value });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_rows_is_read() {
        // Standard opcodes 1 to 12, line_base -5, line_range 14.
        let mut unit_bytes = vec![4u8, 0, 20, 0, 0, 0, 1, 1, 1, 251, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];
        unit_bytes.extend([0, 0]);
        unit_bytes.extend([0, 9, 2, 16, 0, 0, 0, 0, 0, 0, 0]);
        unit_bytes.extend([3, 9, 1]);
        unit_bytes.push(13 + 14 * 3 + 5 + 2);
        unit_bytes.extend([3, 0x7e, 2, 4, 1, 2, 4, 0, 1, 1]);
        let mut rows = vec![];
        assert_eq!(unit(Bytes(&unit_bytes), &mut rows), Some(()));
        let found: Vec<(u64, u32)> = rows.iter().map(|row| (row.offset, row.line)).collect();
        assert_eq!(found, [(16, 10), (19, 12), (23, 10), (27, 0)]);
    }

    #[test]
    fn what_is_no_table_gives_nothing() {
        assert_eq!(lines(b"nothing"), []);
    }
}
