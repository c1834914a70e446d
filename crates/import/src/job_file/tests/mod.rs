//! Job files compared by hand with the documentation of their formats.

use proptest::prelude::*;

use super::{Job, JobFile, Sourced, read};
use bandgraph_workload::OperationKind::{self, Commit, Create, Getattr, Lookup, Read, Remove, Write};
use bandgraph_workload::{AccessPattern, OperationKind as Kind, Sizes};

fn good(text: &str) -> Vec<Job> {
    let file = read(text);
    assert_eq!(file.problems, []);
    file.jobs
}

fn weights(job: &Job) -> Vec<(Kind, f64)> {
    job.mix.value.clone()
}

/// The value of a setting, if the job has it.
fn value<T: Clone>(setting: Option<&Sourced<T>>) -> Option<T> {
    setting.map(|setting| setting.value.clone())
}

/// The words that problems point at, with the ids of the problems.
fn problems(text: &str) -> Vec<(&'static str, String)> {
    let file = read(text);
    file.problems
        .iter()
        .map(|problem| (problem.id, text[problem.range.clone()].to_owned()))
        .collect()
}

fn remarks(file: &JobFile) -> Vec<&str> {
    file.remarks
        .iter()
        .map(|remark| remark.message.as_str())
        .collect()
}

#[test]
fn options_of_global_hold_for_the_jobs_after_it() {
    let jobs = good("[first]\nrw=write\n[global]\nbs=64k\nsize=1g\n[second]\nrw=randread\nbs=4k\n[third]\n");
    let size = |job: &Job| value(job.io_size.as_ref());
    assert_eq!(
        jobs.iter().map(|job| job.name.value.as_str()).collect::<Vec<_>>(),
        ["first", "second", "third"]
    );
    // The defaults of fio: 4 KiB, sequential.
    assert_eq!(
        jobs.iter().map(size).collect::<Vec<_>>(),
        [Some(4096), Some(4096), Some(65_536)]
    );
    assert_eq!(weights(&jobs[0]), [(Write, 1.0)]);
    assert_eq!(weights(&jobs[2]), [(Read, 1.0)]);
    assert_eq!(jobs[1].pattern.value, AccessPattern::Random);
    assert_eq!(jobs[2].pattern.value, AccessPattern::Sequential);
    assert_eq!(jobs[0].working_set, None);
    assert_eq!(value(jobs[2].working_set.as_ref()), Some(1 << 30));
}

#[test]
fn the_options_that_matter() {
    let text = "[job]\nrw=randrw\nrwmixread=70\nbs=8k\nsize=1g\nnumjobs=4\nioengine=libaio\niodepth=16\n\
                thinktime=500\nruntime=2m\nramp_time=5\nsync=1\n";
    let job = &good(text)[0];
    assert_eq!(weights(job), [(Read, 0.7), (Write, 1.0 - 0.7)]);
    assert_eq!(job.threads.value, 64);
    assert_eq!(&text[job.threads.range.clone()], "16");
    assert_eq!(value(job.processes.as_ref()), Some(4));
    // Each of four jobs has a file of its own.
    assert_eq!(value(job.working_set.as_ref()), Some(4 << 30));
    assert_eq!(value(job.think_time_s.as_ref()), Some(500.0 * 1e-6));
    assert_eq!(value(job.runtime_s.as_ref()), Some(120.0));
    assert_eq!(value(job.ramp_s.as_ref()), Some(5.0));
    assert_eq!(value(job.synchronous.as_ref()), Some(true));
}

