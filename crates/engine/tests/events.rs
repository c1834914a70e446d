//! The engine's guarantees about order, time, changes in flight and faults.

use bandgraph_engine::{BuildError, ClassIndex, ClassSpec, Engine, EngineError, Event, ResourceIndex, Time};

fn seconds(seconds: f64) -> Time {
    Time::from_seconds(seconds)
}

fn spec(costs: &[(ResourceIndex, f64)]) -> ClassSpec {
    ClassSpec {
        costs: costs.to_vec(),
        weight: 1.0,
        rate_cap: None,
    }
}

/// An engine with one resource of `capacity` and one class of cost 1.
fn single(capacity: f64) -> (Engine, ResourceIndex, ClassIndex) {
    let mut engine = Engine::new();
    let resource = engine.add_resource(capacity).expect("the capacity is good");
    let class = engine
        .add_class(spec(&[(resource, 1.0)]))
        .expect("the class is good");
    (engine, resource, class)
}

/// Runs to the end: (tag, seconds) of every event.
fn run(engine: &mut Engine) -> Vec<(u64, f64)> {
    let mut events = Vec::new();
    while let Some(event) = engine.next().expect("the run goes well") {
        let (Event::FlowDone { tag, .. } | Event::Served { tag, .. } | Event::Timer { tag }) = event;
        events.push((tag, engine.now().as_seconds()));
    }
    engine.audit().expect("the books balance");
    events
}

#[test]
fn events_at_one_instant_come_in_the_documented_order() {
    let mut engine = Engine::new();
    let resource = engine.add_resource(10.0).expect("the capacity is good");
    let station = engine.add_station(2).expect("two servers");
    let mut capped = || {
        let spec = ClassSpec {
            rate_cap: Some(1.0),
            ..spec(&[(resource, 1.0)])
        };
        engine.add_class(spec).expect("the class is good")
    };
    let (first, second) = (capped(), capped());
    engine.start_timer(seconds(1.0), 1);
    engine.enter_station(station, seconds(1.0), 2);
    engine.start_flow(second, 1.0, 3);
    engine.start_timer(seconds(1.0), 4);
    engine.start_flow(first, 1.0, 5);
    engine.start_flow(second, 1.0, 6);
    engine.start_flow(first, 1.0, 7);
    engine.enter_station(station, seconds(1.0), 8);
    engine.start_timer(seconds(0.5), 9);
    let tags: Vec<u64> = run(&mut engine).iter().map(|(tag, _)| *tag).collect();
    assert_eq!(tags, [9, 5, 7, 3, 6, 1, 2, 4, 8]);
}

#[test]
fn a_station_serves_in_order_of_arrival() {
    let mut engine = Engine::new();
    let station = engine.add_station(2).expect("two servers");
    for (service, tag) in [(3.0, 0), (1.0, 1), (1.0, 2), (4.0, 3), (0.0, 4)] {
        engine.enter_station(station, seconds(service), tag);
    }
    assert_eq!(engine.station_usage(station).waiting, 3);
    assert_eq!(
        run(&mut engine),
        [(1, 1.0), (2, 2.0), (0, 3.0), (4, 3.0), (3, 6.0)]
    );
    let usage = engine.station_usage(station);
    assert_eq!((usage.busy_seconds, usage.queue_seconds), (9.0, 1.0 + 2.0 + 3.0));
    assert_eq!(
        (usage.arrivals, usage.completions, usage.busy, usage.waiting),
        (5, 5, 0, 0)
    );
}

#[test]
fn a_limit_stops_before_events_at_its_own_instant() {
    let (mut engine, _, class) = single(1.0);
    engine.start_flow(class, 2.0, 1);
    engine.start_timer(seconds(3.0), 2);
    assert_eq!(engine.next_before(seconds(2.0)), Ok(None));
    assert_eq!(engine.now(), seconds(2.0));
    let done = engine.next_before(seconds(2.5));
    assert_eq!(
        done,
        Ok(Some(Event::FlowDone {
            class,
            tag: 1,
            started: Time::ZERO
        }))
    );
    assert_eq!(engine.next_before(seconds(2.5)), Ok(None));
    assert_eq!(engine.next_before(seconds(1.0)), Ok(None));
    assert_eq!(engine.now(), seconds(2.5));
    assert_eq!(engine.next(), Ok(Some(Event::Timer { tag: 2 })));
    assert_eq!(engine.next(), Ok(None));
    assert_eq!(engine.next_before(seconds(10.0)), Ok(None));
    assert_eq!(engine.now(), seconds(10.0));
}

