//! Open and closed queues compared with formulas: Erlang's, processor sharing, exact mean value analysis.
//!
//! Runs are long enough, with fixed seeds, for the stated tolerances (a standard error is about a third of
//! the tolerance).

use bandgraph_engine::{ClassIndex, ClassSpec, Engine, Event, StationIndex, Stream, Streams, Time};

#[track_caller]
fn close(got: f64, expected: f64, tolerance: f64) {
    assert!(
        (got / expected - 1.0).abs() < tolerance,
        "{got} instead of {expected}"
    );
}

/// The only timer of the open queues: the next arrival.
const ARRIVAL: u64 = u64::MAX;

/// Mean time in the queue of Poisson arrivals at `rate` at a station with `servers`.
fn mean_wait(servers: u32, rate: f64, customers: u64, mut service: impl FnMut(&mut Stream) -> f64) -> f64 {
    let streams = Streams::new(17);
    let (mut arrivals, mut services) = (streams.stream("arrivals"), streams.stream("services"));
    let mut engine = Engine::new();
    let station = engine.add_station(servers).expect("there is a server");
    engine.start_timer(Time::ZERO, ARRIVAL);
    let mut served = 0;
    while served < customers {
        match engine.next().expect("the run goes well") {
            Some(Event::Timer { .. }) => {
                engine.enter_station(station, Time::from_seconds(service(&mut services)), 0);
                engine.start_timer(Time::from_seconds(arrivals.exponential(1.0 / rate)), ARRIVAL);
            }
            _ => served += 1,
        }
    }
    engine.audit().expect("the books balance");
    let usage = engine.station_usage(station);
    assert_eq!((usage.completions, usage.servers), (customers, servers));
    assert_eq!(usage.arrivals, customers + u64::from(usage.busy) + usage.waiting);
    usage.queue_seconds / usage.arrivals as f64
}

/// The probability that an arrival at M/M/c waits (Erlang's C formula), for an offered load in Erlangs.
fn erlang_c(servers: u32, load: f64) -> f64 {
    let mut term = 1.0;
    let mut sum = 0.0;
    for k in 0..servers {
        sum += term;
        term *= load / f64::from(k + 1);
    }
    let last = term / (1.0 - load / f64::from(servers));
    last / (sum + last)
}

#[test]
fn mm1_waiting_time() {
    let wait = mean_wait(1, 0.7, 1_000_000, |stream| stream.exponential(1.0));
    close(wait, 0.7 / 0.3, 0.02);
}

#[test]
fn md1_waits_half_as_long() {
    close(mean_wait(1, 0.7, 500_000, |_| 1.0), 0.5 * 0.7 / 0.3, 0.02);
}

#[test]
fn mmc_waiting_time() {
    for (servers, load, tolerance) in [(2, 1.4, 0.03), (5, 4.0, 0.04), (12, 9.0, 0.04)] {
        let wait = mean_wait(servers, load, 1_000_000, |stream| stream.exponential(1.0));
        close(
            wait,
            erlang_c(servers, load) / (f64::from(servers) - load),
            tolerance,
        );
    }
}

/// Mean response times of flows by size, with Poisson arrivals of flows of random size at `rate` on one
/// resource of `capacity`.
fn sharing(
    capacity: f64,
    cap: Option<f64>,
    rate: f64,
    flows: u64,
    mut size: impl FnMut(&mut Stream) -> (f64, usize),
) -> Vec<f64> {
    let streams = Streams::new(4);
    let (mut arrivals, mut sizes) = (streams.stream("arrivals"), streams.stream("sizes"));
    let mut engine = Engine::new();
    let resource = engine.add_resource(capacity).expect("the capacity is good");
    let spec = ClassSpec {
        costs: vec![(resource, 1.0)],
        weight: 1.0,
        rate_cap: cap,
    };
    let class = engine.add_class(spec).expect("the class is good");
    engine.start_timer(Time::ZERO, ARRIVAL);
    let mut sums: Vec<(f64, f64)> = Vec::new();
    let mut done = 0;
    while done < flows {
        if let Some(Event::FlowDone { tag, started, .. }) = engine.next().expect("the run goes well") {
            done += 1;
            let kind = tag as usize;
            sums.resize(sums.len().max(kind + 1), (0.0, 0.0));
            sums[kind].0 += (engine.now() - started).as_seconds();
            sums[kind].1 += 1.0;
        } else {
            let (work, kind) = size(&mut sizes);
            engine.start_flow(class, work, kind as u64);
            engine.start_timer(Time::from_seconds(arrivals.exponential(1.0 / rate)), ARRIVAL);
        }
    }
    engine.audit().expect("the books balance");
    sums.iter().map(|(sum, count)| sum / count).collect()
}

#[test]
fn mm1_processor_sharing() {
    let response = sharing(1.0, None, 0.6, 500_000, |stream| (stream.exponential(1.0), 0));
    close(response[0], 1.0 / (1.0 - 0.6), 0.02);
}

#[test]
fn processor_sharing_does_not_care_for_the_distribution_of_sizes() {
    let constant = sharing(2.0, None, 1.2, 500_000, |_| (1.0, 0));
    close(constant[0], 0.5 / (1.0 - 0.6), 0.02);
    let wild = |stream: &mut Stream| {
        let mean = if stream.chance(0.9) { 0.5 } else { 5.5 };
        (stream.exponential(mean), 0)
    };
    close(
        sharing(2.0, None, 1.2, 1_000_000, wild)[0],
        0.5 / (1.0 - 0.6),
        0.03,
    );
}

