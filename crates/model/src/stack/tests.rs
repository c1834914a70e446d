use bandgraph_config::FieldValue;

use super::*;

#[test]
fn every_field_can_be_read_and_set_by_name() {
    let stack = Stack::fishworks_2009();
    for field in Stack::KIND.fields() {
        let value = stack.get(field.name).expect("a field of the table can be read");
        let mut other = stack.clone();
        other.set(field.name, value).expect("its own value can be set");
        assert_eq!(other, stack, "{}", field.name);
    }
}

/// By hand: of 15 misses on four sockets 6 are shared. One socket has 9, two 9 + 6 · (1/2) / (3/4) = 13,
/// eight 9 + 6 · (7/8) / (3/4) = 16.
#[test]
fn shared_misses_grow_with_the_sockets() {
    let stack = Stack::fishworks_2009();
    assert_eq!((stack.shared_misses, stack.reference_sockets), (0.4, 4.0));
    for (sockets, relative, shared) in [
        (1, 9.0 / 15.0, 0.0),
        (2, 13.0 / 15.0, 4.0 / 13.0),
        (4, 1.0, 0.4),
        (8, 16.0 / 15.0, 7.0 / 16.0),
    ] {
        let found = stack.misses_on(sockets);
        let off = (found.relative - relative).abs() + (found.shared_share - shared).abs();
        assert!(off < 1e-12, "{sockets}: {found:?}");
    }
}

/// A one-socket sibling of the 7410 with two channels of DDR2-667 (10.67 GB/s) at 1 GB/s of reads from
/// disk: lines missed by cores and the share of them written back, one pass of DMA in and one out. With
/// the shared misses of four sockets, all in memory, they would exceed the peak.
#[test]
fn a_sibling_with_one_socket_needs_less_than_its_memory_has() {
    let stack = Stack::fishworks_2009();
    let lines = stack.misses_per_byte + stack.storage.disk_misses_per_byte;
    let bytes = |relative: f64| lines * relative * 64.0 * (1.0 + stack.written_share) + 2.0;
    let one = bytes(stack.misses_on(1).relative);
    assert!(one < 0.75 * 10.67, "{one} GB/s");
    assert!(bytes(1.0) > 10.67, "{} GB/s", bytes(1.0));
}

/// By hand: 0.2 instructions at 2 cycles each, AES-GCM of 3 cycles and two checksums of 0.5 cycles are
/// 4.4 cycles per byte; with a cipher of 1 cycle on any processor, 2.4.
#[test]
fn encryption_and_checksums_cost_what_they_take_the_socket() {
    let socket = SocketPart {
        base_cpi: 2.0,
        aes_gcm_cycles: 3.0,
        crc32c_cycles: 0.5,
        ..SocketPart::default()
    };
    let mut stack = Stack {
        instructions_per_byte: 0.2,
        aes_gcm_passes: 1.0,
        crc32c_passes: 2.0,
        ..Stack::default()
    };
    let cycles = |stack: &Stack| 2.0 * stack.instructions_for_each_byte(&socket);
    assert!((cycles(&stack) - 4.4).abs() < 1e-12);
    stack.aes_gcm_cycles = 1.0;
    assert!((cycles(&stack) - 2.4).abs() < 1e-12);
}

/// By hand: 100 instructions and half of one a byte at 2 cycles each, and AES-GCM of 3 cycles, are 200 and
/// 4 cycles a byte: 4,200 for 1,000 bytes. The thread of a connection encrypts its messages.
#[test]
fn the_thread_of_a_connection_encrypts() {
    let socket = SocketPart {
        base_cpi: 2.0,
        aes_gcm_cycles: 3.0,
        ..SocketPart::default()
    };
    let stack = Stack {
        connection_instructions_per_operation: 100.0,
        connection_instructions_per_byte: 0.5,
        aes_gcm_passes: 1.0,
        ..Stack::default()
    };
    assert!((stack.connection_cycles(1000.0, 0.0, &socket) - 4200.0).abs() < 1e-9);
}

