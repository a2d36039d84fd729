//! The gate: refuses kernels whose Verilog would not mean what their Rust means.
//!
//! rust-hdl prints a kernel's expressions with no brackets and no sizes of its own.
//! Verilog then gives `& ^ |` a lower precedence than comparisons, and widens an operand to its context before it
//! computes, so a carry or an inversion that Rust drops survives.
//! Every refusal names the module, the expression and the way out, which is nearly always the same:
//! give the result to a `Signal<Local>` of its own width first.
//!
//! The gate refuses what it does not know to be safe; what it lets through is still compared with a model, at random.
//! Latches and loops through several blocks are Verilator's to refuse. These do not even compile: `let`, calls, and
//! `bit_cast` of an indexed item inside a `for`, whose width rust-hdl computes where the index is unknown:
//! ```compile_fail,E0425
//! # use rust_hdl::prelude::*;
//! #[derive(LogicBlock, Default)]
//! struct Widen { a: [Signal<In, Bits<8>>; 2], o: [Signal<Out, Bits<16>>; 2] }
//! impl Logic for Widen {
//!     #[hdl_gen]
//!     fn update(&mut self) {
//!         for i in 0..2 { self.o[i].next = bit_cast::<16, 8>(self.a[i].val()); }
//!     }
//! }
//! ```

mod scope;
pub mod shapes;
#[cfg(test)]
mod tests;

use rust_hdl::core::ast::{
    VerilogBlockOrConditional as Otherwise, VerilogConditional, VerilogExpression as Expr, VerilogOp as Op,
    VerilogOpUnary as Unary, VerilogStatement as Statement,
};
use rust_hdl::prelude::Block;
use scope::Scope;
use std::collections::BTreeSet;

/// Every complaint about every kernel below `uut`, sorted; empty when clean.
pub fn lint<B: Block>(uut: &B, top: &str) -> Vec<String> {
    let mut complaints = BTreeSet::new();
    for scope in scope::scopes(uut, top) {
        let mut check = Check { scope: &scope, loops: vec![], written: BTreeSet::new(), complaints: vec![] };
        check.names();
        check.block(&scope.kernel);
        complaints.extend(check.complaints.into_iter().map(|c| format!("{}: {c}", scope.path)));
    }
    complaints.into_iter().collect()
}

/// The walk over one kernel.
struct Check<'a> {
    scope: &'a Scope,
    /// Variables of the `for` loops around the current statement.
    loops: Vec<String>,
    /// Locals and outputs that an earlier statement has written.
    written: BTreeSet<String>,
    complaints: Vec<String>,
}