#[test]
fn rates_are_of_all_jobs_and_in_operations() {
    let rate = |options: &str| {
        let job = &good(&format!("[job]\nnumjobs=2\nbs=4k\n{options}\n"))[0];
        value(job.rate.as_ref()).map(|rate| (rate.operations_per_s, rate.poisson))
    };
    assert_eq!(rate("rw=read"), None);
    assert_eq!(rate("rw=read\nrate_iops=500"), Some((1000.0, false)));
    assert_eq!(
        rate("rw=read\nrate=1m\nrate_process=poisson"),
        Some((512.0, true))
    );
    // 100 reads/s in a mix with half reads are 200 operations/s, unless writes limit it to 50 + 50.
    assert_eq!(rate("rw=rw\nrate_iops=100"), Some((400.0, false)));
    assert_eq!(rate("rw=rw\nrate_iops=100,50"), Some((200.0, false)));
    assert_eq!(rate("rw=rw\nrate_iops=,50"), Some((200.0, false)));
}

#[test]
fn what_is_not_read_is_remarked_on() {
    let file =
        read("[global]\niodepth=32\nbuffer_compress_percentage=50\n[a]\n[b]\nstonewall\nbs=4k,8k\nrw=rw\n");
    assert_eq!(file.problems, []);
    let remarks = remarks(&file);
    // Default engines are synchronous and ignore the depth. One remark per job, since each has its own
    // engine.
    assert_eq!(
        remarks
            .iter()
            .filter(|remark| remark.contains("`psync` has one"))
            .count(),
        2
    );
    for words in [
        "`buffer_compress_percentage` is ignored",
        "`stonewall` is ignored",
    ] {
        assert_eq!(
            remarks.iter().filter(|remark| remark.contains(words)).count(),
            1,
            "{words}: {remarks:?}"
        );
    }
    assert_eq!(file.jobs[0].threads.value, 1);
}

#[test]
fn misspelt_options_are_refused_and_others_named() {
    let text =
        "[global]\nbs=4k\niodpeth=8\n[a]\nrw=read\n[b]\nrw=read\nnumjob=2\nquite_another=1\ncpus_allowed=1\n";
    assert_eq!(
        problems(text),
        [
            ("job_file::unknown_option", "iodpeth".to_owned()),
            ("job_file::unknown_option", "numjob".to_owned())
        ]
    );
    let file = read("[a]\nrw=read\nquite_another=1\ncpus_allowed=1\n");
    assert_eq!(file.problems, []);
    assert_eq!(
        remarks(&file),
        [
            "`quite_another` is ignored: fio has no such option",
            "`cpus_allowed` is ignored"
        ]
    );
}

fn shares(sizes: Option<&Sourced<Sizes>>) -> Vec<(f64, f64)> {
    let shares = sizes
        .map(|sizes| sizes.value.shares().to_vec())
        .unwrap_or_default();
    shares.iter().map(|(size, share)| (size.get(), *share)).collect()
}

#[test]
fn reads_and_writes_have_the_sizes_that_the_file_says() {
    let job = |options: &str| good(&format!("[job]\nrw=randrw\nrwmixread=75\n{options}\n")).remove(0);
    let sizes = |job: &Job| (shares(job.read_sizes.as_ref()), shares(job.write_sizes.as_ref()));
    // A single size for all needs no list.
    assert_eq!(sizes(&job("bs=8k")), (vec![], vec![]));
    let two = job("bs=4k,8k");
    assert_eq!(sizes(&two), (vec![(4096.0, 1.0)], vec![(8192.0, 1.0)]));
    assert_eq!(two.io_size.map(|size| size.value), Some(5120));
    let split = job("bs=1m\nbssplit=4k/75:64k/25,8k");
    assert_eq!(
        sizes(&split),
        (vec![(4096.0, 0.75), (65_536.0, 0.25)], vec![(8192.0, 1.0)])
    );
    let range = job("bsrange=1k-2k");
    assert_eq!(sizes(&range).0, [(1024.0, 0.5), (2048.0, 0.5)]);
    // Without reads there are no read sizes.
    let writes = good("[job]\nrw=write\nbs=4k,8k\n").remove(0);
    assert_eq!(sizes(&writes), (vec![], vec![(8192.0, 1.0)]));
    assert_eq!(problems("[job]\nbssplit=4k/60:8k/60\n")[0].0, "job_file::value");
}