/// By hand: MD5 of 5 cycles, two SHA-256 of 8 and a code of 0.5 are 21.5 cycles per written byte.
#[test]
fn hashes_and_codes_of_written_bytes_cost_what_they_take_the_socket() {
    let socket = SocketPart {
        base_cpi: 0.5,
        md5_cycles: 5.0,
        sha256_cycles: 8.0,
        code_cycles: 0.5,
        ..SocketPart::default()
    };
    let stack = Stack {
        write_md5_passes: 1.0,
        write_sha256_passes: 2.0,
        write_code_passes: 1.0,
        ..Stack::default()
    };
    assert!((0.5 * stack.instructions_for_each_written_byte(&socket) - 21.5).abs() < 1e-12);
    assert_eq!(Stack::default().instructions_for_each_written_byte(&socket), 0.0);
}

/// The object gateway of Ceph encrypts at what it takes the processor, and on the processors of its
/// source it needs the published cycles of threads: 2.13 ns of two threads a core at 2.7 GHz.
#[test]
fn the_object_gateway_encrypts_by_processor() {
    let stack = Stack::named("ceph-rgw-tls-2025").expect("built in");
    let cycles = |name: &str| {
        let socket = bandgraph_hardware::catalogue()
            .socket(name)
            .expect("in the catalogue");
        stack.instructions_for_each_byte(socket) * socket.base_cpi
    };
    let published = 2.13e-9 * 2.7e9 / 2.0;
    assert!(
        (cycles("xeon-6438n") / published - 1.0).abs() < 0.02,
        "{}",
        cycles("xeon-6438n")
    );
    let apart = cycles("epyc-7742") / 0.8 - cycles("xeon-6438n") / 0.65;
    assert!((apart - (0.8 / 0.8 - 0.22 / 0.65)).abs() < 1e-9, "{apart}");
}

/// By hand: a plain protocol has neither the cipher nor the instructions of records, whatever the profile
/// serves beside it.
#[test]
fn plain_protocols_do_not_pay_for_encryption() {
    let stack = Stack::named("ceph-rgw-tls-2025").expect("built in");
    let of = |protocol| {
        let mix = bandgraph_workload::Mix::single(bandgraph_workload::OperationKind::Read);
        let mut workload = Workload::new("w", "c", mix);
        workload.protocol = protocol;
        stack.of_workload(&workload).into_owned()
    };
    let (plain, tls) = (of(ProtocolKind::S3), of(ProtocolKind::S3Tls));
    assert_eq!(tls, stack);
    assert_eq!(
        (plain.aes_gcm_passes, plain.encryption_instructions_per_byte),
        (0.0, 0.0)
    );
    let socket = SocketPart {
        base_cpi: 1.0,
        aes_gcm_cycles: 0.25,
        ..SocketPart::default()
    };
    let apart = tls.instructions_for_each_byte(&socket) - plain.instructions_for_each_byte(&socket);
    assert!((apart - 1.15).abs() < 1e-12, "{apart}");
}

/// Direct I/O of a local process has no copy, unless a cache of the software, which is not the kernel's
/// pages, stays in between; and a server copies for its network whatever its drives do.
#[test]
fn direct_io_has_no_copy() {
    let copies = |name: &str, protocol, direct| {
        let stack = Stack::named(name).expect("built in");
        let mix = bandgraph_workload::Mix::single(bandgraph_workload::OperationKind::Read);
        let mut workload = Workload::new("w", "c", mix);
        (workload.protocol, workload.direct) = (protocol, direct);
        stack.of_workload(&workload).misses_for_each_byte(64.0) > 0.0
    };
    let host = ProtocolKind::Host;
    assert!(copies("linux-local-2009", host, false));
    assert!(!copies("linux-local-2009", host, true));
    assert!(!copies("linux-local-2020", host, true));
    // What a scenario says is found in the cache is copied from there.
    let mut hits = Workload::new(
        "w",
        "c",
        bandgraph_workload::Mix::single(bandgraph_workload::OperationKind::Read),
    );
    (hits.protocol, hits.direct) = (host, true);
    hits.hit_rate = Some(bandgraph_units::Fraction::new(0.5));
    let stack = Stack::named("linux-local-2009").expect("built in");
    assert!(stack.of_workload(&hits).misses_for_each_byte(64.0) > 0.0);
    assert!(copies("openzfs-local-2022", host, true));
    assert!(copies("samba-2020", ProtocolKind::Smb2, true));
}

