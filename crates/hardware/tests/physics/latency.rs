//! Idle latencies of the catalogue's parts on real boards, compared with published measurements.

use crate::board::Board;
use bandgraph_hardware::hypertransport::{LinePath, ProbePath};
use bandgraph_hardware::{Probing, SocketLinkPart, SocketPart, catalogue};
use bandgraph_units::Time;

fn parts(socket: &str, link: &str) -> (SocketPart, SocketLinkPart) {
    let catalogue = catalogue();
    (
        catalogue.socket(socket).expect("in the catalogue").clone(),
        catalogue.socket_link(link).expect("in the catalogue").clone(),
    )
}

/// Idle latency in nanoseconds of a read of `requester` from `home`.
fn latency(
    board: &Board,
    (socket, link): &(SocketPart, SocketLinkPart),
    requester: usize,
    home: usize,
) -> f64 {
    let time = |from, to| link.hop_latency * board.hops(from, to).len() as f64;
    let path = LinePath {
        request: time(requester, home),
        memory: socket.local_latency,
        data: time(home, requester),
        probe_latency: socket.probe_latency,
    };
    let probes = (0..board.sockets())
        .filter(|probed| *probed != home && socket.probes != Probing::Filter)
        .map(|probed| ProbePath {
            probe: time(home, probed),
            response: time(probed, requester),
        });
    path.latency(probes).get() * 1e9
}

fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance * expected,
        "{found} ns, published {expected}"
    );
}

/// McCalpin 2010: local reads take 100 ns on the sockets with direct links to all others, 130 ns on the other
/// two.
#[test]
fn barcelona_reads_local_memory_as_fast_as_measured() {
    let board = Board::square_with_diagonal();
    let parts = parts("opteron-8356", "ht1-x16");
    for (socket, expected) in [(0, 130.0), (1, 100.0), (2, 100.0), (3, 130.0)] {
        assert_near(latency(&board, &parts, socket, socket), expected, 0.05);
    }
}

/// On the square of the 7410 every probe round takes four hops, and only the opposite corner takes longer.
#[test]
fn the_farthest_probe_decides_on_a_square() {
    let board = Board::square();
    let parts = parts("opteron-8356", "ht1-x16");
    assert_near(latency(&board, &parts, 0, 0), 133.0, 1e-9);
    assert_near(latency(&board, &parts, 0, 1), 133.0, 1e-9);
    assert_near(latency(&board, &parts, 0, 3), 80.0 + 4.0 * 16.5, 1e-9);
}

/// McCalpin 2010: 54 ns locally on four sockets with HT Assist.
#[test]
fn istanbul_with_a_probe_filter_waits_for_memory_alone() {
    let board = Board::square();
    let (mut socket, link) = parts("opteron-8435", "ht3-x16");
    let broadcast = latency(&board, &(socket.clone(), link.clone()), 0, 0);
    socket.probes = Probing::Filter;
    assert_near(latency(&board, &(socket, link), 0, 0), 54.0, 0.02);
    assert_near(broadcast, 106.0, 1e-9);
}

#[test]
fn without_probes_the_memory_path_is_all() {
    let path = LinePath {
        request: Time::new(1.0),
        memory: Time::new(2.0),
        data: Time::new(4.0),
        probe_latency: Time::new(100.0),
    };
    assert_eq!(path.probe_path([]), Time::ZERO);
    assert_eq!(path.latency([]), Time::new(7.0));
    let probes = [(1.0, 1.0), (3.0, 8.0), (2.0, 2.0)].map(|(probe, response)| ProbePath {
        probe: Time::new(probe),
        response: Time::new(response),
    });
    assert_eq!(path.latency(probes), Time::new(112.0));
}