#[test]
fn a_commit_follows_every_so_many_writes() {
    let job =
        &good("[job]\nrw=rw\nrwmixread=20\nfsync=4\nrate_iops=100,\nthinktime=60\nthinktime_blocks=2\n")[0];
    // 8 writes per 2 reads, and 2 commits.
    let commits = (1.0 - 0.2) / 4.0;
    assert_eq!(weights(job), [(Read, 0.2), (Write, 1.0 - 0.2), (Commit, commits)]);
    // 100 reads/s are 500 reads and writes/s, and 100 commits/s.
    let rate = value(job.rate.as_ref()).map(|rate| rate.operations_per_s);
    assert!(rate.is_some_and(|rate| (rate - 600.0).abs() < 1e-9), "{rate:?}");
    // 30 µs after each read or write, averaged over all operations including commits.
    let pause = value(job.think_time_s.as_ref());
    assert!(
        pause.is_some_and(|pause| (pause - 25e-6).abs() < 1e-12),
        "{pause:?}"
    );
    assert_eq!(weights(&good("[job]\nrw=write\nfsync=0\n")[0]), [(Write, 1.0)]);
}

#[test]
fn jobs_behind_a_wall_begin_when_those_before_are_done() {
    let times = |text: &str| {
        let jobs = good(text);
        jobs.iter()
            .map(|job| (value(job.start_s.as_ref()), value(job.stop_s.as_ref())))
            .collect::<Vec<_>>()
    };
    // 5 + 60 s, concurrent with 30 s; then 20 s, concurrent with 10 s that start 3 s later.
    assert_eq!(
        times(
            "[a]\nramp_time=5\nruntime=60\n[b]\nruntime=30\n[c]\nstonewall\nruntime=20\n[d]\nstartdelay=3\n\
             runtime=10\n"
        ),
        [
            (None, Some(65.0)),
            (None, Some(30.0)),
            (Some(65.0), None),
            (Some(3.0 + 65.0), Some(78.0))
        ]
    );
    // The last phase may be endless; then the jobs before it have stop times.
    assert_eq!(
        times("[a]\nruntime=60\n[b]\nstonewall\n"),
        [(None, Some(60.0)), (Some(60.0), None)]
    );
    assert_eq!(
        times("[a]\nruntime=60\n[b]\nruntime=60\n"),
        [(None, None), (None, None)]
    );
    assert_eq!(times("[a]\n[b]\nstonewall\n"), [(None, None), (None, None)]);
}

#[test]
fn wrong_options_are_pointed_at() {
    let cases = [
        ("[job]\nrw=raed\n", "job_file::value", "raed"),
        ("[job]\nrw=randtrim\n", "job_file::not_modelled", "randtrim"),
        ("[job]\nbs=4q\n", "job_file::value", "4q"),
        ("[job]\nbs=0\n", "job_file::value", "0"),
        ("[job]\nnumjobs=-1\n", "job_file::value", "-1"),
        ("[job]\nsize=50%\n", "job_file::value", "50%"),
        ("[job]\nsize=${SIZE}\n", "job_file::value", "${SIZE}"),
        ("[job]\nrwmixread=101\nrw=rw\n", "job_file::value", "101"),
        ("[job]\nthinktime=soon\n", "job_file::value", "soon"),
        ("[job\nrw=read\n", "job_file::syntax", "[job"),
        ("bs=4k\n[job]\n", "job_file::syntax", "bs=4k"),
        (
            "include other.fio\n[job]\n",
            "job_file::syntax",
            "include other.fio",
        ),
        ("[global]\nbs=4k\n", "job_file::no_job", ""),
        ("", "job_file::no_job", ""),
    ];
    for (text, id, at) in cases {
        let found = problems(text);
        assert_eq!(found.first(), Some(&(id, at.to_owned())), "{text}: {found:?}");
    }
}

