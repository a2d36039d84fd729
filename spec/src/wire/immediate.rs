//! Immediate data (IBTA 1.6, 9.3).

header! {
    /// Immediate data.
    Immediate, 4 bytes, "IBTA 1.6, 9.3";
    /// What the receiver finds in its completion.
    DATA data: u32 = 0, 32;
}

#[cfg(test)]
mod tests {
    use super::*;

    golden!(Immediate { data: 0x0102_0304 }, [1, 2, 3, 4]);
}