#[test]
fn response_of_processor_sharing_is_in_proportion_to_size() {
    // E[T | x] = x / (1 − ρ), with ρ = 0.5 × (0.75 × 0.4 + 0.25 × 4.4) = 0.7.
    let two_sizes = |stream: &mut Stream| if stream.chance(0.75) { (0.4, 0) } else { (4.4, 1) };
    let response = sharing(1.0, None, 0.5, 600_000, two_sizes);
    close(response[0], 0.4 / 0.3, 0.03);
    close(response[1], 4.4 / 0.3, 0.03);
}

#[test]
fn capped_sharing_is_as_long_as_a_queue_with_that_many_servers() {
    // With a capacity of 3 and a cap of 1, the number in flight behaves like that of M/M/3.
    let response = sharing(3.0, Some(1.0), 2.4, 600_000, |stream| {
        (stream.exponential(1.0), 0)
    });
    close(response[0], 1.0 + erlang_c(3, 2.4) / (3.0 - 2.4), 0.02);
}

/// Exact mean value analysis of a closed network of single servers (Reiser and Lavenberg, 1980): throughput
/// and the mean number at each station.
fn mean_value_analysis(demands: &[f64], think: f64, population: u32) -> (f64, Vec<f64>) {
    let mut numbers = vec![0.0; demands.len()];
    let mut throughput = 0.0;
    for n in 1..=population {
        let times: Vec<f64> = demands
            .iter()
            .zip(&numbers)
            .map(|(demand, number)| demand * (1.0 + number))
            .collect();
        throughput = f64::from(n) / (think + times.iter().sum::<f64>());
        numbers = times.iter().map(|time| throughput * time).collect();
    }
    (throughput, numbers)
}

/// A place that customers of a closed network visit in sequence.
#[derive(Clone, Copy)]
enum Place {
    /// Exponential service, first come first served.
    Queue { mean: f64 },
    /// Processor sharing of constant work, which behaves like exponential work.
    Shared { mean: f64 },
}

/// Throughput of a closed network in which customers think and then visit all places in sequence.
fn closed_throughput(places: &[Place], think: f64, population: u64, cycles: u64) -> f64 {
    let mut random = Streams::new(23).stream("closed");
    let mut engine = Engine::new();
    let mut stations: Vec<Result<StationIndex, ClassIndex>> = Vec::new();
    for place in places {
        stations.push(match place {
            Place::Queue { .. } => Ok(engine.add_station(1).expect("one server")),
            Place::Shared { .. } => {
                let resource = engine.add_resource(1.0).expect("the capacity is good");
                let spec = ClassSpec {
                    costs: vec![(resource, 1.0)],
                    weight: 1.0,
                    rate_cap: None,
                };
                Err(engine.add_class(spec).expect("the class is good"))
            }
        });
    }
    // A tag is customer × places + place.
    let count = places.len() as u64;
    for customer in 0..population {
        engine.start_timer(Time::from_seconds(random.exponential(think)), customer * count);
    }
    let mut done = 0;
    let enter = |engine: &mut Engine, random: &mut Stream, tag: u64| {
        let place = (tag % count) as usize;
        match (places[place], stations[place]) {
            (Place::Queue { mean }, Ok(station)) => {
                engine.enter_station(station, Time::from_seconds(random.exponential(mean)), tag);
            }
            (Place::Shared { mean }, Err(class)) => engine.start_flow(class, mean, tag),
            _ => unreachable!("places and stations are made together"),
        }
    };
    while done < cycles {
        match engine.next().expect("the run goes well") {
            Some(Event::Timer { tag }) => enter(&mut engine, &mut random, tag),
            Some(Event::Served { tag, .. } | Event::FlowDone { tag, .. }) => {
                if tag % count + 1 < count {
                    enter(&mut engine, &mut random, tag + 1);
                } else {
                    done += 1;
                    let again = tag + 1 - count;
                    engine.start_timer(Time::from_seconds(random.exponential(think)), again);
                }
            }
            None => panic!("customers were lost"),
        }
    }
    engine.audit().expect("the books balance");
    done as f64 / engine.now().as_seconds()
}

#[test]
fn machine_repairman() {
    for (think, machines) in [(10.0, 4), (3.0, 6), (20.0, 15)] {
        let (expected, _) = mean_value_analysis(&[1.0], think, machines);
        let got = closed_throughput(&[Place::Queue { mean: 1.0 }], think, u64::from(machines), 300_000);
        close(got, expected, 0.01);
    }
}

#[test]
fn two_and_three_places_in_a_circle() {
    let (expected, _) = mean_value_analysis(&[1.0, 0.7], 2.0, 5);
    let places = [Place::Queue { mean: 1.0 }, Place::Queue { mean: 0.7 }];
    close(closed_throughput(&places, 2.0, 5, 300_000), expected, 0.01);

    let (expected, numbers) = mean_value_analysis(&[1.0, 0.8, 0.5], 4.0, 8);
    assert!((numbers.iter().sum::<f64>() + 4.0 * expected - 8.0).abs() < 1e-12);
    let places = [
        Place::Queue { mean: 1.0 },
        Place::Shared { mean: 0.8 },
        Place::Queue { mean: 0.5 },
    ];
    close(closed_throughput(&places, 4.0, 8, 300_000), expected, 0.01);
}