fn shipped(name: &str) -> Vec<Job> {
    let text = match name {
        "fileserver" => include_str!("../../../../../scenarios/jobs/fileserver.f"),
        "varmail" => include_str!("../../../../../scenarios/jobs/varmail.f"),
        "webserver" => include_str!("../../../../../scenarios/jobs/webserver.f"),
        "oltp" => include_str!("../../../../../scenarios/jobs/oltp.f"),
        "randomread" => include_str!("../../../../../scenarios/jobs/randomread.f"),
        "singlestreamread" => include_str!("../../../../../scenarios/jobs/singlestreamread.f"),
        _ => include_str!("../../../../../scenarios/jobs/singlestreamwrite.f"),
    };
    good(text)
}

fn sorted(mut weights: Vec<(OperationKind, f64)>) -> Vec<(OperationKind, f64)> {
    weights.sort_by_key(|(kind, _)| *kind);
    weights
}

/// Counted by hand: three files are opened or created, two written and closed, one each read, removed and
/// examined.
#[test]
fn a_round_of_the_file_server() {
    let job = &shipped("fileserver")[0];
    assert_eq!(
        weights(job),
        sorted(vec![
            (Read, 1.0),
            (Write, 2.0),
            (Commit, 2.0),
            (Getattr, 3.0),
            (Lookup, 4.0),
            (Create, 1.0),
            (Remove, 1.0)
        ])
    );
    assert_eq!(shares(job.read_sizes.as_ref()), [(131_072.0, 1.0)]);
    // Half of the writes are appends of random length up to 16 KiB, represented by eight lengths.
    let writes = shares(job.write_sizes.as_ref());
    assert_eq!(writes[0], (131_072.0, 0.5));
    assert_eq!(writes[1..].len(), 8);
    assert_eq!((writes[1], writes[8]), ((1024.0, 0.0625), (15_360.0, 0.0625)));
    // Two of 128 KiB, and an append of 8 KiB on average.
    assert_eq!(value(job.io_size.as_ref()), Some((2 * 131_072 + 8192) / 3));
    assert_eq!(value(job.working_set.as_ref()), Some(10_000 * 131_072));
    assert_eq!(job.threads.value, 50);
    assert_eq!(value(job.runtime_s.as_ref()), Some(1.0));
}

#[test]
fn rounds_of_the_other_servers() {
    let mail = &shipped("varmail")[0];
    assert_eq!(
        weights(mail),
        sorted(vec![
            (Read, 2.0),
            (Write, 2.0),
            // After each fsync the close has nothing to commit.
            (Commit, 2.0),
            (Getattr, 2.0),
            (Lookup, 4.0),
            (Create, 1.0),
            (Remove, 1.0)
        ])
    );
    let web = &shipped("webserver")[0];
    assert_eq!(
        weights(web),
        sorted(vec![(Read, 10.0), (Write, 1.0), (Getattr, 10.0), (Lookup, 10.0)])
    );
    assert_eq!(web.threads.value, 100);
    let oltp = shipped("oltp");
    assert_eq!(
        oltp.iter().map(|job| job.threads.value).collect::<Vec<_>>(),
        [1, 10, 200]
    );
    assert_eq!(weights(&oltp[1]), [(Write, 100.0)]);
    assert_eq!(value(oltp[1].synchronous.as_ref()), Some(true));
    assert_eq!(value(oltp[2].think_time_s.as_ref()), Some(0.01));
    assert_eq!(value(oltp[2].working_set.as_ref()), Some(4 << 30));
    assert_eq!(value(oltp[0].io_size.as_ref()), Some(262_144));
    for (name, operation, pattern) in [
        ("randomread", Read, AccessPattern::Random),
        ("singlestreamread", Read, AccessPattern::Sequential),
        ("singlestreamwrite", Write, AccessPattern::Sequential),
    ] {
        let job = &shipped(name)[0];
        assert_eq!(weights(job), [(operation, 1.0)], "{name}");
        assert_eq!(job.pattern.value, pattern, "{name}");
    }
}

