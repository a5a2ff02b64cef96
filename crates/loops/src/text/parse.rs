//! Text as a program of L4.

use first_order::text::{ParseError, Parser, Token};
use first_order::{self as l3, Scalar, ShapeId};

use crate::layout::Layouts;
use crate::term::{
    Arm, Atom, Block, Cost, Descriptor, DescriptorId, End, Function, FunctionId, Kind, Leaf, Matrix, Op, Pieces, Place,
    Placed, PrimSite, Product, Program, Statement, Var,
};

type Result<T> = std::result::Result<T, ParseError>;

/// The program that a text is.
pub fn parse(text: &str) -> Result<Program> {
    Reader { text: Parser::new(text)?, vars: vec![] }.program()
}

struct Reader<'a> {
    /// What is left of the text.
    text: Parser<'a>,
    /// The leaves of the variables of the function that is being read.
    vars: Vec<Option<Leaf>>,
}

impl Reader<'_> {
    fn program(mut self) -> Result<Program> {
        let mut descriptors = vec![];
        while self.text.takes_word("descriptor") {
            self.row("d", descriptors.len())?;
            descriptors.push(self.descriptor()?);
        }
        let (mut named, mut arrays) = (vec![], vec![]);
        while self.text.takes_word("type") {
            let definition = self.text.definition(named.len())?;
            named.push((definition, self.place_in_memory()?));
        }
        while self.text.takes_word("elements") {
            let element = self.text.of()?;
            arrays.push((element, self.place_in_memory()?));
        }
        let (mut prims, mut texts, mut functions) = (vec![], vec![], vec![]);
        while self.text.takes_word("prim") {
            self.row("p", prims.len())?;
            prims.push(self.site()?);
        }
        while self.text.takes_word("text") {
            self.row("t", texts.len())?;
            texts.push(self.text.name()?);
        }
        let places = if self.text.takes_word("surveyed") { Some(self.places()?) } else { None };
        self.text.word("entry")?;
        let entry = FunctionId(self.text.numbered("f")?);
        while *self.text.peek() != Token::End {
            functions.push(self.function(functions.len())?);
        }
        let layouts = Layouts::of_parts(named, arrays, &descriptors);
        Ok(Program { functions, entry, descriptors, layouts, prims, texts, places })
    }

    // Tables

    /// The number of a row, which is its place, and `=`.
    fn row(&mut self, letter: &str, place: usize) -> Result<()> {
        if self.text.numbered(letter)? as usize != place {
            return self.text.error(format!("this should be {letter}{place}"));
        }
        self.text.symbol('=')
    }

    fn places(&mut self) -> Result<Vec<Place>> {
        let mut places = vec![];
        while self.text.takes_word("maker") {
            self.row("m", places.len())?;
            let function = first_order::FunctionId(self.text.numbered("f")?);
            places.push(Place { function, var: first_order::Var(self.text.numbered("v")?) });
        }
        Ok(places)
    }

    fn place_in_memory(&mut self) -> Result<DescriptorId> {
        self.text.word("in")?;
        self.descriptor_id()
    }

    fn descriptor(&mut self) -> Result<Descriptor> {
        let kind = if self.text.takes_word("node") {
            Kind::Node
        } else if self.text.takes_word("columns") {
            Kind::Columns
        } else {
            self.text.word("array").map(|()| Kind::Array)?
        };
        self.text.word("of")?;
        let words = self.text.number()?;
        self.text.word("words")?;
        self.text.symbol(',')?;
        self.text.word("pointers")?;
        Ok(Descriptor { kind, words, pointers: self.text.list('[', ']', Parser::number)? })
    }

    fn site(&mut self) -> Result<PrimSite> {
        let prim = self.text.prim()?;
        let args: Vec<(ShapeId, Vec<Leaf>)> = self.text.list('(', ')', shape_and_leaves)?;
        self.text.word("to")?;
        let (result, result_leaves) = shape_and_leaves(&mut self.text)?;
        let (args, arg_leaves) = args.into_iter().unzip();
        Ok(PrimSite { prim, args, arg_leaves, result, result_leaves, span: self.text.span()? })
    }

    // Functions

    fn function(&mut self, place: usize) -> Result<Function> {
        if self.text.numbered("f")? as usize != place {
            return self.text.error(format!("this should be f{place}"));
        }
        let name = self.text.name()?;
        self.vars.clear();
        self.text.symbol('(')?;
        let mut params = vec![];
        while !self.text.takes_symbol(')') {
            if !params.is_empty() {
                self.text.symbol(',')?;
            }
            params.push(self.binder()?);
        }
        self.text.symbol('-')?;
        self.text.symbol('>')?;
        let results = self.text.list('(', ')', leaf)?;
        let borrows = self.text.takes_word("borrows");
        let span = self.text.span()?;
        self.text.symbol('{')?;
        while self.text.takes_word("var") {
            self.binder()?;
        }
        let body = self.rest_of_block()?;
        if let Some(missing) = self.vars.iter().position(Option::is_none) {
            return self.text.error(format!("v{missing} has no leaf: nothing binds it"));
        }
        let vars = self.vars.drain(..).flatten().collect();
        Ok(Function { name, params, results, vars, body, span, borrows })
    }

    /// A variable where it is bound, with its leaf.
    fn binder(&mut self) -> Result<Var> {
        let var = self.var()?;
        self.text.symbol(':')?;
        let at = var.0 as usize;
        // Every variable takes some of the text: a larger number can't be one of them.
        if at > self.text.text_len() {
            return self.text.error("a variable with too large a number");
        }
        let leaf = leaf(&mut self.text)?;
        if self.vars.len() <= at {
            self.vars.resize(at + 1, None);
        }
        self.vars[at] = Some(leaf);
        Ok(var)
    }

    fn block(&mut self) -> Result<Block> {
        self.text.symbol('{')?;
        self.rest_of_block()
    }

    /// A block after its opening brace.
    fn rest_of_block(&mut self) -> Result<Block> {
        let mut statements = vec![];
        let end = loop {
            if self.text.takes_word("yield") {
                break End::Yield(self.last_atoms()?);
            }
            if self.text.takes_word("again") {
                break End::Again(self.last_atoms()?);
            }
            if self.text.takes_word("never") {
                break End::Never;
            }
            statements.push(self.statement()?);
        };
        self.text.symbol('}')?;
        Ok(Block { statements, end })
    }

    fn statement(&mut self) -> Result<Statement> {
        let mut vars = vec![];
        while *self.text.second() == Token::Symbol(':') {
            vars.push(self.binder()?);
            if !self.text.takes_symbol(',') {
                break;
            }
        }
        if !vars.is_empty() {
            self.text.symbol('=')?;
        }
        let op = self.op(vars.len())?;
        Ok(Statement { vars, op, span: self.text.span()? })
    }

    // Operations

    /// An operation that binds so many variables: by its first word, or by what follows its first operand.
    fn op(&mut self, bound: usize) -> Result<Op> {
        let Token::Word(word) = *self.text.peek() else { return self.on_atom(bound) };
        let called = *self.text.second() == Token::Symbol('(');
        let number = |letter: char| word.strip_prefix(letter).and_then(|digits| digits.parse::<u32>().ok());
        if let (Some(id), true) = (number('f'), called) {
            self.text.advance();
            return Ok(Op::Call(FunctionId(id), self.atoms('(', ')')?));
        }
        if let (Some(site), true) = (number('p'), called) {
            self.text.advance();
            return Ok(Op::Prim(site, self.atoms('(', ')')?));
        }
        if let Some(text) = number('t') {
            self.text.advance();
            return Ok(Op::Text(text));
        }
        if let (Some(scalar), true) = (Scalar::by_name(word), called) {
            self.text.advance();
            return Ok(Op::Scalar(scalar, self.atoms('(', ')')?));
        }
        if self.text.is_at_atom() || word == "null" || is_tag(self.text.peek()) {
            return self.on_atom(bound);
        }
        self.text.advance();
        self.by_word(word, bound)
    }

    fn by_word(&mut self, word: &str, bound: usize) -> Result<Op> {
        Ok(match word {
            "if" => {
                let condition = self.atom()?;
                let yes = self.nested()?;
                self.text.word("else")?;
                Op::If(condition, Box::new(yes), Box::new(self.nested()?))
            }
            "switch" => {
                let tag = self.atom()?;
                let mut arms = vec![];
                while self.text.takes_word("case") {
                    arms.push(self.arm()?);
                }
                Op::Switch(tag, arms)
            }
            "loop" => self.repeat()?,
            "sum" => {
                let index = self.binder()?;
                self.text.word("in")?;
                let count = self.end_of_range()?;
                Op::Sum { count, index, body: Box::new(self.nested()?) }
            }
            "new" => Op::Node(self.descriptor_id()?, self.atoms('(', ')')?),
            "open" => self.open()?,
            "is_object" => Op::IsObject(self.atom()?),
            "tag_of" => Op::TagOf(self.atom()?),
            "pointer_of" => Op::PointerOf(self.atom()?),
            "array" => Op::NewArray(self.descriptor_id()?, self.atoms('[', ']')?),
            "take" => {
                let array = self.atom()?;
                let (at, rank, columns) = self.index()?;
                Op::TakeElement { array, rank, words: self.words(bound)?, at, columns }
            }
            "append" => {
                let array = self.atom()?;
                Op::Append { array, leaves: self.leaves()? }
            }
            "length" => Op::Axis(self.atom()?, self.text.number()?),
            "unshare" => Op::Unshare(self.atom()?),
            "row" => {
                let (array, dropped, at) = self.place_behind()?;
                Op::Row { array, dropped, at }
            }
            "replace" => {
                let (array, dropped, at) = self.place_behind()?;
                Op::ReplaceRow { array, row: self.stored()?, dropped, at }
            }
            "store" => {
                let array = self.atom()?;
                self.text.word("row")?;
                let at = self.atom()?;
                self.text.word("of")?;
                let count = self.atom()?;
                Op::StoreRow { array, row: self.stored()?, at, count }
            }
            "is_large" => Op::IsLarge(self.atom()?, self.work()?),
            "pieces" => Op::Pieces(Box::new(self.pieces()?)),
            "product" => Op::Product(Box::new(self.product()?)),
            "one_hot" => {
                let (lengths, at) = (self.atoms('[', ']')?, self.atom()?);
                Op::OneHot { lengths, at, value: self.stored()? }
            }
            "add_at" => {
                let (sum, lengths, at) = (self.atom()?, self.atoms('[', ']')?, self.atom()?);
                let value = self.stored()?;
                Op::AddAt { site: self.by_site()?, sum, lengths, at, value }
            }
            "dense" => Op::Dense(self.atom()?, self.text.number()?),
            "place" => Op::Placed(Box::new(self.placed()?)),
            "add" => {
                let (sum, site) = (self.atom()?, self.by_site()?);
                self.text.word("place")?;
                Op::AddPlaced { site, sum, placed: Box::new(self.placed()?) }
            }
            "plus" => {
                let (first, a) = (self.text.takes_word("plain"), self.atom()?);
                self.text.symbol(',')?;
                let (second, b) = (self.text.takes_word("plain"), self.atom()?);
                Op::Plus { site: self.by_site()?, terms: [a, b], plain: [first, second] }
            }
            "quiet" if self.text.takes_word("on") => Op::Quiet(true),
            "quiet" => self.text.word("off").map(|()| Op::Quiet(false))?,
            "made_by" => Op::Site(self.text.numbered("m")?),
            "retain" => Op::Retain(self.atom()?),
            "release" => Op::Release(self.atom()?),
            "is_unique" => Op::IsUnique(self.atom()?),
            "require" => {
                let condition = self.atom()?;
                self.text.word("else")?;
                Op::Require(condition, self.text.code()?)
            }
            "fail" => Op::Fail(self.text.code()?),
            _ => return self.text.error(format!("`{word}` is no operation")),
        })
    }

    /// Operations that begin with an operand.
    fn on_atom(&mut self, bound: usize) -> Result<Op> {
        let a = self.atom()?;
        if self.text.takes_symbol('+') {
            return Ok(Op::IndexAdd(a, self.atom()?));
        }
        if self.text.takes_symbol('*') {
            return Ok(Op::IndexMul(a, self.atom()?));
        }
        if self.text.takes_word("in") {
            return Ok(Op::InRange(a, self.end_of_range()?));
        }
        if self.text.takes_symbol('.') {
            let at = self.text.number()?;
            self.text.word("of")?;
            return Ok(Op::Load(self.descriptor_id()?, a, at));
        }
        if *self.text.peek() != Token::Symbol('[') {
            return self.text.error("expected an operation");
        }
        let (at, rank, columns) = self.index()?;
        if *self.text.peek() == Token::Symbol('<') {
            return Ok(Op::StoreElement { array: a, rank, at, leaves: self.leaves()?, columns });
        }
        Ok(Op::LoadElement { array: a, rank, words: self.words(bound)?, at, columns })
    }

    fn nested(&mut self) -> Result<Block> {
        self.text.enter()?;
        let block = stacker::maybe_grow(64 << 10, 1 << 20, || self.block());
        self.text.leave();
        block
    }

    fn arm(&mut self) -> Result<Arm> {
        let mut nulls = vec![];
        if self.text.takes_word("null") {
            nulls.push(self.var()?);
            while self.text.takes_symbol(',') {
                nulls.push(self.var()?);
            }
        }
        Ok(Arm { nulls, block: self.nested()? })
    }

    fn repeat(&mut self) -> Result<Op> {
        let mut params = vec![];
        while *self.text.peek() != Token::Symbol('{') {
            if !params.is_empty() {
                self.text.symbol(',')?;
            }
            let param = self.binder()?;
            self.text.symbol('=')?;
            params.push((param, self.atom()?));
        }
        Ok(Op::Loop { params, body: Box::new(self.nested()?) })
    }

    fn pieces(&mut self) -> Result<Pieces> {
        let function = FunctionId(self.text.numbered("f")?);
        let captures = self.atoms('(', ')')?;
        self.text.word("of")?;
        let (count, work) = (self.atom()?, self.work()?);
        let values = if self.text.takes_word("into") { Some(self.atom()?) } else { None };
        Ok(Pieces { function, count, work, captures, values })
    }

    fn work(&mut self) -> Result<Vec<Cost>> {
        self.text.word("work")?;
        self.text.symbol('[')?;
        let mut work = vec![];
        while !self.text.takes_symbol(']') {
            if !work.is_empty() {
                self.text.symbol(',')?;
            }
            let (units, mut lengths) = (self.text.number()?, vec![]);
            while self.text.takes_symbol('*') {
                lengths.push(self.atom()?);
            }
            work.push(Cost { units, lengths });
        }
        Ok(work)
    }

    fn open(&mut self) -> Result<Op> {
        let node = self.atom()?;
        self.text.word("of")?;
        let descriptor = self.descriptor_id()?;
        let mut taken = vec![];
        let mut more = self.text.takes_word("for");
        while more {
            let var = self.var()?;
            self.text.symbol('.')?;
            taken.push((var, self.text.number()?));
            more = self.text.takes_symbol(',');
        }
        Ok(Op::Open { descriptor, node, taken })
    }

    // Operands

    fn var(&mut self) -> Result<Var> {
        Ok(Var(self.text.numbered("v")?))
    }

    fn descriptor_id(&mut self) -> Result<DescriptorId> {
        Ok(DescriptorId(self.text.numbered("d")?))
    }

    fn atom(&mut self) -> Result<Atom> {
        if self.text.takes_word("null") {
            return Ok(Atom::Null);
        }
        if is_tag(self.text.peek()) {
            return Ok(Atom::Tag(self.text.numbered("tag")?));
        }
        Ok(match self.text.atom()? {
            l3::Atom::Var(var) => Atom::Var(Var(var.0)),
            l3::Atom::Bool(b) => Atom::Bool(b),
            l3::Atom::Int(i) => Atom::Int(i),
            l3::Atom::Real(x) => Atom::Real(x),
            l3::Atom::Unit => return self.text.error("a leaf is no unit"),
        })
    }

    fn atoms(&mut self, open: char, close: char) -> Result<Vec<Atom>> {
        self.text.symbol(open)?;
        let mut atoms = vec![];
        while !self.text.takes_symbol(close) {
            if !atoms.is_empty() {
                self.text.symbol(',')?;
            }
            atoms.push(self.atom()?);
        }
        Ok(atoms)
    }

    /// Atoms up to the end of the block.
    fn last_atoms(&mut self) -> Result<Vec<Atom>> {
        if *self.text.peek() == Token::Symbol('}') { Ok(vec![]) } else { self.some_atoms() }
    }

    fn some_atoms(&mut self) -> Result<Vec<Atom>> {
        let mut atoms = vec![self.atom()?];
        while self.text.takes_symbol(',') {
            atoms.push(self.atom()?);
        }
        Ok(atoms)
    }

    fn arrow(&mut self) -> Result<()> {
        self.text.symbol('<')?;
        self.text.symbol('-')
    }

    /// `<-` and what is stored.
    fn stored(&mut self) -> Result<Atom> {
        self.arrow()?;
        self.atom()
    }

    /// `<-` and the leaves of an element; `()` if it has none.
    fn leaves(&mut self) -> Result<Vec<Atom>> {
        self.arrow()?;
        if *self.text.peek() == Token::Symbol('(') { self.atoms('(', ')') } else { self.some_atoms() }
    }

    /// The flat number of an element, the rank of its array, and whether that has columns.
    fn index(&mut self) -> Result<(Atom, u32, bool)> {
        self.text.symbol('[')?;
        let at = self.atom()?;
        self.text.symbol(']')?;
        let rank = if self.text.takes_word("rank") { self.text.number()? } else { 1 };
        Ok((at, rank, self.text.takes_word("columns")))
    }

    /// The words of an element: as many as variables are bound, unless it says otherwise.
    fn words(&mut self, bound: usize) -> Result<u32> {
        if self.text.takes_word("words") { self.text.number() } else { Ok(bound as u32) }
    }

    /// An array, the number of indices that are dropped, the element where the subarray begins.
    fn place_behind(&mut self) -> Result<(Atom, u32, Atom)> {
        let array = self.atom()?;
        self.text.word("behind")?;
        let dropped = self.text.number()?;
        self.text.word("from")?;
        Ok((array, dropped, self.atom()?))
    }

    /// A range from 0, as in `0..v3`.
    fn end_of_range(&mut self) -> Result<Atom> {
        let start: u32 = self.text.number()?;
        if start != 0 || !self.text.takes(&Token::Range) {
            return self.text.error("expected a range from 0");
        }
        self.atom()
    }

    /// A part of a sensitivity, after the word `place`.
    fn product(&mut self) -> Result<Product> {
        let lengths = self.atoms('[', ']')?;
        let Ok(lengths) = <[Atom; 3]>::try_from(lengths) else {
            return self.text.error("a product has three lengths".to_string());
        };
        let (left, right) = (self.matrix()?, self.matrix()?);
        let out = if self.text.takes_word("to") {
            let array = self.atom()?;
            let (at, rank, _) = self.index()?;
            Some((array, rank, at))
        } else {
            None
        };
        Ok(Product { lengths, left, right, out })
    }

    fn matrix(&mut self) -> Result<Matrix> {
        let array = self.atom()?;
        let (at, rank, _) = self.index()?;
        self.text.word("by")?;
        match self.atoms('[', ']')?[..] {
            [row, column] => Ok(Matrix { array, rank, at, row, column }),
            _ => self.text.error("a matrix has two steps".to_string()),
        }
    }

    fn placed(&mut self) -> Result<Placed> {
        let lengths = self.atoms('[', ']')?;
        self.text.word("at")?;
        let (index, count) = (self.atoms('[', ']')?, self.atom()?);
        self.text.word("from")?;
        let at = self.atom()?;
        self.arrow()?;
        let (plain, part) = (self.text.takes_word("plain"), self.atom()?);
        Ok(Placed { site: self.by_site()?, lengths, index, at, count, part, plain })
    }

    fn by_site(&mut self) -> Result<u32> {
        self.text.word("by")?;
        self.text.numbered("p")
    }
}

/// `tag` and a number.
fn is_tag(token: &Token<'_>) -> bool {
    let Token::Word(word) = token else { return false };
    word.strip_prefix("tag").is_some_and(|digits| digits.parse::<u32>().is_ok())
}

fn leaf(text: &mut Parser<'_>) -> Result<Leaf> {
    for leaf in [Leaf::Bool, Leaf::Int, Leaf::Real, Leaf::Ptr, Leaf::Object] {
        if text.takes_word(&leaf.to_string()) {
            return Ok(leaf);
        }
    }
    text.error("expected a leaf")
}

fn shape_and_leaves(text: &mut Parser<'_>) -> Result<(ShapeId, Vec<Leaf>)> {
    Ok((text.shape_id()?, text.list('[', ']', leaf)?))
}
