//! Names that differ only in how their letters are composed are one name: Unicode's normal form NFC.
//!
//! In a page the browser brings it, whose tables are large beside all else there.

#[cfg(not(target_arch = "wasm32"))]
pub fn composed(text: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    text.nfc().collect()
}

#[cfg(target_arch = "wasm32")]
pub fn composed(text: &str) -> String {
    #[link(wasm_import_module = "evert")]
    unsafe extern "C" {
        /// Writes the normal form of a text into room for so many bytes: how many it has written.
        #[link_name = "composed"]
        fn host_composed(text: *const u8, length: usize, room: *mut u8, most: usize) -> usize;
    }
    /// UTF-8 grows by no more.
    const GROWTH: usize = 3;
    let mut room = vec![0; GROWTH * text.len()];
    // SAFETY: the text and the room are as long as they are said to be, and nobody else's during the call.
    let length = unsafe { host_composed(text.as_ptr(), text.len(), room.as_mut_ptr(), room.len()) };
    room.truncate(length);
    String::from_utf8(room).unwrap_or_else(|_| text.to_string())
}
