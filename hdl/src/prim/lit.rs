//! A constant that a kernel can name and that needs no constructor.
//!
//! A kernel cannot see a Rust `const`. `Lit<W, V>` carries one as a member, so that a block still derives `Default`:
//! `psn_lsb: Lit<16, { PSN_LSB }>`, then `self.psn_lsb.val()`.

use rust_hdl::prelude::*;

/// The constant `V`, `W` bits wide.
#[derive(Clone, Debug)]
pub struct Lit<const W: usize, const V: u64>(Constant<Bits<W>>);

impl<const W: usize, const V: u64> Lit<W, V> {
    /// The value, as a kernel reads it.
    pub fn val(&self) -> Bits<W> {
        self.0.val()
    }
}

impl<const W: usize, const V: u64> Default for Lit<W, V> {
    fn default() -> Self {
        assert!(W >= 64 || V >> W == 0, "{V:#x} does not fit {W} bits");
        Self(Constant::new(bits(V)))
    }
}

impl<const W: usize, const V: u64> Logic for Lit<W, V> {
    fn update(&mut self) {}
}

impl<const W: usize, const V: u64> Block for Lit<W, V> {
    fn connect_all(&mut self) {}
    fn update_all(&mut self) {}
    fn has_changed(&self) -> bool {
        false
    }
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        probe.visit_atom(name, &self.0);
    }
}

/// What a [`Wide`] holds.
pub trait Value<const W: usize>: Clone + std::fmt::Debug + 'static {
    /// The constant.
    fn value() -> Bits<W>;
}

/// A constant of any width, named by a type.
#[derive(Clone, Debug)]
pub struct Wide<const W: usize, V: Value<W>>(Constant<Bits<W>>, std::marker::PhantomData<V>);

impl<const W: usize, V: Value<W>> Wide<W, V> {
    /// The value, as a kernel reads it.
    pub fn val(&self) -> Bits<W> {
        self.0.val()
    }
}

impl<const W: usize, V: Value<W>> Default for Wide<W, V> {
    fn default() -> Self {
        Self(Constant::new(V::value()), std::marker::PhantomData)
    }
}

impl<const W: usize, V: Value<W>> Logic for Wide<W, V> {
    fn update(&mut self) {}
}

impl<const W: usize, V: Value<W>> Block for Wide<W, V> {
    fn connect_all(&mut self) {}
    fn update_all(&mut self) {}
    fn has_changed(&self) -> bool {
        false
    }
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        probe.visit_atom(name, &self.0);
    }
}
