use std::fmt::Write as _;

use bandgraph_plot::{Curves, Drawing};

use super::*;

/// Columns of a sweep of reads: size, threads, throughput, and how full slots and links are.
fn table(rows: &[(f64, f64, f64, f64, f64)]) -> SweepTable {
    let mut csv =
        "point,io_size_bytes,threads,network_bytes_per_s,saturation_socket_link,saturation_pcie\n".to_owned();
    for (number, (size, threads, rate, link, slot)) in rows.iter().enumerate() {
        writeln!(csv, "{number},{size},{threads},{rate},{link},{slot}").expect("a text takes all");
    }
    SweepTable::read_csv(&csv, "reads", None).expect("a sweep")
}

fn curves_of(table: &SweepTable) -> Curves {
    match table
        .picture(Some(PictureKind::Curves))
        .map(|picture| picture.drawing)
    {
        Ok(Drawing::Curves(curves)) => curves,
        other => panic!("{other:?}"),
    }
}

fn curves(rows: &[(f64, f64, f64, f64, f64)]) -> Curves {
    curves_of(&table(rows))
}

/// The drawing of a sweep for which no kind is asked.
fn drawing(rows: &[(f64, f64, f64, f64, f64)]) -> Result<Drawing, PictureError> {
    table(rows).picture(None).map(|picture| picture.drawing)
}

/// At half of its capacity a kind lets twice as much through, at each point on its own.
#[test]
fn a_ceiling_is_what_a_full_resource_would_let_through() {
    let found = curves(&[(4096.0, 1.0, 1e9, 0.5, 0.25), (8192.0, 1.0, 2e9, 0.8, 1.0)]);
    let ceilings: Vec<(&str, &[(f64, f64)])> = found
        .ceilings
        .iter()
        .map(|ceiling| (ceiling.label.as_str(), ceiling.points.as_slice()))
        .collect();
    assert_eq!(
        ceilings,
        [
            ("socket link", &[(4096.0, 2e9), (8192.0, 2.5e9)][..]),
            ("PCIe", &[(4096.0, 4e9), (8192.0, 2e9)][..]),
        ]
    );
}

/// What was measured is a curve of its own, through the points at which there is something.
#[test]
fn measured_points_are_beside_those_of_the_model() {
    let mut table = table(&[(4096.0, 1.0, 1e9, 0.5, 0.25), (8192.0, 1.0, 2e9, 0.8, 1.0)]);
    table.rows[1].measured = Some(1.5e9);
    let found = curves_of(&table);
    let curves: Vec<(&str, usize)> = found
        .curves
        .iter()
        .map(|curve| (curve.label.as_str(), curve.points.len()))
        .collect();
    assert_eq!(curves, [("modelled", 2), ("measured", 1)]);
    assert_eq!(found.curves[1].points, [(8192.0, 1.5e9)]);
}

/// One thread does 1 GB/s, and 3 GB/s is the most: without waiting, three threads would do that.
#[test]
fn the_knee_is_where_the_first_slope_meets_the_greatest() {
    let rows = [1.0, 2.0, 4.0, 8.0].map(|threads: f64| (4096.0, threads, threads.min(3.0) * 1e9, 0.1, 0.1));
    let knee = curves(&rows).knee.expect("a knee");
    assert_eq!(
        (knee.x, knee.y, knee.label.as_str()),
        (3.0, 3e9, "knee at 3 threads")
    );
    // A curve that has not bent has no knee.
    let rows = [1.0, 2.0, 4.0].map(|threads: f64| (4096.0, threads, threads * 1e9, 0.1, 0.1));
    assert_eq!(curves(&rows).knee, None);
}

#[test]
fn curves_on_each_other_are_one() {
    let mut rows = Vec::new();
    for threads in [1.0, 2.0, 4.0] {
        for size in [4096.0, 8192.0] {
            rows.push((size, threads, if threads > 1.0 { 2e9 } else { 1e9 }, 0.5, 0.5));
        }
    }
    let found = curves(&rows);
    let labels: Vec<&str> = found.curves.iter().map(|curve| curve.label.as_str()).collect();
    assert_eq!(labels, ["1 thread", "2 or 4 threads"]);
}

#[test]
fn two_axes_are_a_surface_and_one_a_curve() {
    let two = drawing(&[
        (4096.0, 1.0, 1e9, 0.5, 0.5),
        (4096.0, 2.0, 2e9, 0.5, 0.5),
        (8192.0, 1.0, 3e9, 0.5, 0.5),
        (8192.0, 2.0, 4e9, 0.5, 0.5),
    ]);
    let Ok(Drawing::HeatMap(map)) = two else {
        panic!("{two:?}");
    };
    assert_eq!(map.columns, ["4 KiB", "8 KiB"]);
    assert_eq!(map.rows, ["2 threads", "1 thread"]);
    assert_eq!(map.cells, [Some(2e9), Some(4e9), Some(1e9), Some(3e9)]);
    // Axes in step are one.
    for threads in [1.0, 2.0] {
        let one = drawing(&[(4096.0, 1.0, 1e9, 0.5, 0.5), (8192.0, threads, 2e9, 0.5, 0.5)]);
        assert!(matches!(one, Ok(Drawing::Curves(_))), "{threads}");
    }
    let none = drawing(&[(4096.0, 1.0, 1e9, 0.5, 0.5)]);
    assert!(matches!(none, Err(PictureError::Missing(_))));
}

/// Points of which no two have a value in common are no grid.
#[test]
fn a_sample_is_points_in_colour() {
    let rows: Vec<_> = (1..20_i32)
        .map(|n| (f64::from(n) * 4096.0, f64::from(n * 7 % 19), 1e9, 0.5, 0.5))
        .collect();
    assert!(matches!(drawing(&rows), Ok(Drawing::ColouredPoints(_))));
}

#[test]
fn json_lines_are_read_in_the_order_of_their_fields() {
    let text = "{\"point\":0,\"z\":1,\"a\":\"x.toml\",\"network_bytes_per_s\":1e9}\n\
                {\"point\":1,\"z\":2,\"a\":\"x.toml\",\"network_bytes_per_s\":null}\n";
    let table = SweepTable::read_json_lines(text, "x", None).expect("a sweep");
    let names: Vec<&str> = table.axes.iter().map(|axis| axis.name.as_str()).collect();
    assert_eq!(names, ["z", "a"]);
    assert_eq!(table.rows.len(), 1, "a point without a figure is no row");
}

/// Threads in powers of two have equal distances, from a ratio of eight on; in steps of ten they have not.
#[test]
fn powers_of_two_are_on_a_logarithmic_axis() {
    let scale = |threads: [f64; 4]| {
        let rows = threads.map(|threads| (4096.0, threads, 1e9, 0.5, 0.25));
        table(&rows).axis_title(1).scale
    };
    assert_eq!(scale([1.0, 2.0, 4.0, 16.0]), bandgraph_plot::Scale::PowersOfTwo);
    assert_eq!(scale([1.0, 2.0, 3.0, 4.0]), bandgraph_plot::Scale::Linear);
    assert_eq!(scale([10.0, 20.0, 30.0, 90.0]), bandgraph_plot::Scale::Linear);
    assert_eq!(
        scale([1.0, 10.0, 100.0, 300.0]),
        bandgraph_plot::Scale::Logarithmic
    );
}