#[test]
fn wrong_personalities_are_pointed_at() {
    let inside = |flowop: &str| {
        format!(
            "define fileset name=f,size=8k,entries=1\ndefine process name=p {{ thread name=t {{ {flowop} }} }}\n"
        )
    };
    let cases = [
        (inside("flowop fly name=x"), "job_file::not_modelled", "fly"),
        (
            inside("flowop read name=x,filesetname=g"),
            "job_file::unknown_name",
            "filesetname=g",
        ),
        (
            inside("flowop read name=x,filesetname=f,iosize=$much"),
            "job_file::unknown_name",
            "iosize=$much",
        ),
        (
            inside("flowop read name=x,filesetname=f,iosize=big"),
            "job_file::value",
            "iosize=big",
        ),
        (
            inside("flowop read name=x,filesetname=f,iosize=4t"),
            "job_file::value",
            "iosize=4t",
        ),
        (inside("read name=x"), "job_file::syntax", "read"),
        (
            "define process name=p { thread name=t { flowop read".to_owned(),
            "job_file::syntax",
            "thread",
        ),
        ("set threads=5\n".to_owned(), "job_file::syntax", "set"),
        (
            "set $a=$b\nset $b=$a\ndefine fileset name=f,size=$a\n".to_owned(),
            "job_file::unknown_name",
            "size=$a",
        ),
        ("run 60\n".to_owned(), "job_file::no_job", ""),
    ];
    for (text, id, at) in cases {
        let found = problems(&text);
        assert_eq!(found.first(), Some(&(id, at.to_owned())), "{text}: {found:?}");
    }
}

/// By hand: a file of 20 KiB in pieces of 8 KiB is two of these and one of 4 KiB; five rounds per second are
/// 15 reads.
#[test]
fn files_are_read_to_their_end_and_events_are_rounds() {
    let text = "eventgen rate=5\ndefine fileset name=f,size=20k,entries=10\ndefine process name=p {\n thread name=t {\n\
                flowop readwholefile name=r,filesetname=f,iosize=8k\n flowop eventlimit name=l\n }\n}\n";
    let job = &good(text)[0];
    assert_eq!(weights(job), [(Read, 3.0)]);
    assert_eq!(
        shares(job.read_sizes.as_ref()),
        [(8192.0, 2.0 / 3.0), (4096.0, 1.0 / 3.0)]
    );
    assert_eq!(
        value(job.rate.as_ref()).map(|rate| rate.operations_per_s),
        Some(15.0)
    );
    assert_eq!(remarks(&read(text)), Vec::<&str>::new());
    assert!(remarks(&read(&text.replace("rate=5", "rate=0")))[0].contains("`eventgen` without a rate"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// For any text, reading terminates, positions are in the text, and no job is empty.
    #[test]
    fn any_text_is_read(words in prop::collection::vec(prop::sample::select(vec![
        "[global]\n", "[job]\n", "[", "]", "rw=", "randrw", "bs=", "4k", "8k,", "=", "\n", " ", "size=1g\n", "${", "numjobs=9999999999\n",
        "rate=", "iodepth=99999999999\n", "define ", "fileset ", "process ", "thread ", "flowop ", "read ", "readwholefile ", "name=a", ",",
        "{", "}", "\"", "set $a=", "$a", "cvar(type=x;mean:5)", "iters=99999999999999999999", "filesetname=a", "run 60\n", "iosize=1", "é", "#", "\0",
    ]), 0..60)) {
        let text = words.concat();
        let file = read(&text);
        for range in file.problems.iter().map(|problem| &problem.range).chain(file.remarks.iter().map(|remark| &remark.range)) {
            prop_assert!(text.get(range.clone()).is_some(), "{range:?} in {text:?}");
        }
        prop_assert!(!file.jobs.is_empty() || !file.problems.is_empty());
        for job in &file.jobs {
            prop_assert!(!job.mix.value.is_empty());
            prop_assert!(job.mix.value.iter().all(|(_, weight)| *weight > 0.0));
        }
    }

    #[test]
    fn any_characters_are_read(text in "\\PC{0,200}") {
        let file = read(&text);
        prop_assert!(!file.jobs.is_empty() || !file.problems.is_empty());
    }
}
