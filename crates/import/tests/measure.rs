//! What is read from the outputs of counters and load generators, against figures worked out by hand.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bandgraph_config::MemoryFiles;
use bandgraph_diagnostics::Sources;
use bandgraph_import::{Measurements, RowOptions, Subject, import, measure, rows};

/// Readings of files, with what is wrong with them.
fn measured(files: &[(&str, &str)], seconds: Option<f64>) -> (Measurements, Sources) {
    let memory = files.iter().fold(MemoryFiles::new(), |memory, (name, text)| {
        memory.with(name, *text)
    });
    let paths: Vec<PathBuf> = files.iter().map(|(name, _)| PathBuf::from(name)).collect();
    let mut sources = Sources::new();
    let measurements = measure(&paths, seconds, &memory, &mut sources);
    (measurements, sources)
}

/// Readings of one file by subject; all figures rounded to six digits.
fn readings(text: &str, seconds: Option<f64>) -> Vec<(String, String)> {
    let (measurements, _) = measured(&[("file.txt", text)], seconds);
    assert_eq!(measurements.diagnostics, []);
    shown(&measurements)
}

fn shown(measurements: &Measurements) -> Vec<(String, String)> {
    let all = measurements.readings.iter();
    all.map(|reading| {
        let name = match &reading.subject {
            Subject::Run(metric) => (*metric).to_owned(),
            Subject::Port { name, receives } => {
                format!("{name} {}", if *receives { "in" } else { "out" })
            }
            other => other.key().unwrap_or_default(),
        };
        let bound = if reading.is_lower_bound { " or more" } else { "" };
        (name, format!("{}{bound}", (reading.value * 1e6).round() / 1e6))
    })
    .collect()
}

fn are(found: &[(String, String)], wanted: &[(&str, &str)]) {
    let found: Vec<(&str, &str)> = found.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    assert_eq!(found, wanted);
}

fn ids(measurements: &Measurements) -> Vec<&'static str> {
    measurements
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.id)
        .collect()
}

const FIO: &str = r#"fio: a warning
{ "fio version" : "fio-3.33", "jobs" : [
 { "jobname" : "a",
   "read" : { "bw_bytes" : 8000000, "bw" : 7812, "iops" : 1000.0, "total_ios" : 3000,
     "clat_ns" : { "mean" : 190000.0, "percentile" : { "50.000000" : 180000, "95.000000" : 300000, "99.000000" : 400000 } },
     "lat_ns" : { "max" : 900000, "mean" : 200000.0 } },
   "write" : { "bw_bytes" : 0, "iops" : 0.0, "total_ios" : 0, "lat_ns" : { "mean" : 0.0, "max" : 0 } } } ] }
"#;

#[test]
fn fio_prints_operations_bytes_and_latencies() {
    are(
        &readings(FIO, None),
        &[
            ("ops_per_s", "1000"),
            ("payload_bytes_per_s", "8000000"),
            ("latency_mean_s", "0.0002"),
            ("latency_p50_s", "0.00018"),
            ("latency_p95_s", "0.0003"),
            ("latency_p99_s", "0.0004"),
            ("latency_max_s", "0.0009"),
        ],
    );
    // Reads and writes together: the mean is weighted, and percentiles do not add up.
    let both = FIO.replace(
        r#""write" : { "bw_bytes" : 0, "iops" : 0.0, "total_ios" : 0, "lat_ns" : { "mean" : 0.0, "max" : 0 } }"#,
        r#""write" : { "bw_bytes" : 4000000, "iops" : 500.0, "total_ios" : 1000, "lat_ns" : { "mean" : 400000.0, "max" : 2000000 } }"#,
    );
    are(
        &readings(&both, None),
        &[
            ("ops_per_s", "1500"),
            ("payload_bytes_per_s", "12000000"),
            ("latency_mean_s", "0.00025"),
            ("latency_max_s", "0.002"),
        ],
    );
}

