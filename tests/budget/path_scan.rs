//! The thresholds and far gateways of the paths in force, each once in sixteen cycles.

use crate::harness::Random;
use matchrdma_rtl::path_scan::Dut;
use matchrdma_spec::params::PATHS;
use matchrdma_spec::regs::entry::Path;
use matchrdma_spec::regs::table::PATH_WORDS;

#[test]
fn each_path_of_the_bank_in_force_comes_once_in_sixteen_cycles() {
    let mut random = Random::new();
    let mut dut = Dut::new();
    dut.set_rst(1);
    (0..4).for_each(|_| dut.tick());
    dut.set_rst(0);
    let mut banks = [[0u32; PATHS * PATH_WORDS]; 2];
    let (mut bank, mut set) = (0, false);
    // What the next cycle must show: the path and the words as they were read.
    let mut due: Option<(u32, [u32; PATH_WORDS])> = None;
    let mut lives = 0;
    for cycle in 0..20_000u32 {
        if random.chance(1, 60) {
            (bank, set) = (1 - bank, random.chance(7, 8));
        }
        dut.set_bank(bank as u32);
        dut.set_set(set.into());
        // A scan writes the shadow bank, word by word.
        let (path, word, value) = (random.below(16) as usize, random.below(16) as usize, random.u32());
        let write = random.chance(1, 2);
        dut.set_path_we(write.into());
        dut.set_path_addr(((1 - bank) << 4 | path) as u32);
        dut.set_path_word(word as u32);
        dut.set_path_data(value);
        dut.settle();
        if let Some((path, words)) = due {
            let p = Path::unpack(&words);
            let found = [dut.scan_cnp_on(), dut.scan_cnp_off(), dut.scan_pfc_on(), dut.scan_pfc_off()];
            assert_eq!((dut.scan_valid(), dut.scan_path()), (1, path));
            assert_eq!(found, [p.cnp_on, p.cnp_off, p.pfc_on, p.pfc_off], "path {path}");
            assert_eq!(dut.scan_ecn_clear(), u32::from(p.ecn_clear), "path {path}");
            let peer = (dut.peer_on() == 1, dut.peer_site() as u16, dut.peer_weight() as u8);
            assert_eq!(peer, (p.peer_on, p.peer_site, p.weight), "path {path}");
            let key: Vec<u8> = dut.peer_key().iter().flat_map(|word| word.to_le_bytes()).collect();
            assert_eq!(key, p.peer_key, "path {path}");
            assert_eq!(dut.live() == 1, p.granted(), "path {path}");
            lives += u32::from(p.granted());
        }
        let turn = cycle as usize % PATHS;
        let words = std::array::from_fn(|i| if set { banks[bank][PATH_WORDS * turn + i] } else { 0 });
        due = Some((turn as u32, words));
        if write {
            banks[1 - bank][PATH_WORDS * path + word] = value;
        }
        dut.rise();
    }
    assert!((2_000..10_000).contains(&lives), "{lives}");
}
