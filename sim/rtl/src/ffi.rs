//! The bridge to the verilated modules: the only unsafe code of the simulator.
//!
//! `build.rs` writes one `dut!` call per module, naming C functions it has generated from the same port list.
#![allow(unsafe_code)]

// brings the Verilator runtime into the link
use matchrdma_verilated as _;

/// One module: its `extern` block and its `Dut`.
macro_rules! dut {
    ($name:ident, $new:ident, $free:ident, $eval:ident; $($ports:tt)*) => {
        #[doc = concat!("The verilated top `", stringify!($name), "`.")]
        pub mod $name {
            use std::ffi::c_void;
            use std::ptr::NonNull;
            extern "C" {
                fn $new() -> *mut c_void;
                fn $free(model: *mut c_void);
                fn $eval(model: *mut c_void);
            }

            /// One instance with its own time and state, all registers zero.
            pub struct Dut(NonNull<c_void>);

            // SAFETY: the model and its context belong to this Dut alone, and every method that touches them takes it.
            unsafe impl Send for Dut {}

            impl Default for Dut {
                fn default() -> Self {
                    Self::new()
                }
            }

            impl Drop for Dut {
                fn drop(&mut self) {
                    // SAFETY: the pointer came from `new`, is freed only here, and drop runs once.
                    unsafe { $free(self.0.as_ptr()) }
                }
            }

            impl Dut {
                /// A fresh instance.
                pub fn new() -> Self {
                    // SAFETY: takes nothing, and gives a model that is ours.
                    Dut(NonNull::new(unsafe { $new() }).expect("C++ `new` never gives null"))
                }

                /// Lets the outputs follow the inputs.
                pub fn eval(&mut self) {
                    // SAFETY: the pointer is live while self is, and &mut keeps others away.
                    unsafe { $eval(self.0.as_ptr()) }
                }
            }

            dut_ports! { $($ports)* }
        }
    };
}

/// Getter and setter of each port, and `tick` for a module with a clock.
macro_rules! dut_ports {
    () => {};
    (clock;) => {
        impl Dut {
            /// First half of a cycle: outputs follow the inputs just set; a handshake is sampled after it.
            pub fn settle(&mut self) {
                self.set_clk(0);
                self.eval();
            }

            /// Second half of a cycle: the rising edge.
            pub fn rise(&mut self) {
                self.set_clk(1);
                self.eval();
            }

            /// One clock cycle: the inputs set before it are seen by its rising edge, the outputs read after it are new.
            pub fn tick(&mut self) {
                self.settle();
                self.rise();
            }
        }
    };
    (output $port:ident: $shape:tt = $bits:literal, $get:ident; $($rest:tt)*) => {
        dut_get! { $port, $shape, $bits, $get }
        dut_ports! { $($rest)* }
    };
    (input $port:ident: $shape:tt = $bits:literal, $get:ident, $setter:ident, $set:ident; $($rest:tt)*) => {
        dut_get! { $port, $shape, $bits, $get }
        dut_set! { $port, $shape, $bits, $setter, $set }
        dut_ports! { $($rest)* }
    };
}

macro_rules! dut_get {
    ($port:ident, [u32; $n:literal], $bits:literal, $get:ident) => {
        extern "C" {
            fn $get(model: *mut c_void, value: *mut u32);
        }
        impl Dut {
            #[doc = concat!("Port `", stringify!($port), "`, ", $bits, " bits, least significant word first.")]
            pub fn $port(&self) -> [u32; $n] {
                let mut value = [0; $n];
                // SAFETY: the pointer is live while self is; the C side writes exactly this many words.
                unsafe { $get(self.0.as_ptr(), value.as_mut_ptr()) };
                value
            }
        }
    };
    ($port:ident, $int:ident, $bits:literal, $get:ident) => {
        extern "C" {
            fn $get(model: *mut c_void) -> $int;
        }
        impl Dut {
            #[doc = concat!("Port `", stringify!($port), "`, ", $bits, " bits.")]
            pub fn $port(&self) -> $int {
                // SAFETY: the pointer is live while self is.
                unsafe { $get(self.0.as_ptr()) }
            }
        }
    };
}

macro_rules! dut_set {
    ($port:ident, [u32; $n:literal], $bits:literal, $setter:ident, $set:ident) => {
        extern "C" {
            fn $set(model: *mut c_void, value: *const u32);
        }
        impl Dut {
            #[doc = concat!("Sets port `", stringify!($port), "`. Panics when the value does not fit ", $bits, " bits.")]
            pub fn $setter(&mut self, value: [u32; $n]) {
                assert!($bits % 32 == 0 || value[$n - 1] >> ($bits % 32) == 0, concat!(stringify!($port), " is narrower"));
                // SAFETY: the pointer is live while self is; the C side reads exactly this many words.
                unsafe { $set(self.0.as_ptr(), value.as_ptr()) }
            }
        }
    };
    ($port:ident, $int:ident, $bits:literal, $setter:ident, $set:ident) => {
        extern "C" {
            fn $set(model: *mut c_void, value: $int);
        }
        impl Dut {
            #[doc = concat!("Sets port `", stringify!($port), "`. Panics when the value does not fit ", $bits, " bits.")]
            pub fn $setter(&mut self, value: $int) {
                assert!($int::BITS == $bits || value >> ($bits % $int::BITS) == 0, concat!(stringify!($port), " is narrower"));
                // SAFETY: the pointer is live while self is; the value fits the port.
                unsafe { $set(self.0.as_ptr(), value) }
            }
        }
    };
}

