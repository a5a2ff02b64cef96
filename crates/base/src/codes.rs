//! The stable codes of all diagnostics. Each has a page in `docs/errors/`, shown by `evert explain`.

use std::fmt;

/// A code such as `E0201`, or `W0601` for a warning. Codes are never reused for another meaning.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Code(pub u16);

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:04}", if self.is_warning() { 'W' } else { 'E' }, self.0)
    }
}

impl Code {
    /// Does a program with it run all the same?
    pub fn is_warning(self) -> bool {
        self.0 / 100 == 6
    }
}

macro_rules! codes {
    ($($name:ident = $number:literal, $title:literal;)*) => {
        $(#[doc = $title] pub const $name: Code = Code($number);)*
        /// Every code with its title, in order.
        pub const ALL: &[(Code, &str)] = &[$((Code($number), $title)),*];
    };
}

codes! {
    // Reading text
    UNKNOWN_CHARACTER = 101, "a character that means nothing here";
    UNTERMINATED_STRING = 102, "a string that doesn't end";
    UNCLOSED_BRACKET = 103, "a bracket that is never closed";
    STRAY_BRACKET = 104, "a closing bracket without its opening one";
    UNEXPECTED_TOKEN = 105, "something else was expected here";
    NESTED_TOO_DEEPLY = 106, "brackets nested too deeply";
    BLOCK_WITHOUT_VALUE = 107, "a block that ends in a definition";
    RULE_WITHOUT_FUNCTION = 108, "a rule clause on something that isn't a function";
    CHAINED_COMPARISON = 109, "comparisons don't chain";
    BAD_NUMBER = 110, "a number that can't be read";
    BAD_ESCAPE = 111, "an escape in a string that means nothing";
    NOT_UTF8 = 112, "a file that isn't UTF-8 text";
    FILE_TOO_LARGE = 113, "a file that is too large";
    MISPLACED_STATEMENT = 114, "a statement that can't stand here";
    BAD_FORMAT = 115, "a format in a string that means nothing";
    // Names
    UNBOUND_NAME = 201, "a name that isn't defined";
    UNKNOWN_CONSTRUCTOR = 202, "a constructor that isn't declared";
    DUPLICATE_DEFINITION = 203, "a name that is defined twice";
    DUPLICATE_BINDING = 204, "a name that is bound twice in one pattern";
    CONSTRUCTOR_FIELDS = 205, "a constructor with the wrong number of fields";
    IMPORT_NOT_FOUND = 206, "an import that isn't there";
    CIRCULAR_IMPORT = 207, "imports that go in a circle";
    NOT_IN_MODULE = 208, "a name that the module doesn't define";
    NOT_CAPTURED = 209, "a sensitivity for something the function doesn't capture";
    READ_BEFORE_DEFINED = 210, "a definition that is read before it has run";
    DUPLICATE_FIELD = 211, "a field that is written twice";
    DUPLICATE_RULE = 212, "two rule clauses of one kind";
    // Running
    WRONG_ARITY = 301, "the wrong number of arguments";
    NOT_A_FUNCTION = 302, "a call of something that isn't a function";
    MISSING_FIELD = 303, "a field that isn't there";
    WRONG_KIND = 304, "an operand of the wrong kind";
    NO_MATCH = 305, "a match without a case for this value";
    NOT_A_BOOLEAN = 306, "a condition that isn't a boolean";
    INDEX_OUT_OF_RANGE = 307, "an index out of range";
    BAD_INDEX = 308, "an index that isn't an integer";
    RAGGED_ARRAY = 309, "an array whose rows differ in shape";
    SHAPE_MISMATCH = 310, "arrays whose shapes don't fit";
    INT_OVERFLOW = 311, "an integer that leaves its range";
    INT_DIVISION_BY_ZERO = 312, "an integer divided by zero";
    NEGATIVE_INT_POWER = 313, "an integer to a negative power";
    RECURSION_TOO_DEEP = 314, "recursion that doesn't end";
    PATTERN_MISMATCH = 315, "a pattern that doesn't fit its value";
    FUNCTION_COMPARED = 316, "functions can't be compared";
    ASSERTION_FAILED = 317, "an assertion that doesn't hold";
    SINGULAR_MATRIX = 318, "a matrix without a solution";
    EMPTY_REDUCTION = 319, "a reduction over nothing";
    ARRAY_TOO_LARGE = 320, "an array that is too large";
    USER_ERROR = 321, "an error raised by the program";
    OUT_OF_STEPS = 322, "a computation that was stopped";
    OUT_OF_MEMORY = 324, "a computation that needs too much memory";
    NOT_A_NUMBER = 325, "a text that isn't a number";
    NOT_A_PLOT = 327, "a plot that can't be drawn";
    NOT_FINITE = 328, "an operation that makes a NaN or an infinity of finite numbers";
    // Differentiating
    NOT_CONFORMING = 401, "sensitivities that can't be added";
    NOT_A_SCALAR = 402, "a gradient of something that isn't a number";
    NOTHING_TO_DIFFERENTIATE = 403, "a gradient at a value without reals";
    NOT_A_DERIVATIVE = 404, "J_inv of an ordinary function";
    NOT_LIFTED = 405, "an ordinary function where a derivative is due";
    RULE_NOT_A_PAIR = 406, "a rule that doesn't return a value and a backpropagator";
    UNKNOWN_LABEL = 407, "a sensitivity for an unknown capture";
    RULE_NOT_CONFORMING = 408, "a rule whose sensitivity doesn't fit its argument";
    COTANGENT_MISMATCH = 409, "a sensitivity that doesn't fit the result";
    RULE_CHECK_FAILED = 410, "a custom rule that is wrong";
    NOT_DERIVED = 411, "a derivative that can't be written as source";
    // Testing
    EXPECTATION_FAILED = 501, "a result that differs from what is expected";
    BAD_EXPECTATION = 502, "an expectation that can't be read";
    // Warnings
    UNUSED_VALUE = 601, "a value that isn't used";
    NOT_YET_DEFINED = 602, "a name that isn't defined yet";
    NOT_LINEAR = 603, "a rule whose linear part isn't linear";
    UNSTABLE_FORMULA = 604, "a formula for which there is a more exact function";
    SINGULAR_SLOPE = 605, "a formula whose derivative isn't a number where it matters";
    // Data
    BAD_DATA = 701, "a file of data that can't be understood";
    BAD_ARGUMENT = 702, "an argument of `main` that is missing or can't be used";
}

/// The title of a code, if there is such a code.
pub fn title(code: Code) -> Option<&'static str> {
    ALL.iter().find(|(known, _)| *known == code).map(|(_, title)| *title)
}