#[test]
fn flows_in_flight_keep_their_work_when_costs_capacity_and_caps_change() {
    let (mut engine, resource, class) = single(10.0);
    engine.start_flow(class, 100.0, 1);
    assert_eq!(engine.next_before(seconds(4.0)), Ok(None)); // 40 done
    engine.set_capacity(resource, 5.0);
    assert_eq!(engine.next_before(seconds(6.0)), Ok(None)); // 50 done
    engine.set_class(class, spec(&[(resource, 2.0)])); // 2.5 per second
    assert_eq!(engine.next_before(seconds(10.0)), Ok(None)); // 60 done
    assert_eq!(engine.class_rate(class), 2.5);
    engine.set_class(
        class,
        ClassSpec {
            rate_cap: Some(1.0),
            ..spec(&[(resource, 2.0)])
        },
    );
    assert_eq!(engine.next_before(seconds(20.0)), Ok(None)); // 70 done
    assert_eq!(engine.class_work(class), (100.0, 70.0));
    // 50 units at cost 1, then 20 at cost 2.
    assert_eq!(engine.resource_usage(resource), 50.0 + 40.0);
    assert_eq!(engine.resource_rate(resource), 2.0);
    let other = engine.add_resource(3.0).expect("the capacity is good");
    engine.set_class(class, spec(&[(other, 1.0)]));
    assert_eq!(run(&mut engine), [(1, 30.0)]);
    assert_eq!(engine.resource_usages(), [90.0, 30.0]);
    assert_eq!(
        (engine.resource_usage(resource), engine.resource_usage(other)),
        (90.0, 30.0)
    );
}

#[test]
fn a_class_can_be_added_while_others_run() {
    let (mut engine, resource, class) = single(10.0);
    engine.start_flow(class, 100.0, 1);
    assert_eq!(engine.next_before(seconds(5.0)), Ok(None));
    let other = engine
        .add_class(spec(&[(resource, 1.0)]))
        .expect("the class is good");
    engine.start_flow(other, 10.0, 2);
    assert_eq!(run(&mut engine), [(2, 7.0), (1, 11.0)]);
}

#[test]
fn rates_follow_at_the_next_step_or_when_asked_for() {
    let (mut engine, resource, class) = single(12.0);
    assert_eq!(engine.class_rate(class), 0.0);
    engine.start_flow(class, 1.0, 1);
    engine.start_flow(class, 1.0, 2);
    engine.settle().expect("the rates can be solved");
    assert_eq!(engine.class_rate(class), 6.0);
    assert_eq!(engine.class_bottleneck(class), Some(resource));
    engine.start_flow(class, 1.0, 3);
    assert_eq!(
        (
            engine.class_rate(class),
            engine.flows_in(class),
            engine.flows_in_flight()
        ),
        (6.0, 3, 3)
    );
    engine.settle().expect("the rates can be solved");
    assert_eq!(
        (engine.class_rate(class), engine.resource_rate(resource)),
        (4.0, 12.0)
    );
}

#[test]
fn a_completion_and_a_start_at_one_instant_do_not_move_the_others() {
    // Two flows share the resource; whenever one ends another starts. All finish tags stay exact: no drift in
    // 10^5 rounds.
    let (mut engine, _, class) = single(2.0);
    engine.start_flow(class, 0.5, 0);
    engine.start_flow(class, 1.0, 1);
    for round in 1..=100_000_u32 {
        assert!(matches!(engine.next(), Ok(Some(Event::FlowDone { .. }))));
        assert_eq!(engine.now(), seconds(0.5 * f64::from(round)));
        engine.start_flow(class, 1.0, 0);
    }
    engine.audit().expect("the books balance");
}