/// Gives a module with an `s_axil` slave to the bus master.
#[allow(unused_macros)] // until a top has one
macro_rules! axi_lite {
    ($name:ident) => {
        impl crate::axil::Slave for $name::Dut {
            fn set_write_address(&mut self, address: Option<u32>) {
                self.set_s_axil_awvalid(address.is_some().into());
                self.set_s_axil_awaddr(address.unwrap_or(0));
            }
            fn set_write_data(&mut self, data: Option<(u32, u8)>) {
                let (data, strobe) = data.inspect(|_| self.set_s_axil_wvalid(1)).unwrap_or_else(|| {
                    self.set_s_axil_wvalid(0);
                    (0, 0)
                });
                self.set_s_axil_wdata(data);
                self.set_s_axil_wstrb(strobe.into());
            }
            fn set_read_address(&mut self, address: Option<u32>) {
                self.set_s_axil_arvalid(address.is_some().into());
                self.set_s_axil_araddr(address.unwrap_or(0));
            }
            fn set_ready(&mut self, write: bool, read: bool) {
                self.set_s_axil_bready(write.into());
                self.set_s_axil_rready(read.into());
            }
            fn ready(&self) -> crate::axil::Ready {
                crate::axil::Ready {
                    write_address: self.s_axil_awready() == 1,
                    write_data: self.s_axil_wready() == 1,
                    read_address: self.s_axil_arready() == 1,
                }
            }
            fn write_response(&self) -> Option<u8> {
                (self.s_axil_bvalid() == 1).then(|| self.s_axil_bresp() as u8)
            }
            fn read_response(&self) -> Option<(u32, u8)> {
                (self.s_axil_rvalid() == 1).then(|| (self.s_axil_rdata(), self.s_axil_rresp() as u8))
            }
            fn settle(&mut self) {
                self.settle();
            }
            fn rise(&mut self) {
                self.rise();
            }
        }
    };
}

/// Gives a module with an `m_axi` master to the memory.
#[allow(unused_macros)] // until a top has one
macro_rules! axi4 {
    ($name:ident) => {
        impl crate::axi4::Master for $name::Dut {
            fn offers(&self) -> crate::axi4::Offers {
                use crate::axi4::{Address, Offers, WriteData};
                let address = |id, address, len: u32| Address { id, address, beats: len + 1 };
                let aw = || {
                    assert_eq!((self.m_axi_awsize(), self.m_axi_awburst()), (6, 1), "64 bytes a beat, INCR");
                    address(self.m_axi_awid(), self.m_axi_awaddr(), self.m_axi_awlen())
                };
                let w = || {
                    assert_eq!(self.m_axi_wstrb(), u64::MAX, "whole beats");
                    WriteData { data: self.m_axi_wdata(), last: self.m_axi_wlast() == 1 }
                };
                let ar = || {
                    assert_eq!((self.m_axi_arsize(), self.m_axi_arburst()), (6, 1), "64 bytes a beat, INCR");
                    address(self.m_axi_arid(), self.m_axi_araddr(), self.m_axi_arlen())
                };
                Offers {
                    aw: (self.m_axi_awvalid() == 1).then(aw),
                    w: (self.m_axi_wvalid() == 1).then(w),
                    ar: (self.m_axi_arvalid() == 1).then(ar),
                    b_ready: self.m_axi_bready() == 1,
                    r_ready: self.m_axi_rready() == 1,
                }
            }
            fn set_memory(&mut self, drives: &crate::axi4::Drives) {
                self.set_m_axi_awready(drives.aw_ready.into());
                self.set_m_axi_wready(drives.w_ready.into());
                self.set_m_axi_arready(drives.ar_ready.into());
                self.set_m_axi_bvalid(drives.b.is_some().into());
                if let Some(b) = drives.b {
                    self.set_m_axi_bid(b.id);
                    self.set_m_axi_bresp(b.resp);
                }
                self.set_m_axi_rvalid(drives.r.is_some().into());
                if let Some(r) = drives.r {
                    self.set_m_axi_rid(r.id);
                    self.set_m_axi_rdata(r.data);
                    self.set_m_axi_rresp(r.resp);
                    self.set_m_axi_rlast(r.last.into());
                }
            }
        }
    };
}

pub mod duts {
    //! The generated types.
    include!(concat!(env!("OUT_DIR"), "/duts.rs"));
}