/// What fio itself calls failed, and rates that fio cannot have printed, are refused at their place.
#[test]
fn failed_and_damaged_jobs_of_fio_are_refused() {
    let of_time = FIO.replace(
        "\"total_ios\" : 3000",
        "\"total_ios\" : 3000, \"io_bytes\" : 24000000, \"runtime\" : 3000",
    );
    let refused = |from: &str, to: &str| {
        let text = of_time.replacen(from, to, 1);
        let (measurements, sources) = measured(&[("f", &text)], None);
        let [only] = &measurements.diagnostics[..] else {
            panic!("{to}: {:?}", measurements.diagnostics)
        };
        let place = only.primary.as_ref().expect("it has a place");
        (
            only.id,
            sources.text(place.source)[place.range.clone()].to_owned(),
        )
    };
    assert_eq!(
        refused("\"jobname\" : \"a\",", "\"jobname\" : \"a\", \"error\" : 5,"),
        ("measure::job_failed", "5".to_owned())
    );
    for (from, to, at) in [
        ("\"iops\" : 1000.0", "\"iops\" : -5", "-5"),
        ("\"iops\" : 1000.0", "\"iops\" : \"many\"", "\"many\""),
        ("\"iops\" : 1000.0", "\"iops\" : 1234.0", "1234.0"),
        ("\"bw_bytes\" : 8000000", "\"bw_bytes\" : 1e305", "1e305"),
        ("\"bw_bytes\" : 8000000", "\"bw_bytes\" : 1048576", "1048576"),
    ] {
        assert_eq!(refused(from, to), ("measure::damaged", at.to_owned()));
    }
    let sound = of_time.replace("\"jobname\" : \"a\",", "\"jobname\" : \"a\", \"error\" : 0,");
    assert_eq!(readings(&sound, None), readings(FIO, None));
}

const IOSTAT: &str = "\
Linux 6.1 (sample)  01/01/26  _x86_64_ (8 CPU)

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           1.00    0.00    1.00    0.00    0.00   98.00

Device            r/s     w/s     rkB/s     wkB/s  %util
sda              1.00    1.00      1.00      1.00   1.00

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
          30.00    0.00   20.00   10.00    0.00   40.00

Device            r/s     w/s     rkB/s     wkB/s  %util
sda            100.00   50.00  10000.00   5000.00  60.00
sda1           100.00   50.00  10000.00   5000.00  60.00
nvme0n1        100.00   50.00   1000.00      0.00  20.00
dm-0           100.00   50.00  10000.00   5000.00  60.00

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
          30.00    0.00   20.00   10.00    0.00   20.00

Device            r/s     w/s     rkB/s     wkB/s  %util
sda            100.00   50.00  20000.00   5000.00  80.00
nvme0n1        100.00   50.00   1000.00      0.00  40.00
";

#[test]
fn the_first_report_of_iostat_is_left_out_and_parts_of_drives_count_once() {
    // Reports of 15,000 + 1,000 and of 25,000 + 1,000 kB: a mean of 21,000 of 1024 bytes.
    are(
        &readings(IOSTAT, None),
        &[
            ("cpu_busy", "0.6"),
            ("disk_bytes_per_s", "21504000"),
            ("sda", "0.7"),
            ("nvme0n1", "0.3"),
        ],
    );
}

const ZPOOL: &str = "\
                 capacity     operations     bandwidth
pool          alloc   free   read  write   read  write
------------  -----  -----  -----  -----  -----  -----
tank           1.0T   1.0T      1      1     9G     9G
  mirror-0     1.0T   1.0T      1      1     9G     9G
    da0           -      -      1      1     9G     9G
------------  -----  -----  -----  -----  -----  -----
tank           1.0T   1.0T    100     50   3.0M   1.0M
  mirror-0     1.0T   1.0T    100     50   3.0M   1.0M
    da0           -      -     50     50   1.5M   1.0M
    da1           -      -     50     50   1.5M   1.0M
logs              -      -      -      -      -      -
  nvd0           0G    10G      0     10      0   512K
------------  -----  -----  -----  -----  -----  -----
";

/// A mirror writes twice what its pool writes. The first report is of the time before.
#[test]
fn drives_of_pools_carry_what_is_below_everything_else() {
    let total = (1.5 * 2.0 + 2.0) * 1_048_576.0 + 512.0 * 1024.0;
    are(
        &readings(ZPOOL, None),
        &[("disk_bytes_per_s", total.to_string().as_str())],
    );
    let is_of_pool = |line: &&str| !line.starts_with("  ") || line.contains("capacity");
    let pools: Vec<&str> = ZPOOL.lines().filter(is_of_pool).collect();
    let (measurements, _) = measured(&[("zpool.txt", &pools.join("\n"))], None);
    assert_eq!(
        ids(&measurements),
        ["measure::nothing"],
        "pools alone are not drives"
    );
}