impl Check<'_> {
    fn refuse(&mut self, what: String) {
        self.complaints.push(what);
    }

    fn names(&mut self) {
        for name in self.scope.keywords() {
            self.refuse(format!("`{name}` is a word of Verilog; rename the field"));
        }
        for name in self.scope.signed() {
            self.refuse(format!("`{name}` is Signed: literals and `>>` print unsigned; keep two's complement in Bits"));
        }
    }

    fn block(&mut self, block: &[Statement]) {
        for statement in block {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Assignment(target, value) => {
                self.expr(value);
                self.target(target);
            }
            Statement::SliceAssignment { base, offset, replacement, .. } => {
                self.exact(offset, "slice offset");
                self.expr(replacement);
                self.target(base);
            }
            Statement::If(conditional) => self.conditional(conditional),
            Statement::Match(m) => {
                if !self.fits(&m.test) {
                    self.refuse(format!(
                        "match: labels are wider than the operand; give it to a local first: {:?}",
                        m.test
                    ));
                }
                self.expr(&m.test);
                for case in &m.cases {
                    if !self.scope.is_label(&case.condition) {
                        self.refuse(format!("match arm `{}` is no enum label, decimal or `_`", case.condition));
                    }
                    self.block(&case.block);
                }
            }
            Statement::Loop(l) => {
                self.loops.push(l.index.clone());
                self.block(&l.block);
                self.loops.pop();
            }
            Statement::Macro(block) => self.block(block),
            Statement::Comment(_) | Statement::Link(_) => {}
        }
    }

    fn conditional(&mut self, c: &VerilogConditional) {
        self.exact(&c.test, "if");
        self.block(&c.then);
        match &c.otherwise {
            Otherwise::Block(block) => self.block(block),
            Otherwise::Conditional(statement) => self.statement(statement),
            Otherwise::None => {}
        }
    }

    fn target(&mut self, target: &Expr) {
        self.width(target);
        if let Expr::Signal(name) = target {
            self.written.insert(scope::key(name));
        }
    }

    /// A signal's width; complains about a name the module does not declare.
    fn signal(&mut self, name: &str) -> Option<usize> {
        let key = scope::key(name);
        if let Some(unknown) = scope::index_names(name).into_iter().find(|n| !self.loops.contains(n)) {
            self.refuse(format!("`{name}`: the index may hold numbers and loop variables, not `{unknown}`"));
        }
        if self.loops.contains(&key) {
            return None;
        }
        let width = self.scope.width(&key);
        if width.is_none() {
            self.refuse(format!(
                "`{key}` is no signal of this module (a Rust const? a 2-D array? use Constant or Lit)"
            ));
        }
        width
    }

    /// Width of an expression; `None` for literals and loop variables, which take any.
    fn width(&mut self, e: &Expr) -> Option<usize> {
        match e {
            Expr::Signal(name) => self.signal(name),
            Expr::Literal(_) => None,
            Expr::Cast(_, width) | Expr::Slice(_, width, _) => Some(*width),
            Expr::Index(..) | Expr::Unary(Unary::All | Unary::Any | Unary::Xor, _) => Some(1),
            Expr::Signed(x) | Expr::Unsigned(x) | Expr::Paren(x) | Expr::Unary(_, x) | Expr::IndexReplace(x, ..) => {
                self.width(x)
            }
            Expr::Binary(l, op, r) => match op {
                Op::Shl | Op::Shr => self.width(l),
                Op::Mul => self.width(l).zip(self.width(r)).map(|(l, r)| l + r),
                op if compares(op) => Some(1),
                _ => self.width(l).or(self.width(r)),
            },
        }
    }

    /// True when the value is the same in any wider context.
    fn fits(&mut self, e: &Expr) -> bool {
        match e {
            Expr::Paren(x) | Expr::Signed(x) | Expr::Unsigned(x) => self.fits(x),
            Expr::Signal(_) | Expr::Literal(_) | Expr::Slice(..) | Expr::Index(..) | Expr::Cast(..) => true,
            Expr::Unary(op, _) => matches!(op, Unary::All | Unary::Any | Unary::Xor),
            Expr::IndexReplace(..) => false,
            Expr::Binary(l, op, r) => match op {
                _ if self.width(e).is_none() => true, // constants only
                Op::Add | Op::Sub | Op::Mul | Op::Shl => false,
                Op::Shr => self.fits(l),
                Op::BitAnd | Op::BitOr | Op::BitXor => self.fits(l) && self.fits(r),
                _ => true,
            },
        }
    }

    /// `e` is read at its own width here. One-bit values may hold `!`: whatever stands beside them is one bit too.
    fn exact(&mut self, e: &Expr, place: &str) {
        self.expr(e);
        if self.width(e) != Some(1) && !self.fits(e) {
            self.refuse(format!("{place}: the operand may carry past its width; give it to a local first: {e:?}"));
        }
    }

    fn expr(&mut self, e: &Expr) {
        match e {
            Expr::Signal(name) => self.read(name),
            Expr::Literal(_) => {}
            Expr::Paren(x) => self.expr(x),
            Expr::Signed(x) | Expr::Unsigned(x) => {
                self.refuse(format!(
                    "signed casts print `>>` and literals unsigned; keep two's complement in Bits: {x:?}"
                ));
            }
            Expr::Cast(x, width) => {
                self.expr(x);
                if self.width(x).is_none_or(|w| w < *width) && !self.fits(x) {
                    self.refuse(format!(
                        "bit_cast: the operand may carry past its width; give it to a local first: {x:?}"
                    ));
                }
            }
            Expr::Unary(Unary::Not | Unary::Neg, x) => self.expr(x),
            Expr::Unary(_, x) => self.exact(x, "reduction"),
            Expr::Index(x, index) | Expr::Slice(x, _, index) => {
                if !matches!(**x, Expr::Signal(_)) {
                    self.refuse(format!("a slice of an expression is no Verilog; give it to a local first: {x:?}"));
                }
                self.expr(x);
                self.exact(index, "index");
            }
            Expr::IndexReplace(x, index, value) => {
                self.expr(x);
                self.exact(index, "index");
                self.expr(value);
                if !self.fits(value) {
                    self.refuse(format!("replace_bit: the value is widened; give it to a local first: {value:?}"));
                }
            }
            Expr::Binary(l, op, r) => self.binary(l, op, r),
        }
    }

    fn binary(&mut self, l: &Expr, op: &Op, r: &Expr) {
        if !matches!(op, Op::Shl | Op::Shr | Op::Mul) {
            for (literal, other) in [(l, r), (r, l)] {
                if let (Expr::Literal(v), Some(width)) = (literal, self.width(other)) {
                    if scope::bits_of(v) > width {
                        self.refuse(format!("{v} does not fit the {width} bits it stands beside: {other:?}"));
                    }
                }
            }
        }
        match op {
            Op::LogicalAnd | Op::LogicalOr => {
                self.exact(l, "&& ||");
                self.exact(r, "&& ||");
            }
            op if compares(op) => {
                for (x, other) in [(l, r), (r, l)] {
                    if matches!(x, Expr::Binary(_, Op::BitAnd | Op::BitOr | Op::BitXor, _)) {
                        self.refuse(format!("bracket the `& ^ |` beside a comparison: {x:?}"));
                    }
                    self.exact(x, "comparison");
                    // literals print at 32 or 64 bits, so even a one-bit `!a == 0` is widened
                    let wide = matches!(other, Expr::Literal(v) if !v.to_string().starts_with("1'"));
                    if wide && self.width(x) == Some(1) && !self.fits(x) {
                        self.refuse(format!("comparison of `!bit` with a wide literal; write the bit itself: {x:?}"));
                    }
                }
                if let (Some(a), Some(b)) = (self.width(l), self.width(r)) {
                    if a != b {
                        self.refuse(format!("comparison of {a} with {b} bits: {l:?} and {r:?}"));
                    }
                }
            }
            Op::Shr => {
                self.exact(l, ">>");
                self.exact(r, "shift amount");
            }
            Op::Shl => {
                self.expr(l);
                self.exact(r, "shift amount");
            }
            Op::Mul => {
                self.exact(l, "*");
                self.exact(r, "*");
            }
            _ => {
                self.expr(l);
                self.expr(r);
            }
        }
    }

    /// A local or output read before any statement has written it holds last time's value: a latch, or a loop.
    fn read(&mut self, name: &str) {
        self.signal(name);
        let key = scope::key(name);
        if self.scope.is_driven_here(&key) && !self.written.contains(&key) {
            self.refuse(format!("`{key}` is read before it is written in this kernel"));
        }
    }
}

fn compares(op: &Op) -> bool {
    matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::LogicalAnd | Op::LogicalOr)
}
