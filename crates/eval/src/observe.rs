//! Which custom rules a computation uses, and at which arguments: what `evert test` checks.
//!
//! In: each use of a rule, as the machine meets it: by a derivative, or, of a rule that no derivative uses, the plain calls of its function. Out: for each rule a bounded sample of all its uses: the first ones, the last one, one
//! of each class of arguments (by signs, sizes and alternatives; by finer steps for small arguments), and a random choice of all. The sample depends on nothing but the
//! program. Whoever checks them can also ask which branches a computation takes ([`Branches`]).

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use base::Name;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::array::{Array, Elements};
use crate::lazy::force;
use crate::value::{Closure, Form, Function, Value};

/// So many uses of a rule are kept: first ones, one for each class, and at random. Of small arguments more are kept.
const FIRST: usize = 2;
const CLASSES: usize = 32;
const FINE_CLASSES: usize = 512;
const RANDOM: usize = 16;
const SMALL_RANDOM: usize = 512;

/// The uses of all rules, in the order in which the rules were met.
#[derive(Clone, Default)]
pub struct Uses {
    rules: Vec<RuleUses>,
    places: FxHashMap<(usize, u32), usize>,
    /// Calls of functions of this name count, whether they have a rule or not.
    pub wanted: Option<Name>,
    /// Rules that a program attaches to values with `<~` count as well.
    pub attached: bool,
}

/// What makes an argument one to check a rule at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Occasion {
    /// Nothing in the program: it was drawn.
    Drawn,
    /// The function was called there.
    Called,
    /// A derivative used the rule there.
    Differentiated,
}

/// A sample of the uses of one rule.
#[derive(Clone)]
pub struct RuleUses {
    /// The strongest occasion there was; uses of weaker ones are forgotten.
    pub occasion: Occasion,
    /// How often it was used.
    pub total: u64,
    first: Vec<Use>,
    by_class: FxHashMap<u64, Use>,
    by_fine_class: FxHashMap<u64, Use>,
    random: Vec<Use>,
    last: Use,
}

/// The function with the rule and its argument.
#[derive(Clone)]
pub struct Use {
    pub f: Value,
    pub x: Value,
    /// Which use of the rule it was, from 0.
    pub at: u64,
}

impl Uses {
    /// `f` is the function that the programmer wrote, no J-image. Its rule is that of `closure`: of what was attached to it, if it is an attached function.
    pub fn add(&mut self, closure: &Closure, f: Value, x: Value, occasion: Occasion) {
        let closure = attached_rule(closure).unwrap_or(closure);
        let key = (Rc::as_ptr(&closure.code.group) as usize, closure.member);
        match self.places.get(&key) {
            Some(&place) if self.rules[place].occasion == occasion => self.rules[place].add(f, x),
            Some(&place) if self.rules[place].occasion < occasion => {
                self.rules[place] = RuleUses::new(f, x, occasion);
            }
            Some(_) => {}
            None => {
                self.places.insert(key, self.rules.len());
                self.rules.push(RuleUses::new(f, x, occasion));
            }
        }
    }

    /// Are calls of this function worth an entry?
    pub(crate) fn wants(&self, closure: &Closure) -> bool {
        let lambda = closure.code.lambda(closure.member);
        !lambda.rules.is_empty() && closure.code.group.order == 0 || self.wanted.is_some() && lambda.name == self.wanted
    }

    /// Was this function met?
    pub fn knows(&self, closure: &Closure) -> bool {
        self.places.contains_key(&(Rc::as_ptr(&closure.code.group) as usize, closure.member))
    }

    /// Leaves out rules.
    pub fn forget(&mut self, unwanted: impl Fn(&RuleUses) -> bool) {
        let keys: FxHashMap<usize, (usize, u32)> = self.places.drain().map(|(key, place)| (place, key)).collect();
        for (place, rule) in std::mem::take(&mut self.rules).into_iter().enumerate() {
            if !unwanted(&rule) {
                self.places.insert(keys[&place], self.rules.len());
                self.rules.push(rule);
            }
        }
    }

    pub fn rules(&self) -> &[RuleUses] {
        &self.rules
    }
}

/// The function that was attached to another with `<~`.
pub fn attached_rule(closure: &Closure) -> Option<&Closure> {
    if !closure.code.is_attach() {
        return None;
    }
    match closure.env.0.get(1)? {
        Value::Function(function) => match &**function {
            Function::Closure(rule) if rule.code.group.order == 0 => Some(rule),
            _ => None,
        },
        _ => None,
    }
}

impl RuleUses {
    fn new(f: Value, x: Value, occasion: Occasion) -> RuleUses {
        let class = class(&f, &x, Steps::Coarse);
        let first = Use { f, x, at: 0 };
        let by_class = FxHashMap::from_iter(class.map(|class| (class, first.clone())));
        RuleUses {
            occasion,
            total: 1,
            last: first.clone(),
            first: vec![first],
            by_class,
            by_fine_class: FxHashMap::default(),
            random: vec![],
        }
    }

