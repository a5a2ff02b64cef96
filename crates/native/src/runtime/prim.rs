//! Primitives: the evaluator's own, on values read from leaf words; for arrays of numbers those of `fast`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use base::codes;
use calculus::Prim;
use eval::{Fault, Value};

use super::object::is_object;
use super::{Context, Environment, Failure, Site, fast, leave};
use crate::layout::Layouts;
use crate::stack;
use crate::values::{Take, Unwritten, read, write_words};

/// One call of a primitive.
struct Call {
    site: u64,
    args: *mut u64,
    out: *mut u64,
}

/// # Safety
/// As `emit::symbols` says.
pub unsafe extern "C" fn rt_prim(ctx: *mut Context, site: u64, args: *const u64, out: *mut u64) {
    // The words are the call's: a sensitivity among them is exchanged for its dense form.
    let mut call = Call { site, args: args.cast_mut(), out };
    // SAFETY: called by compiled code; `call` has no destructor, and `run` catches what unwinds.
    unsafe {
        if stack::on_host(ctx, run, (&raw mut call).cast()) != 0 {
            leave(ctx);
        }
    }
}

/// Runs a primitive on the thread's stack; 0 if it went well.
unsafe extern "C" fn run(ctx: *mut Context, call: *mut u8) -> u64 {
    // SAFETY: `rt_prim` gave the context of the run and its call, and waits.
    let (ctx, call) = unsafe { (&mut *ctx, &*call.cast::<Call>()) };
    // SAFETY: a run is under way.
    let environment = unsafe { ctx.environment() };
    let site = &environment.sites[call.site as usize];
    let words = environment.border.layouts.words(&site.args);
    let result = environment.border.layouts.get(site.result).words;
    // SAFETY: compiled code gives as many words for the arguments and the result as their shapes have. The words of the
    // result are set to 0 before they are a slice.
    let (args, out) = unsafe {
        call.out.write_bytes(0, result);
        (std::slice::from_raw_parts_mut(call.args, words), std::slice::from_raw_parts_mut(call.out, result))
    };
    // SAFETY: the arguments are live values of the site's shapes, owned by this call.
    let outcome = catch_unwind(AssertUnwindSafe(|| unsafe {
        check_arguments(ctx, environment, site, args);
        let outcome = apply(ctx, environment, call.site, args, out);
        if outcome.is_ok() {
            check_result(ctx, environment, site, out);
        }
        outcome
    }));
    ctx.ended(outcome)
}

/// In a checked run: are the arguments what the site says?
fn check_arguments(ctx: &Context, environment: &Environment, site: &Site, args: &[u64]) {
    if !ctx.is_checked() {
        return;
    }
    let mut start = 0;
    for &shape in &site.args {
        let words = environment.border.layouts.get(shape).words;
        let verdict = ctx.check_value(environment.border, shape, &args[start..start + words]);
        verdict.unwrap_or_else(|what| panic!("{what}: an argument of `{}`", site.prim.name()));
        start += words;
    }
}

/// The same for the result.
fn check_result(ctx: &Context, environment: &Environment, site: &Site, out: &[u64]) {
    if ctx.is_checked() {
        let verdict = ctx.check_value(environment.border, site.result, out);
        verdict.unwrap_or_else(|what| panic!("{what}: the result of `{}`", site.prim.name()));
    }
}

/// # Safety
/// The words of `args` are live values of the site's shapes, owned by this call.
unsafe fn apply(
    ctx: &mut Context,
    environment: &Environment,
    number: u64,
    args: &mut [u64],
    out: &mut [u64],
) -> Result<(), Failure> {
    let site = &environment.sites[number as usize];
    // Who is mostly in here is never met in compiled code, where it could be sent away.
    if base::interrupt::is_requested() {
        return Err(Failure::Error { code: codes::OUT_OF_STEPS, span: None });
    }
    let call = fast::Call { ctx: &mut *ctx, border: environment.border, site, args: &mut *args, out: &mut *out };
    // SAFETY: by this function's contract.
    if let Some(done) = unsafe { fast::apply(call) } {
        return done.map_err(|code| Failure::Error { code, span: Some(site.span) });
    }
    // SAFETY: by this function's contract.
    if site.prim == Prim::Print && unsafe { ctx.is_mark(environment.border.layouts, site.args[0], args) } {
        // SAFETY: as above; the words aren't used again.
        unsafe {
            ctx.look(environment.border.layouts.get(site.args[0]).pointers().iter().map(|&at| args[at]));
            release_arguments(ctx, environment, site, args);
        }
        return Ok(());
    }
    let failed = |fault: Box<Fault>| Failure::Error { code: fault.code, span: Some(site.span) };
    // SAFETY: by this function's contract; what is read is released right after.
    let values = unsafe {
        let values = read_arguments(environment, site, args);
        release_arguments(ctx, environment, site, args);
        values
    };
    let result = match site.prim {
        Prim::Print => print(environment, &values[0]).map_err(failed)?,
        prim => {
            ctx.count_evaluated(number);
            eval::prims::compute_values(prim, values).map_err(failed)?
        }
    };
    write_words(ctx, environment.border, site.result, &result, out).map_err(|error| match error {
        Unwritten::Mismatch(text) => Failure::Mismatch(format!("`{}`: {text}", site.prim)),
        Unwritten::Memory(code) => Failure::Error { code, span: Some(site.span) },
    })
}

/// # Safety
/// As for [`apply`]; the arguments are released next.
unsafe fn read_arguments(environment: &Environment, site: &Site, args: &[u64]) -> [Value; 3] {
    let mut values = [Value::Zero, Value::Zero, Value::Zero];
    let mut start = 0;
    for (value, &shape) in values.iter_mut().zip(&site.args) {
        let words = &args[start..start + environment.border.layouts.get(shape).words];
        start += words.len();
        // SAFETY: by this function's contract.
        *value = unsafe { read(environment.border, shape, words, Take::Unshared) };
    }
    values
}

/// # Safety
/// The words are owned by the caller, and not used again.
unsafe fn release_arguments(ctx: &mut Context, environment: &Environment, site: &Site, args: &[u64]) {
    let mut start = 0;
    for &shape in &site.args {
        let words = environment.border.layouts.get(shape).words;
        // SAFETY: by this function's contract.
        unsafe { release_words(ctx, environment.border.layouts, shape, &args[start..start + words]) };
        start += words;
    }
}

/// Gives up the leaf words of a value.
///
/// # Safety
/// The words are those of a value of the shape, owned by the caller and not used again.
pub unsafe fn release_words(ctx: &mut Context, layouts: &Layouts, shape: first_order::ShapeId, words: &[u64]) {
    for &at in layouts.get(shape).pointers() {
        debug_assert!(!is_object(words[at]) || words[at].is_multiple_of(8), "a pointer is aligned");
        // SAFETY: by this function's contract.
        unsafe { ctx.release(words[at]) };
    }
}

fn print(environment: &Environment, value: &Value) -> Result<Value, Box<Fault>> {
    eval::prims::settle(value)?;
    if environment.quiet.get() == 0 {
        (environment.output.borrow_mut())(&eval::show::printed(value)?);
        environment.printed.set(environment.printed.get() + 1);
    }
    Ok(Value::unit())
}
