//! A long straight function of one number: what compiling costs as programs grow.

use std::fmt::Write;

/// A program whose kernel is the derivative of a chain of this many scalar operations.
pub fn text(operations: usize) -> String {
    let mut text = String::from("fn chain(x) = {\n  let v0 = x\n");
    for i in 1..=operations {
        let (last, before) = (i - 1, i.saturating_sub(2));
        let operation = match i % 4 {
            0 => format!("v{last} * v{before}"),
            1 => format!("v{last} + v{before}"),
            2 => format!("sin(v{last})"),
            _ => format!("v{last} - 0.25"),
        };
        writeln!(text, "  let v{i} = {operation}").expect("a string takes everything");
    }
    write!(text, "  v{operations}\n}}\nlet x = 0.5\nlet gradient = grad(chain)(x)\n").expect("likewise");
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_chain_has_as_many_operations_as_asked_for() {
        assert_eq!(super::text(750).matches("let v").count(), 751);
    }
}
