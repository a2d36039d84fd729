//! Events of both directions and of paths through the queue, as the host takes them out.

use crate::harness::Random;
use matchrdma_rtl::event_regs::Dut;
use matchrdma_spec::regs::event;
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Event {
    code: u32,
    flow: u32,
    run: u32,
    psn: u32,
    time: u64,
}

fn write(dut: &mut Dut, reg: &matchrdma_spec::regs::Reg, word: u32) {
    dut.set_wa(reg.offset.into());
    dut.set_wd(word);
    dut.set_wr(1);
    dut.tick();
    dut.set_wr(0);
}

fn read(dut: &mut Dut, reg: &matchrdma_spec::regs::Reg) -> u32 {
    dut.set_ra(reg.offset.into());
    dut.tick();
    dut.rd()
}

/// The oldest event, and it is taken out.
fn take(dut: &mut Dut) -> Option<Event> {
    let head = read(dut, &event::HEAD);
    if head == 0 {
        return None;
    }
    let time = u64::from(read(dut, &event::TIME_HIGH)) << 32 | u64::from(read(dut, &event::TIME_LOW));
    let seen = Event {
        code: event::HEAD_CODE.get(head),
        flow: event::HEAD_FLOW.get(head),
        run: event::HEAD_RUN.get(head),
        psn: read(dut, &event::PSN),
        time,
    };
    write(dut, &event::TAKE, 0);
    // the next one is at the head two cycles later, before any host can ask
    (0..2).for_each(|_| dut.tick());
    Some(seen)
}

fn fresh() -> Dut {
    let mut dut = Dut::new();
    dut.set_rst(1);
    dut.tick();
    dut.set_rst(0);
    dut
}

/// Where an event comes from.
const CLIENT: usize = 0;
const LINE: usize = 1;
const LAW: usize = 2;

fn offer(dut: &mut Dut, from: usize, e: Option<Event>) {
    let Event { code, flow, run, psn, .. } = e.unwrap_or(Event { code: 0, flow: 0, run: 0, psn: 0, time: 0 });
    if from == LAW {
        dut.set_law_valid(e.is_some().into());
        dut.set_law_code(code);
        dut.set_law_path(flow);
    } else if from == LINE {
        dut.set_line_valid(e.is_some().into());
        dut.set_line_code(code);
        dut.set_line_flow(flow);
        dut.set_line_run(run);
        dut.set_line_psn(psn);
    } else {
        dut.set_client_valid(e.is_some().into());
        dut.set_client_code(code);
        dut.set_client_flow(flow);
        dut.set_client_run(run);
        dut.set_client_psn(psn);
    }
}

fn any(random: &mut Random, now: u64) -> Event {
    Event {
        code: 1 + random.below(31) as u32,
        flow: random.bits(12) as u32,
        run: random.bits(8) as u32,
        psn: random.bits(24) as u32,
        time: now,
    }
}

/// One that may come from there: of a path, it tells neither run nor PSN.
fn any_from(random: &mut Random, from: usize, now: u64) -> Event {
    let e = any(random, now);
    if from == LAW {
        Event { flow: e.flow & 15, run: 0, psn: 0, ..e }
    } else {
        e
    }
}

#[test]
fn each_source_keeps_its_order_and_nothing_is_lost_while_there_is_room() {
    let mut random = Random::new();
    let mut dut = fresh();
    for _ in 0..20 {
        let mut sent: [VecDeque<Event>; 3] = Default::default();
        // fewer than one in a cycle of all on the average: then the queue keeps up
        for _ in 0..400 {
            let mut now = dut.now();
            for (from, of) in [(CLIENT, 3), (LINE, 3), (LAW, 12)] {
                let e = random.chance(1, of).then(|| any_from(&mut random, from, now));
                offer(&mut dut, from, e);
                sent[from].extend(e);
            }
            dut.tick();
            now += 1;
            assert_eq!(dut.now(), now);
        }
        (0..3).for_each(|from| offer(&mut dut, from, None));
        (0..40).for_each(|_| dut.tick());
        let total: usize = sent.iter().map(VecDeque::len).sum();
        assert_eq!(read(&mut dut, &event::STATUS) as usize, total);
        assert_eq!(read(&mut dut, &event::LOST), 0);
        while let Some(e) = take(&mut dut) {
            let from = sent.iter_mut().find(|q| q.front() == Some(&e));
            from.unwrap_or_else(|| panic!("{e:?} is the next of no source")).pop_front();
        }
        assert!(sent.iter().all(VecDeque::is_empty));
    }
}

#[test]
fn what_finds_no_room_is_counted_and_the_rest_is_whole() {
    let mut random = Random::new();
    let mut dut = fresh();
    let mut sent = [0u32; 3];
    for _ in 0..1000 {
        for (from, count) in sent.iter_mut().enumerate() {
            let e = any(&mut random, 0);
            offer(&mut dut, from, Some(Event { psn: *count, flow: from as u32, ..e }));
            *count += 1;
        }
        dut.tick();
    }
    (0..3).for_each(|from| offer(&mut dut, from, None));
    dut.tick();
    let lost = read(&mut dut, &event::LOST);
    let (mut taken, mut newest, mut of_paths) = (0, [None; 2], 0);
    while let Some(e) = take(&mut dut) {
        match e.flow as usize {
            LAW => of_paths += 1,
            side => {
                assert!(newest[side] < Some(e.psn), "in order");
                newest[side] = Some(e.psn);
            }
        }
        taken += 1;
        // what waited on the way moves up
        (0..2).for_each(|_| dut.tick());
    }
    assert!(taken >= event::EVENTS_MAX as u32, "{taken}");
    assert_eq!(taken + lost, sent.iter().sum::<u32>());
    assert!(of_paths >= 16, "{of_paths} of paths");
}

#[test]
fn the_interrupt_line_follows_what_waits_and_what_is_enabled() {
    let mut random = Random::new();
    let mut dut = fresh();
    let settle = |dut: &mut Dut| {
        (0..6).for_each(|_| dut.tick());
        dut.irq()
    };
    let e = any(&mut random, 0);
    offer(&mut dut, LINE, Some(e));
    dut.tick();
    offer(&mut dut, LINE, None);
    assert_eq!(settle(&mut dut), 0, "not enabled");
    write(&mut dut, &event::CONTROL, event::CONTROL_IRQ_EVENTS.mask());
    assert_eq!(settle(&mut dut), 1);
    assert!(take(&mut dut).is_some());
    assert_eq!(settle(&mut dut), 0, "nothing waits");
    dut.set_upcalls(1);
    assert_eq!(settle(&mut dut), 0, "upcalls are not enabled");
    write(&mut dut, &event::CONTROL, event::CONTROL_IRQ_UPCALLS.mask());
    assert_eq!(settle(&mut dut), 1);
    assert_eq!(read(&mut dut, &event::CONTROL), event::CONTROL_IRQ_UPCALLS.mask());
    dut.set_upcalls(0);
    assert_eq!(settle(&mut dut), 0);
    // taking from nothing does nothing
    write(&mut dut, &event::TAKE, 0);
    assert_eq!(read(&mut dut, &event::STATUS), 0);
}
