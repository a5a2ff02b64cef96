//! Evert in a page.
//!
//! In: a question as JSON, `{"task": "run", "text": …}`. Out: an answer as JSON, with places in UTF-16 units, as browsers count. The page gives
//! each question to a module that nobody has used yet, so nothing is left over from a program that ran before, and one that doesn't
//! end is ended with its module. The border is three functions over the module's memory: no tool has to agree on more.
//!
//! [`answers`] is what is asked, [`places`] counts characters.

pub mod answers;
pub mod places;

#[global_allocator]
static ALLOCATOR: base::memory::Counting = base::memory::Counting;

/// A page may take so much.
const MOST_BYTES: usize = 1 << 30;

/// Most programs need no more.
const FIRST_BYTES: usize = 32 << 20;

/// The answer to a question.
pub fn answer(question: &str) -> String {
    base::memory::limit(base::memory::Meter { used: base::memory::counted, limit: MOST_BYTES });
    match serde_json::from_str(question) {
        Ok(question) => answers::answer(&question).to_string(),
        Err(error) => serde_json::json!({"wrong": error.to_string()}).to_string(),
    }
}

/// Makes the module ready: reads the library, so that the question that comes is answered at once.
#[unsafe(no_mangle)]
pub extern "C" fn evert_ready() {
    // Taken from the host at once: it takes its time for each of a thousand small pieces.
    drop(std::hint::black_box(Vec::<u8>::with_capacity(FIRST_BYTES)));
    answers::make_ready();
}

/// Room for a question of so many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn evert_room(bytes: usize) -> *mut u8 {
    Box::leak(vec![0; bytes].into_boxed_slice()).as_mut_ptr()
}

/// Answers the question that stands there: the answer's length in four bytes, then the answer. All of it stays until the module goes.
///
/// # Safety
/// So many bytes of room from [`evert_room`], and nobody else's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evert_answer(room: *mut u8, bytes: usize) -> *const u8 {
    // SAFETY: by this function's contract.
    let question = unsafe { std::slice::from_raw_parts(room, bytes) };
    let answer = answer(&String::from_utf8_lossy(question));
    let mut out = Vec::with_capacity(answer.len() + 4);
    out.extend((answer.len() as u32).to_le_bytes());
    out.extend(answer.as_bytes());
    Box::leak(out.into_boxed_slice()).as_ptr()
}

#[cfg(test)]
mod tests {
    #[test]
    fn questions_and_answers_cross_the_border() {
        let question = r#"{"task": "run", "text": "1 + 1"}"#;
        let room = super::evert_room(question.len());
        // SAFETY: the room is as long, and the answer says how long it is.
        let answer = unsafe {
            std::ptr::copy_nonoverlapping(question.as_ptr(), room, question.len());
            let out = super::evert_answer(room, question.len());
            let length = u32::from_le_bytes(*out.cast::<[u8; 4]>()) as usize;
            String::from_utf8_lossy(std::slice::from_raw_parts(out.add(4), length)).into_owned()
        };
        assert!(answer.contains(r#""text":"2""#), "{answer}");
    }

    #[test]
    fn what_is_no_question_is_said_to_be_none() {
        for question in ["", "{", "[]", r#"{"task": "fly"}"#, r#"{"task": "run"}"#] {
            let answer: serde_json::Value = serde_json::from_str(&super::answer(question)).expect("JSON");
            assert!(answer["wrong"].is_string() || question.contains("run"), "{answer}");
        }
    }
}