    fn add(&mut self, f: Value, x: Value) {
        let one = Use { f, x, at: self.total };
        self.total += 1;
        if self.first.len() < FIRST {
            self.first.push(one.clone());
        }
        let classes =
            [(&mut self.by_class, CLASSES, Steps::Coarse), (&mut self.by_fine_class, FINE_CLASSES, Steps::Fine)];
        for (kept, most, steps) in classes {
            if kept.len() < most
                && let Some(class) = class(&one.f, &one.x, steps)
            {
                kept.entry(class).or_insert_with(|| one.clone());
            }
        }
        // Reservoir sampling: every use is kept with the same probability.
        let place = scrambled(one.at) % self.total;
        let most = if class(&one.f, &one.x, Steps::Fine).is_some() { SMALL_RANDOM } else { RANDOM };
        if self.random.len() < most {
            self.random.push(one.clone());
        } else if let Some(slot) = self.random.get_mut(place as usize) {
            *slot = one.clone();
        }
        self.last = one;
    }

    /// The sample: what is likely to matter in the order of use, then what only finer steps tell apart.
    pub fn sample(&self) -> Vec<&Use> {
        let (random, more) = self.random.split_at(self.random.len().min(RANDOM));
        let coarse = self.first.iter().chain(self.by_class.values()).chain(random).chain([&self.last]);
        let mut sample: Vec<&Use> = coarse.collect();
        let mut fine: Vec<&Use> = self.by_fine_class.values().chain(more).collect();
        sample.sort_by_key(|one| one.at);
        fine.sort_by_key(|one| one.at);
        let mut seen = FxHashSet::default();
        sample.into_iter().chain(fine).filter(|one| seen.insert(one.at)).collect()
    }

    /// Is it the first or the last of all uses?
    pub fn is_outermost(&self, one: &Use) -> bool {
        one.at == 0 || one.at + 1 == self.total
    }
}

/// Which way branches went: each branch of the code, and the ways that it went. How often doesn't matter.
#[derive(Default)]
pub struct Branches(FxHashSet<(usize, bool)>);

impl Branches {
    pub(crate) fn add(&mut self, place: usize, truth: bool) {
        self.0.insert((place, truth));
    }

    /// Equal for computations that took the same ways.
    pub fn signature(&self) -> u64 {
        let one = |way: &(usize, bool)| {
            let mut hasher = FxHasher::default();
            way.hash(&mut hasher);
            scrambled(hasher.finish())
        };
        self.0.iter().map(one).fold(0, u64::wrapping_add)
    }
}

/// SplitMix64: as good as random, and always the same.
fn scrambled(n: u64) -> u64 {
    let z = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// How reals are told apart.
#[derive(Clone, Copy, PartialEq)]
enum Steps {
    /// By sign, and by size in steps of eight times.
    Coarse,
    /// In steps of an eighth of an octave.
    Fine,
}

/// What kind of argument and captures it is: likely to take the same branches if it is the same. Large values have no fine class.
fn class(f: &Value, x: &Value, steps: Steps) -> Option<u64> {
    let mut walk = Walk { hasher: FxHasher::default(), left: 24, steps };
    walk.value(x);
    if let Value::Function(function) = f
        && let Function::Closure(closure) = &**function
    {
        closure.env.0.iter().for_each(|value| walk.value(value));
    }
    (steps == Steps::Coarse || walk.left > 0).then(|| walk.hasher.finish())
}

/// A walk over the first leaves of a value.
struct Walk {
    hasher: FxHasher,
    left: usize,
    steps: Steps,
}

impl Walk {
    fn value(&mut self, value: &Value) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        let Ok(value) = force(value) else { return };
        match &value {
            Value::Bool(b) => b.hash(&mut self.hasher),
            Value::Int(n) => (*n).clamp(-3, 3).hash(&mut self.hasher),
            Value::Real(x) => self.real(*x),
            Value::Data(data) => {
                match &data.form {
                    Form::Variant(constructor) => constructor.name.hash(&mut self.hasher),
                    Form::Tuple | Form::Record(_) | Form::Part(..) => data.fields.len().hash(&mut self.hasher),
                }
                data.fields.iter().for_each(|field| self.value(field));
            }
            Value::Array(array) => self.array(array),
            Value::Function(_) | Value::Text(_) | Value::Zero | Value::Sparse(_) | Value::Lazy(_) => {}
        }
    }

    fn real(&mut self, x: f64) {
        let size = match self.steps {
            Steps::Coarse => ((x.to_bits() >> 52) & 0x7ff) / 3,
            Steps::Fine => (x.to_bits() >> 49) & 0x3fff,
        };
        (x.is_sign_negative() && x != 0.0, size).hash(&mut self.hasher);
    }

    fn array(&mut self, array: &Array) {
        array.shape.iter().for_each(|length| (*length).min(3).hash(&mut self.hasher));
        match &array.elements {
            Elements::Real(reals) => {
                reals.iter().take(self.left.min(8)).for_each(|x| self.real(*x));
                self.left = self.left.saturating_sub(reals.len());
            }
            Elements::Values(values) => {
                values.iter().take(8).for_each(|value| self.value(value));
                self.left = self.left.saturating_sub(values.len());
            }
            Elements::Int(_) | Elements::Bool(_) => {}
        }
    }
}
