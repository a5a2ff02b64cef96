//! Loops in pieces: compiled code asks for a loop whose turns don't depend on each other, threads that are idle help.
//!
//! How a loop is cut depends on its sizes alone. Each thread, this one too, does its share with a context and a stack of its own: a turn gives back what it makes, so the
//! heap of a share is empty afterwards, and a share can be left without touching the run that asked for it. The loop fails as its first turn that does: pieces are
//! taken in order, and all before one that fails are done.

use super::Context;
use super::object::ArrayView;

/// The function of a module that does a range of turns.
pub type Piece = unsafe extern "C" fn(ctx: *mut Context, frame: *const u64, from: u64, to: u64);

/// # Safety
/// As `emit::symbols` says.
pub unsafe extern "C" fn rt_pieces(ctx: *mut Context, piece: Piece, frame: *const u64, count: u64, work: f64) {
    // SAFETY: by this function's contract.
    unsafe { shared::turns(ctx, piece, frame, (0, count), work) };
}

/// # Safety
/// As `emit::symbols` says.
pub unsafe extern "C" fn rt_sum_pieces(
    ctx: *mut Context,
    piece: Piece,
    frame: *mut u64,
    count: u64,
    work: f64,
    values: *mut u64,
) -> f64 {
    use numerics::summation::{CHUNK, push_chunk, sum_chunk, total_of};
    let (mut levels, mut chunks, mut start) = ([0.0; 64], 0, 0);
    // SAFETY: by this function's contract; each round has written the values that are added up.
    unsafe {
        let (size, elements) = (ArrayView::new(values).size() as u64, ArrayView::new(values).elements().cast::<f64>());
        while start < count {
            let end = count.min(start + size);
            frame.write(start);
            shared::turns(ctx, piece, frame, (start, end), work);
            for chunk in std::slice::from_raw_parts(elements, (end - start) as usize).chunks(CHUNK) {
                push_chunk(&mut levels, chunks, sum_chunk(chunk));
                chunks += 1;
            }
            start = end;
        }
    }
    total_of(&levels, chunks)
}

#[cfg(not(feature = "llvm"))]
mod shared {
    use super::{Context, Piece};

    /// A host without threads does all turns at once.
    ///
    /// # Safety
    /// As `emit::symbols` says.
    pub unsafe fn turns(ctx: *mut Context, piece: Piece, frame: *const u64, (from, to): (u64, u64), _: f64) {
        // SAFETY: by this function's contract.
        unsafe { piece(ctx, frame, from, to) };
    }
}

#[cfg(feature = "llvm")]
mod shared {
    use std::ops::Range;
    use std::sync::Mutex;

    use base::codes;

    use super::super::{Environment, Failure};
    use super::{Context, Piece};
    use crate::{interrupt, pool, stack, threads};

    /// The smallest loop that is cut becomes so many pieces: taking one costs little beside it.
    const LEAST_PIECES: f64 = 5.0;
    /// Into more pieces nothing is cut.
    const MOST: u64 = 512;

    /// What a thread needs to know of a loop.
    struct Turns {
        piece: Piece,
        frame: *const u64,
        from: u64,
        count: u64,
        pieces: u64,
        /// Where the instructions are.
        text: Range<usize>,
        /// Why the loop ends early: the number of the first piece that failed, and how.
        ended: Mutex<Option<(usize, Ended)>>,
        environment: *const Environment<'static>,
    }

    // SAFETY: the frame isn't written while the loop runs, and what it points to may be used by many threads at once: the compiler has proved it. Of the environment
    // primitives on arrays of numbers read the tables of shapes and of sites, which nobody changes.
    unsafe impl Sync for Turns {}

    enum Ended {
        Failed(Failure),
        /// Somebody wants it to stop.
        Stopped,
    }

    /// Does all turns from `from` on up to `to`.
    ///
    /// # Safety
    /// As `emit::symbols` says, on the compiled code's stack.
    pub unsafe fn turns(ctx: *mut Context, piece: Piece, frame: *const u64, (from, to): (u64, u64), work: f64) {
        let count = to - from;
        let piece_work = (threads::least() / LEAST_PIECES).max(1.0);
        let pieces = (((count as f64) * work / piece_work) as u64).clamp(1, MOST).min(count);
        // SAFETY: by this function's contract. Nothing here has a destructor where the run is left.
        unsafe {
            let wanted = (piece, frame, from, count, pieces);
            let status = stack::on_host(ctx, on_host, (&raw const wanted).cast_mut().cast());
            if status != 0 {
                stack::leave(ctx, status);
            }
        }
    }

    unsafe extern "C" fn on_host(ctx: *mut Context, wanted: *mut u8) -> u64 {
        // SAFETY: what `turns` gave.
        let (piece, frame, from, count, pieces) = unsafe { wanted.cast::<(Piece, *const u64, u64, u64, u64)>().read() };
        let text = interrupt::text();
        // SAFETY: the context is alive.
        let environment = unsafe { (*ctx).environment };
        let turns = Turns { piece, frame, from, count, pieces, text, ended: Mutex::new(None), environment };
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            threads::at_once(pieces as usize, &|pieces| turns.share(pieces));
        }));
        let ended = turns.ended.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        // SAFETY: the context is alive, and compiled code has no borrow of it now.
        let ctx = unsafe { &mut *ctx };
        match (outcome, ended) {
            (Err(payload), _) => ctx.ended(Err(payload)),
            (Ok(()), None) => 0,
            (Ok(()), Some((_, Ended::Failed(failure)))) => ctx.ended(Ok(Err(failure))),
            (Ok(()), Some((_, Ended::Stopped))) => interrupt::STATUS,
        }
    }

    impl Turns {
        /// What one thread does of the loop.
        fn share(&self, pieces: &threads::Pieces) {
            let mut runner = None;
            while let Some(number) = pieces.take() {
                if runner.is_none() {
                    runner = pool::take();
                }
                let Some(runner) = &mut runner else {
                    let failure = Failure::Error { code: codes::OUT_OF_MEMORY, span: None };
                    pieces.stop();
                    return self.end(number, Ended::Failed(failure));
                };
                let cut =
                    |at: u64| self.from + (u128::from(at) * u128::from(self.count) / u128::from(self.pieces)) as u64;
                let range = [cut(number as u64), cut(number as u64 + 1)];
                // SAFETY: the frame is that of the function, which may run on any thread.
                let status = unsafe { runner.do_piece(&self.text, self.environment, (self.piece, self.frame), range) };
                if status != 0 {
                    pieces.stop();
                    let stopped = status == interrupt::STATUS;
                    self.end(number, if stopped { Ended::Stopped } else { Ended::Failed(runner.take_failure()) });
                    break;
                }
            }
            if let Some(mut runner) = runner {
                runner.end_share();
                pool::give_back(runner);
            }
        }

        /// The first piece that ends early decides.
        fn end(&self, number: usize, how: Ended) {
            let mut ended = self.ended.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if ended.as_ref().is_none_or(|(known, _)| number < *known) {
                *ended = Some((number, how));
            }
        }
    }
}