/// Encryption is slow on processors before 2010 and fast on later ones; published figures of one core:
/// 11.48 GB/s at 3.5 GHz on a Xeon 8375C, 1.0 cycles on Haswell, 0.63 on Skylake.
#[test]
fn encryption_depends_on_the_processor() {
    let stack = Stack::named("freebsd-sendfile-ktls-2021").expect("built in");
    let parts = bandgraph_hardware::catalogue();
    let cycles = |name: &str| {
        let socket = parts.socket(name).expect("in the catalogue");
        let plain = Stack::named("freebsd-sendfile-2021").expect("built in");
        let of = |stack: &Stack| stack.instructions_for_each_byte(socket) * socket.base_cpi;
        of(&stack) - of(&plain)
    };
    for (name, least, most) in [
        ("opteron-8356", 15.0, 26.0),
        ("xeon-x5570", 13.0, 25.0),
        ("xeon-x5680", 2.8, 3.9),
        ("xeon-e5-2697-v3", 1.0, 1.4),
        ("xeon-8160", 0.6, 1.0),
        ("xeon-8375c", 0.27, 0.4),
        ("epyc-9655", 0.15, 0.3),
    ] {
        let found = cycles(name);
        assert!((least..=most).contains(&found), "{name}: {found}");
    }
    assert_eq!(stack.aes_gcm_passes, 1.0);
    let card = Stack::named("freebsd-sendfile-nic-ktls-2021").expect("built in");
    assert_eq!(card.aes_gcm_passes, 0.0);
}

#[test]
fn a_larger_cache_misses_less_by_a_power_of_its_size() {
    let mut stack = Stack::fishworks_2009();
    let misses = |stack: &Stack, mib: f64| stack.misses_for_each_operation(Bytes::new(mib * MIB));
    assert_eq!(misses(&stack, 2.0), stack.misses_per_operation);
    assert_eq!(misses(&stack, 0.0), stack.misses_per_operation);
    // A cache of four times the size, with the square root rule: half of the misses.
    stack.cache_exponent = 0.5;
    assert!((misses(&stack, 8.0) - stack.misses_per_operation / 2.0).abs() < 1e-9);
}

#[test]
fn what_is_set_is_there_and_what_is_wrong_changes_nothing() {
    let mut stack = Stack::fishworks_2009();
    let set = |stack: &mut Stack, name: &str, value: FieldValue| stack.set(name, value).expect("valid");
    set(&mut stack, "instructions_per_byte", FieldValue::Number(0.7));
    set(&mut stack, "homes", FieldValue::Text("local".to_owned()));
    assert_eq!(
        (stack.instructions_per_byte, stack.homes),
        (0.7, MemoryHomes::Local)
    );
    set(
        &mut stack,
        "thread_shares",
        FieldValue::Text("2, 1 1.5 0".to_owned()),
    );
    assert_eq!(*stack.thread_shares, [2.0, 1.0, 1.5, 0.0]);
    set(&mut stack, "zero_copy", FieldValue::Flag(false));
    // A copy reads one line and writes another per 64 bytes.
    assert_eq!(
        stack.misses_for_each_byte(64.0),
        stack.misses_per_byte + 2.0 / 64.0
    );
    set(&mut stack, "copy_misses", FieldValue::Number(0.5));
    assert_eq!(
        stack.misses_for_each_byte(64.0),
        stack.misses_per_byte + 0.5 / 64.0
    );
    set(&mut stack, "thread_binding", FieldValue::Flag(false));
    assert!(stack.misses_for_each_operation(Bytes::ZERO) > stack.misses_per_operation);
    let before = stack.clone();
    for (name, value) in [
        ("written_share", FieldValue::Number(1.5)),
        ("instructions_per_byte", FieldValue::Number(-1.0)),
        ("instructions_per_byte", FieldValue::Number(f64::NAN)),
        ("homes", FieldValue::Text("elsewhere".to_owned())),
        ("instructions", FieldValue::Number(1.0)),
        ("misses_per_byte", FieldValue::Text("many".to_owned())),
        ("thread_shares", FieldValue::Text("1 -1".to_owned())),
        ("thread_shares", FieldValue::Text("0 0".to_owned())),
        ("home_shares", FieldValue::Text("NaN".to_owned())),
        ("home_shares", FieldValue::Text("a b".to_owned())),
        ("zero_copy", FieldValue::Number(1.0)),
    ] {
        assert!(stack.set(name, value).is_err(), "{name}");
    }
    assert_eq!(stack, before);
}