/// A flow that moves on at once leaves next to no work in its class: the difference of two large numbers.
#[test]
fn rounding_of_work_that_moves_is_no_loss() {
    for started in 1..=200_u32 {
        let (mut engine, resource, from) = single(1.0);
        let to = engine
            .add_class(spec(&[(resource, 1.0)]))
            .expect("the class is good");
        engine.start_flow(from, 1.0 + 0.1 / f64::from(started), 0);
        engine.start_timer(seconds(1e-9 / f64::from(started)), 1);
        assert!(matches!(engine.next(), Ok(Some(Event::Timer { .. }))));
        engine.move_flows(from, to, |_| true);
        engine.audit().expect("the books balance");
    }
}

#[test]
fn completions_between_picoseconds_do_not_round_the_next_ones() {
    // Consecutive flows at 3 units per picosecond: each takes a third of a picosecond.
    let (mut engine, _, class) = single(3e12);
    for _ in 0..3_000_000 {
        engine.start_flow(class, 1.0, 0);
        assert!(matches!(engine.next(), Ok(Some(_))));
    }
    // Rounding to whole picoseconds would give 0 or 3 μs.
    let error = engine.now().as_seconds() - 1e-6;
    assert!(error.abs() < 1.5e-12, "{error}");
}

#[test]
fn wrong_arguments_end_the_run_with_their_reason() {
    for work in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let (mut engine, _, class) = single(1.0);
        engine.start_flow(class, work, 0);
        assert!(matches!(engine.next(), Err(EngineError::Work(_))), "{work}");
        assert!(matches!(engine.settle(), Err(EngineError::Work(_))), "{work}");
    }
    let (mut engine, resource, class) = single(1.0);
    engine.set_class(class, spec(&[(resource, -1.0)]));
    assert_eq!(engine.next(), Err(EngineError::Change(BuildError::Cost(-1.0))));
    let (mut engine, resource, _) = single(1.0);
    engine.set_capacity(resource, 0.0);
    assert_eq!(
        engine.next_before(seconds(1.0)),
        Err(EngineError::Change(BuildError::Capacity(0.0)))
    );
    let (mut other, ..) = single(1.0);
    let foreign = other
        .add_class(spec(&[(resource, 1.0)]))
        .expect("the class is good");
    let (mut engine, ..) = single(1.0);
    engine.start_flow(foreign, 1.0, 0);
    assert_eq!(
        engine.next(),
        Err(EngineError::Unknown {
            what: "class",
            index: 1
        })
    );
}

#[test]
fn bad_parts_are_refused() {
    let mut engine = Engine::new();
    assert_eq!(engine.add_resource(0.0), Err(BuildError::Capacity(0.0)));
    assert_eq!(engine.add_station(0), Err(BuildError::NoServers));
    assert_eq!(engine.add_class(spec(&[])), Err(BuildError::Unbounded));
    let resource = engine.add_resource(1.0).expect("the capacity is good");
    assert_eq!(
        engine.add_class(spec(&[(resource, 0.0)])),
        Err(BuildError::Unbounded)
    );
    let weightless = ClassSpec {
        weight: 0.0,
        ..spec(&[(resource, 1.0)])
    };
    assert_eq!(engine.add_class(weightless), Err(BuildError::Weight(0.0)));
    // An invalid class changes nothing, and costs on one resource are summed.
    let class = engine
        .add_class(spec(&[(resource, 1.0), (resource, 3.0)]))
        .expect("the class is good");
    engine.start_flow(class, 1.0, 7);
    assert_eq!(run(&mut engine), [(7, 4.0)]);
}

#[test]
fn an_event_beyond_the_end_of_time_is_an_error() {
    let (mut engine, _, class) = single(1e-9);
    engine.start_flow(class, 1.0, 0);
    assert_eq!(engine.next_before(seconds(1e6)), Ok(None));
    assert_eq!(engine.next(), Err(EngineError::EndOfTime { now: seconds(1e6) }));
    let mut engine = Engine::new();
    engine.start_timer(Time::MAX, 0);
    assert!(matches!(engine.next(), Err(EngineError::EndOfTime { .. })));
}

#[test]
fn a_class_with_a_cap_alone_runs_at_its_cap() {
    let mut engine = Engine::new();
    let class = engine
        .add_class(ClassSpec {
            costs: vec![],
            weight: 1.0,
            rate_cap: Some(2.0),
        })
        .expect("a cap is enough");
    engine.start_flow(class, 1.0, 1);
    engine.start_flow(class, 3.0, 2);
    assert_eq!(run(&mut engine), [(1, 0.5), (2, 1.5)]);
}
