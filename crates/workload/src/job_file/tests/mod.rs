//! Job files against what their formats' descriptions say, by hand.

use proptest::prelude::*;

use super::{Job, JobFile, read};
use crate::OperationKind::{self, Commit, Create, Getattr, Lookup, Read, Remove, Write};
use crate::{AccessPattern, OperationKind as Kind};

fn good(text: &str) -> Vec<Job> {
    let file = read(text);
    assert_eq!(file.problems, []);
    file.jobs
}

fn weights(job: &Job) -> Vec<(Kind, f64)> {
    job.mix.value.clone()
}

/// The words at which problems point, with their ids.
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
    let size = |job: &Job| job.io_size.as_ref().map(|size| size.value);
    assert_eq!(
        jobs.iter().map(|job| job.name.value.as_str()).collect::<Vec<_>>(),
        ["first", "second", "third"]
    );
    // 4 KiB and reading in order are the defaults of fio.
    assert_eq!(
        jobs.iter().map(size).collect::<Vec<_>>(),
        [Some(4096), Some(4096), Some(65_536)]
    );
    assert_eq!(weights(&jobs[0]), [(Write, 1.0)]);
    assert_eq!(weights(&jobs[2]), [(Read, 1.0)]);
    assert_eq!(jobs[1].pattern.value, AccessPattern::Random);
    assert_eq!(jobs[2].pattern.value, AccessPattern::Sequential);
    assert_eq!(jobs[0].working_set, None);
    assert_eq!(jobs[2].working_set.as_ref().map(|size| size.value), Some(1 << 30));
}

#[test]
fn the_options_that_matter() {
    let text = "[job]\nrw=randrw\nrwmixread=70\nbs=8k\nsize=1g\nnumjobs=4\nioengine=libaio\niodepth=16\n\
                thinktime=500\nruntime=2m\nramp_time=5\nsync=1\n";
    let job = &good(text)[0];
    assert_eq!(weights(job), [(Read, 0.7), (Write, 1.0 - 0.7)]);
    assert_eq!(job.threads.value, 64);
    assert_eq!(&text[job.threads.range.clone()], "16");
    // Each of four jobs has a file of its own.
    assert_eq!(job.working_set.as_ref().map(|size| size.value), Some(4 << 30));
    assert_eq!(
        job.think_time_s.as_ref().map(|time| time.value),
        Some(500.0 * 1e-6)
    );
    assert_eq!(job.runtime_s.as_ref().map(|time| time.value), Some(120.0));
    assert_eq!(job.ramp_s.as_ref().map(|time| time.value), Some(5.0));
    assert_eq!(job.synchronous.as_ref().map(|flag| flag.value), Some(true));
}

#[test]
fn rates_are_of_all_jobs_and_in_operations() {
    let rate = |options: &str| {
        good(&format!("[job]\nnumjobs=2\nbs=4k\n{options}\n"))[0]
            .rate
            .as_ref()
            .map(|rate| (rate.value.operations_per_s, rate.value.poisson))
    };
    assert_eq!(rate("rw=read"), None);
    assert_eq!(rate("rw=read\nrate_iops=500"), Some((1000.0, false)));
    assert_eq!(
        rate("rw=read\nrate=1m\nrate_process=poisson"),
        Some((512.0, true))
    );
    // 100 reads a second of a mix that is half reads are 200 operations, unless writes hold it to 50 + 50.
    assert_eq!(rate("rw=rw\nrate_iops=100"), Some((400.0, false)));
    assert_eq!(rate("rw=rw\nrate_iops=100,50"), Some((200.0, false)));
    assert_eq!(rate("rw=rw\nrate_iops=,50"), Some((200.0, false)));
}

#[test]
fn what_is_not_read_is_remarked_on() {
    let file = read(
        "[global]\niodepth=32\nbuffer_compress_percentage=50\n[a]\nfsync=32\n[b]\nstonewall\nbs=4k,8k\nrw=rw\n",
    );
    assert_eq!(file.problems, []);
    let remarks = remarks(&file);
    // Default engines are synchronous: the depth means nothing. Once for each job, as each has its own engine.
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
        "`fsync` is ignored",
        "6144 B each",
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

/// Counted by hand: three files are opened or made, two are written and closed, one is read, removed, looked at.
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
    // Two of 128 KiB, and an append of 8 KiB on average.
    assert_eq!(
        job.io_size.as_ref().map(|size| size.value),
        Some((2 * 131_072 + 8192) / 3)
    );
    assert_eq!(
        job.working_set.as_ref().map(|size| size.value),
        Some(10_000 * 131_072)
    );
    assert_eq!(job.threads.value, 50);
    assert_eq!(job.runtime_s.as_ref().map(|time| time.value), Some(1.0));
}

#[test]
fn rounds_of_the_other_servers() {
    let mail = &shipped("varmail")[0];
    assert_eq!(
        weights(mail),
        sorted(vec![
            (Read, 2.0),
            (Write, 2.0),
            // After each fsync there is nothing left for the close.
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
    assert_eq!(oltp[1].synchronous.as_ref().map(|flag| flag.value), Some(true));
    assert_eq!(oltp[2].think_time_s.as_ref().map(|time| time.value), Some(0.01));
    assert_eq!(oltp[2].working_set.as_ref().map(|size| size.value), Some(4 << 30));
    assert_eq!(oltp[0].io_size.as_ref().map(|size| size.value), Some(262_144));
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever stands in a job file, reading comes to an end, points into the text, and makes no job out of nothing.
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
