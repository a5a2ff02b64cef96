//! How objects and the context of a run lie in memory. Every number that compiled code and the runtime must agree on stands here, once:
//! LLVM IR, WebAssembly and the runtime take them from here, and [`interface`](crate::symbols::interface) lists them for the key of the cache.
//!
//! All are counted in words of 8 bytes from where the object begins, unless something else is said.
//!
//! ```text
//! node        [count][descriptor][leaf 0][leaf 1]…
//! array       [count][descriptor][room << 16 | rank][length 0]…[length rank-1][elements…]
//! descriptor  [kind][words][number of pointers][offset 0][offset 1]…
//! ```

use crate::term::Kind;

/// Declares constants, and the table of them all: one that is missing there can't be written.
macro_rules! words {
    ($($(#[$comment:meta])* $name:ident = $value:expr;)*) => {
        $($(#[$comment])* pub const $name: u32 = $value;)*
        /// Every number of this module, by its name.
        pub const TABLE: &[(&str, u32)] = &[$((stringify!($name), $name)),*];
    };
}

words! {
    /// The word that says how many owners an object has.
    COUNT = 0;
    /// The word that points to the descriptor.
    DESCRIPTOR = 1;
    /// How many words stand before the leaves of a node.
    HEADER = 2;
    /// In an array, the word with the rank.
    RANK = 2;
    /// In an array, the length of the first axis; the others follow. The elements stand behind the last one.
    LENGTHS = 3;
    /// In the word of the rank, how many bits lower than the room for elements is (0: there is room just for those that it has).
    ROOM_SHIFT = 16;
    /// Pointers up to this are no objects: null, or the tag of an alternative without leaves.
    LAST_TAG = 4095;

    /// The kind of object, in its descriptor.
    DESCRIPTOR_KIND = 0;
    /// How many leaf words a node or an element has.
    DESCRIPTOR_WORDS = 1;
    /// How many of them are pointers.
    DESCRIPTOR_POINTERS = 2;
    /// Which ones, from this word on.
    DESCRIPTOR_OFFSETS = 3;

    /// A node.
    KIND_NODE = 0;
    /// An array in which the words of an element lie together.
    KIND_ARRAY = 1;
    /// A value of the reference evaluator. The runtime alone makes it.
    KIND_HANDLE = 2;
    /// A sensitivity of an array that is being collected. The runtime alone makes it.
    KIND_COLLECTOR = 3;
    /// An array of columns: the first words of all elements, then the second ones, and so on.
    KIND_COLUMNS = 4;

    /// Objects of fewer words are taken from chunks and kept on lists when they are free; others are the runtime's.
    SMALL_WORDS = 64;

    /// Of the context: a function whose frame would begin below this address fails.
    CTX_STACK_LIMIT = 0;
    /// Where the next small object is made, and where the chunk ends.
    CTX_BUMP = 1;
    CTX_BUMP_END = 2;
    /// How many objects are alive.
    CTX_LIVE = 3;
    /// The thread's stack pointer while compiled code runs.
    CTX_HOST = 4;
    /// Who makes objects, in code that is surveyed.
    CTX_SITE = 5;
    /// Where the code of a checked build is.
    CTX_PLACE = 6;
    /// Where loops say how far they are.
    CTX_PROGRESS = 7;
    /// The list of free objects of no words; those of 1, 2, … words follow. An object points to the next by its first word.
    CTX_FREE = 8;
    /// From what work on other threads help with a loop.
    CTX_HELPED = CTX_FREE + SMALL_WORDS;
}

impl Kind {
    /// What a descriptor says.
    pub fn number(self) -> u32 {
        match self {
            Kind::Node => KIND_NODE,
            Kind::Array => KIND_ARRAY,
            Kind::Columns => KIND_COLUMNS,
        }
    }
}

/// A text in which `$NAME` stands for the number of that name.
pub fn filled(template: &str) -> String {
    let mut parts = template.split('$');
    let mut text = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_uppercase() && c != '_').unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        let known = TABLE.iter().find(|(known, _)| *known == name);
        let (_, value) = known.unwrap_or_else(|| panic!("memory: there is no `{name}`"));
        text.push_str(&value.to_string());
        text.push_str(rest);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_a_text_become_numbers() {
        assert_eq!(filled("i64 $LENGTHS, $CTX_HELPED)$RANK"), "i64 3, 72)2");
    }
}
