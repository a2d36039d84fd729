use super::*;

fn ack(psn: u32) -> Intent {
    Intent { kind: Kind::Confirm, psn, ..Intent::default() }
}

#[test]
fn the_classes_take_turns_frame_by_frame() {
    let mut e = Egress::default();
    for i in 0..4 {
        e.commit(Class::Lossless, 3, vec![i; 100], ack(i.into()));
        e.commit(Class::Rest, 3, vec![0x80 + i; 100], Intent::default());
    }
    let order: Vec<_> = std::iter::from_fn(|| e.depart(false)).map(|x| x.frame.unwrap()[0]).collect();
    assert_eq!(order, [0, 0x80, 1, 0x81, 2, 0x82, 3, 0x83]);
    assert!(e.is_empty());
}

#[test]
fn a_pause_holds_the_lossless_frames_and_nothing_else() {
    let mut e = Egress::default();
    e.refuse(Some(ack(7)));
    e.commit(Class::Lossless, 3, vec![1; 100], ack(8));
    e.commit(Class::Rest, 3, vec![2; 100], Intent::default());
    assert_eq!(e.depart(true).map(|x| x.intent.psn), Some(7), "what has no frame passes");
    assert_eq!(e.depart(true).and_then(|x| x.frame), Some(vec![2; 100]));
    assert_eq!(e.depart(true), None);
    assert_eq!(e.turn(false, false), None, "no place for its intent");
    assert!(e.depart(false).is_some());
}

#[test]
fn what_waits_is_counted_by_its_path_as_the_pacer_counts() {
    let mut e = Egress::default();
    e.set_overhead(30);
    e.commit(Class::Lossless, 3, vec![0; 100], Intent::default());
    e.commit(Class::Lossless, QUEUE_BYPASS, vec![0; 200], Intent::default());
    e.commit(Class::Rest, 3, vec![0; 400], Intent::default());
    e.refuse(Some(ack(1)));
    assert_eq!((e.occupancy(3), e.occupancy(4), e.stray(), e.backlog()), (130, 0, 230, true));
    e.depart_of(Class::Lossless);
    assert_eq!((e.occupancy(3), e.stray(), e.backlog()), (0, 230, false));
    while e.depart(false).is_some() {}
    assert_eq!((e.occupancy(3), e.stray()), (0, 0));
}

#[test]
fn each_class_has_room_of_its_own() {
    let mut e = Egress::default();
    for held in (0..=REST_BEATS - 300).step_by(150) {
        assert!(e.room(Class::Rest), "{held}");
        e.commit(Class::Rest, 0, vec![0; 9600], Intent::default());
    }
    assert!(!e.room(Class::Rest) && e.room(Class::Lossless));
}

#[test]
fn what_external_memory_loses_counts_no_longer_and_takes_no_turn() {
    let mut e = Egress::default();
    for i in 0..3 {
        e.commit(Class::Lossless, 3, vec![i; 100], ack(i.into()));
        e.commit(Class::Rest, 3, vec![0x80 + i; 100], Intent::default());
    }
    assert_eq!(e.lose_of(Class::Lossless).and_then(|x| x.frame), Some(vec![0; 100]));
    assert_eq!(e.occupancy(3), 2 * 124);
    let order: Vec<_> = std::iter::from_fn(|| e.depart(false)).map(|x| x.frame.unwrap()[0]).collect();
    assert_eq!(order, [1, 0x80, 2, 0x81, 0x82], "it is still the lossless class's turn");
}