#[test]
fn both_forms_of_iostat_agree() {
    let report = |idle: f64, waiting: f64, read: f64, util: f64| {
        format!(
            r#"{{"avg-cpu": {{"user": 1.0, "iowait": {waiting}, "idle": {idle}}},
               "disk": [{{"disk_device": "sda", "r/s": 1.0, "rkB/s": {read}, "wkB/s": 5000.00, "util": {util}}},
                        {{"disk_device": "nvme0n1", "r/s": 1.0, "rkB/s": 1000.0, "wkB/s": 0.00, "util": {util}}}]}}"#
        )
    };
    let json = format!(
        r#"{{"sysstat": {{"hosts": [{{"nodename": "sample", "statistics": [{}, {}, {}]}}]}}}}"#,
        report(98.0, 0.0, 1.0, 1.0),
        report(40.0, 10.0, 10000.0, 60.0),
        report(20.0, 10.0, 20000.0, 80.0)
    );
    let (text, json) = (readings(IOSTAT, None), readings(&json, None));
    assert_eq!(text[..3], json[..3]);
}

#[test]
fn sar_prints_the_means_itself() {
    let text = "\
Linux 6.1 (sample)  01/01/26  _x86_64_ (8 CPU)

16:27:29        IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s   %ifutil
16:27:30         eth0      9.00      9.00      9.00      9.00      0.00

Average:        IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s   %ifutil
Average:           lo      0.00      0.00    500.00    500.00      0.00
Average:         eth0   1000.00   9000.00    100.00   1000.00      0.10

Average:        CPU     %user     %nice   %system   %iowait    %steal     %idle
Average:        all     66.16     23.74      5.10      2.00      0.00      3.00

Average:          DEV       tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await     %util
Average:          vda     27.00    288.00     12.00     32.00     11.85      0.01      0.22     25.00
";
    are(
        &readings(text, None),
        &[
            ("eth0 in", "102400"),
            ("eth0 out", "1024000"),
            ("cpu_busy", "0.95"),
            ("disk_bytes_per_s", "307200"),
            ("vda", "0.25"),
            ("network_bytes_per_s", "1126400"),
        ],
    );
}

/// A report of one kind has no second header; its times have one word or two.
#[test]
fn sar_with_one_header_is_read() {
    for time in ["12:00:01 AM", "00:00:01"] {
        let text = format!(
            "Linux 6.1 (sample)  01/01/26  _x86_64_ (8 CPU)

{time}     CPU     %user     %nice   %system   %iowait    %steal     %idle
{time}     all      3.00      0.00      1.00      0.50      0.00     95.50
Average:        all      3.50      0.00      1.50      0.25      0.00     94.75
"
        );
        are(&readings(&text, None), &[("cpu_busy", "0.05")]);
    }
}

/// `/proc/net/dev` with `bytes` received on eth0 and twice as many sent.
fn proc_net_dev(bytes: u64) -> String {
    format!(
        "Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:    9579      87    0    0    0     0          0         0     9579      87    0    0    0     0       0          0
  eth0: {bytes}    9350    0    0    0     0          0         0   {}    6201    0    0    0     0       0          0
",
        2 * bytes
    )
}

#[test]
fn counts_since_the_start_need_two_files_and_a_time() {
    let (before, after) = (proc_net_dev(1000), proc_net_dev(61_000));
    let files = [("before.txt", before.as_str()), ("after.txt", after.as_str())];
    let (measurements, _) = measured(&files, Some(60.0));
    assert_eq!(measurements.diagnostics, []);
    are(
        &shown(&measurements),
        &[
            ("eth0 in", "1000"),
            ("eth0 out", "2000"),
            ("network_bytes_per_s", "3000"),
        ],
    );
    assert_eq!(ids(&measured(&files, None).0), ["measure::no_interval"]);
    assert_eq!(
        ids(&measured(&files[..1], Some(60.0)).0),
        ["measure::no_interval"]
    );
    let wrong = [files[1], files[0]];
    assert_eq!(ids(&measured(&wrong, Some(60.0)).0)[0], "measure::counter_fell");
}

#[test]
fn counters_of_a_driver_are_those_of_the_file_s_interface() {
    let text = |bytes: u64| {
        format!(
            "NIC statistics:\n     rx_bytes: 1\n     tx_bytes: 2\n     rx_bytes_phy: {bytes}\n     tx_bytes_phy: {bytes}\n"
        )
    };
    let (before, after) = (text(0), text(500));
    let files = [
        ("ethtool-ens1f0.before.txt", before.as_str()),
        ("ethtool-ens1f0.after.txt", after.as_str()),
    ];
    let (measurements, _) = measured(&files, Some(10.0));
    are(
        &shown(&measurements),
        &[
            ("ens1f0 in", "50"),
            ("ens1f0 out", "50"),
            ("network_bytes_per_s", "100"),
        ],
    );
}

#[test]
fn hypertransport_counters_are_means_of_their_samples() {
    let text = "\
walu# ./amd64htcpu 1
Socket\tHT0\tTX\tMB/s\tHT1\tTX\tMB/s
0\t\t\t3170.82\t\t\t0.00
1\t\t\t2738.99\t\t\t2051.82
Socket\tHT0\tTX\tMB/s\tHT1\tTX\tMB/s
0\t\t\t3169.18\t\t\t0.00
1\t\t\t2739.01\t\t\t2051.82
";
    let mib = |value: f64| format!("{}", value * 1_048_576.0);
    are(
        &readings(text, None),
        &[
            ("s0.link0", &mib(3170.0)),
            ("s1.link0", &mib(2739.0)),
            ("s1.link1", "2151489208.32"),
        ],
    );
}

#[test]
fn perf_counts_of_memory_and_links_are_bytes() {
    // Ten seconds of a line of 64 bytes each: 1 GB/s read, 0.5 GB/s written. Data flits: nine for 64 bytes.
    let text = "\
# started on Sun Nov 22 16:00:00 2026

S0,1,156250000,,uncore_imc_0/cas_count_read/,10000000000,100.00,,
S0,1,78125000,,uncore_imc_0/cas_count_write/,10000000000,100.00,,
S1,1,1000,MiB,uncore_imc_0/cas_count_read/,10000000000,100.00,,
S0,1,90000000,,uncore_upi_0/event=0x2,umask=0xf/,10000000000,100.00,,
";
    are(
        &readings(text, None),
        &[
            ("s0.memory", "1500000000"),
            ("s1.memory", "104857600 or more"),
            ("s0.link0", "64000000 or more"),
        ],
    );
    let semicolons = text
        .replace(",1,", ";1;")
        .replace(",,", ";;")
        .replace(",MiB,", ";MiB;");
    let semicolons = semicolons.replace("/,1", "/;1").replace(",100.00", ";100.00");
    assert_eq!(readings(text, None), readings(&semicolons, None));
}

#[test]
fn perf_intervals_and_cycles() {
    let text = "\
     1.000147224,S0,8,2000000,,dram_channel_data_controller_0,1000000000,100.00,,
     2.000000000,S0,8,4000000,,dram_channel_data_controller_0,1000000000,100.00,,
     2.000000000,S0,8,<not counted>,,remote_outbound_data_controller_1,0,0.00,,
";
    let (measurements, _) = measured(&[("perf.csv", text)], None);
    assert_eq!(ids(&measurements), ["measure::not_counted"]);
    are(&shown(&measurements), &[("s0.memory", "192000000")]);
    are(
        &readings("100,,cycles,10,100.00,,\n40,,instructions,10,100.00,,\n", None),
        &[("cpi", "2.5")],
    );
    let without = "1000,,uncore_imc_0/cas_count_read/,5,100.00,,\n";
    assert_eq!(
        ids(&measured(&[("perf.csv", without)], None).0),
        ["measure::no_interval"]
    );
    are(&readings(without, Some(10.0)), &[("memory", "6400 or more")]);
}

#[test]
fn both_forms_of_perf_agree() {
    let json = r#"{"interval" : 2.0, "socket" : "S0", "aggregate-number" : 1, "counter-value" : "2000000.0", "unit" : "", "event" : "UNC_M_CAS_COUNT.RD", "event-runtime" : 1, "pcnt-running" : 100.0}
{"interval" : 2.0, "socket" : "S0", "aggregate-number" : 1, "counter-value" : "1000000.0", "unit" : "", "event" : "UNC_M_CAS_COUNT.WR", "event-runtime" : 1, "pcnt-running" : 100.0}
"#;
    let csv =
        "2.0,S0,1,2000000,,UNC_M_CAS_COUNT.RD,1,100.0,,\n2.0,S0,1,1000000,,UNC_M_CAS_COUNT.WR,1,100.0,,\n";
    assert_eq!(readings(json, None), readings(csv, None));
    are(&readings(csv, None), &[("s0.memory", "96000000")]);
}

#[test]
fn pcm_has_groups_above_its_columns() {
    let text = "\
System,,,,Socket 0,,,Socket 1,,,SKT0dataIn,SKT1dataIn,SKT0trafficOut,,SKT1trafficOut,
Date,Time,EXEC,READ,EXEC,READ,WRITE,EXEC,READ,WRITE,UPI0,UPI0,UPI0,UPI1,UPI0,UPI1
2026-01-01,10:00:00,0.1,9,0.1,2.0,1.0,0.1,4.0,0.5,7,7,100,200,300,400
2026-01-01,10:00:02,0.1,9,0.1,4.0,1.0,0.1,4.0,0.5,7,7,100,400,300,400
";
    are(
        &readings(text, None),
        &[
            ("s0.memory", "2000000000"),
            ("s1.memory", "2250000000"),
            ("s0.link0", "50000000"),
            ("s0.link1", "150000000"),
            ("s1.link0", "150000000"),
            ("s1.link1", "200000000"),
        ],
    );
}

#[test]
fn rows_name_their_lines_and_resources() {
    let (measurements, mut sources) = measured(&[("iostat.txt", IOSTAT)], None);
    let resources = BTreeMap::from([("sda".to_owned(), "disk.j0.0".to_owned())]);
    let options = RowOptions {
        run: "monday".to_owned(),
        resources,
    };
    let text = rows(&measurements.readings, &options, None, &sources);
    for wanted in [
        "id = \"monday-disk-bytes-per-s\"\nmetric = \"disk_bytes_per_s\"\nvalue = \"21.504 MB/s\"\n",
        "resource = \"disk.j0.0\"\nvalue = \"70 %\"",
        "source = \"iostat.txt:13, printed by iostat -x\"",
        "# iostat.txt:15: \"30 %\" of nvme0n1: no resource is known for it; `--map nvme0n1=RESOURCE` gives one",
    ] {
        assert!(text.contains(wanted), "{wanted} is missing in\n{text}");
    }
    // Ports of interfaces come from what describes the machine: ens1 is port 0 of the first network card.
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/samples/two-sockets");
    let (machine, _) = import(&[folder.join("hwloc-2.xml")], &mut sources);
    let name = machine.facts.interfaces[0]
        .name
        .as_ref()
        .expect("a name")
        .value
        .clone();
    let (before, after) = (proc_net_dev(1000), proc_net_dev(61_000));
    let [before, after] = [before, after].map(|text| text.replace("eth0", &name));
    let (measurements, sources) = measured(&[("a", &before), ("b", &after)], Some(60.0));
    let text = rows(&measurements.readings, &options, Some(&machine), &sources);
    assert!(
        text.contains("resource = \"port.nic0.0.in\"\nvalue = \"0.001 MB/s\""),
        "{text}"
    );
}

#[test]
fn names_with_control_characters_stay_in_their_comment() {
    let counters = "Inter-|\n a\u{7f}b\rc: 1000000 2 3 4 5 6 7 8 1000000 10 11 12 13 14 15 16\n";
    let after = counters.replace("1000000", "9000000");
    let (measurements, sources) = measured(&[("a", counters), ("b", &after)], Some(1.0));
    assert!(!measurements.readings.is_empty(), "there is an interface");
    let text = rows(&measurements.readings, &RowOptions::default(), None, &sources);
    let is_plain = |letter: char| letter == '\n' || !letter.is_control();
    assert!(text.chars().all(is_plain), "{text:?}");
}

/// Without a number that is too large, the other counts remain; so large a rate is no row.
#[test]
fn numbers_without_end_are_left_out() {
    let before = proc_net_dev(1000);
    let endless = proc_net_dev(61_000).replace("61000", "91e308");
    let (measurements, _) = measured(&[("a", &before), ("b", &endless)], Some(60.0));
    are(
        &shown(&measurements),
        &[("eth0 out", "2000"), ("network_bytes_per_s", "2000")],
    );
    let large = proc_net_dev(61_000).replace("61000", "1e308");
    let (measurements, sources) = measured(&[("a", &before), ("b", &large)], Some(1.0));
    let text = rows(&measurements.readings, &RowOptions::default(), None, &sources);
    assert!(!text.contains("inf"), "{text}");
}

#[test]
fn damaged_outputs_are_read_to_their_end() {
    let samples = [
        FIO,
        IOSTAT,
        &proc_net_dev(7),
        "1,,cycles,10,100.00,,\n",
        "System,\nDate,Time\n1,2\n",
    ];
    for sample in samples {
        for cut in 0..sample.len() {
            if let Some(text) = sample.get(..cut) {
                measured(&[("file", text)], None);
            }
            if let (Some(before), Some(after)) = (sample.get(..cut), sample.get(cut + 1..)) {
                measured(&[("file", &format!("{before}{after}"))], Some(1.0));
            }
        }
    }
}
