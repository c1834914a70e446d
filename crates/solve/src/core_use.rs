//! The use of cores: in total, and for each kind of operation.

use bandgraph_model::{Bound, MemoryBytes, SocketModel};
use bandgraph_units::{OperationRate, Time};
use bandgraph_workload::OperationKind;

use crate::outcome::{OperationOutcome, SocketUse};
use crate::tally::ClassTotals;

/// The work on one socket per second, and its cycles, of the clock while all cores are busy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work<'a> {
    socket: &'a SocketModel,
    instructions: f64,
    serial_misses: f64,
    cycles: f64,
}

impl Work<'_> {
    /// The clock, relative to that while all cores are busy.
    fn speed(&self) -> f64 {
        self.socket.speed(self.cycles)
    }

    /// Cycles that wait for memory.
    fn stalled(&self) -> f64 {
        (self.cycles - self.socket.executing(self.instructions, self.speed())).max(0.0)
    }

    /// Mean wait of a serial miss, cycles.
    fn stall(&self) -> f64 {
        if self.serial_misses > 0.0 {
            self.stalled() / self.serial_misses
        } else {
            0.0
        }
    }
}

/// The work on every socket, from the rates of classes and resources.
pub(crate) fn works<'a>(bound: &'a Bound, totals: &[ClassTotals], resource_rates: &[f64]) -> Vec<Work<'a>> {
    let sockets = bound.sockets.iter().enumerate();
    sockets
        .map(|(index, socket)| {
            let (mut instructions, mut serial_misses) = (0.0, 0.0);
            for (class, totals) in bound.classes.iter().zip(totals) {
                instructions += totals.operations_per_second * class.work[index].instructions;
                serial_misses += totals.operations_per_second * class.work[index].serial_misses;
            }
            Work {
                socket,
                instructions,
                serial_misses,
                cycles: resource_rates[socket.cpu],
            }
        })
        .collect()
}

/// The use of the cores of every socket.
pub(crate) fn sockets(bound: &Bound, totals: &[ClassTotals], works: &[Work<'_>]) -> Vec<SocketUse> {
    let mut memory = vec![MemoryBytes::default(); bound.sockets.len()];
    for (class, totals) in bound.classes.iter().zip(totals) {
        for (sum, bytes) in memory.iter_mut().zip(class.memory.iter()) {
            sum.add(*bytes, totals.operations_per_second);
        }
    }
    let works = works.iter().zip(memory);
    works
        .map(|(work, memory)| {
            let capacity = bound.resources[work.socket.cpu].capacity;
            SocketUse {
                id: work.socket.id.clone(),
                busy: work.cycles / capacity,
                stalled: work.stalled() / capacity,
                cycles_per_instruction: if work.instructions > 0.0 {
                    work.cycles * work.speed() / work.instructions
                } else {
                    work.socket.executing(1.0, 1.0)
                },
                miss_latency: Time::new(if work.serial_misses > 0.0 {
                    work.stalled() / (work.serial_misses * work.socket.clock)
                } else {
                    0.0
                }),
                memory,
            }
        })
        .collect()
}

/// Each kind of operation of a workload.
pub(crate) fn by_operation(
    bound: &Bound,
    totals: &[ClassTotals],
    works: &[Work<'_>],
    workload: usize,
) -> Vec<OperationOutcome> {
    let stalls: Vec<f64> = works.iter().map(Work::stall).collect();
    let mut found = [OperationSums::default(); OperationKind::ALL.len()];
    for (class, totals) in bound.classes.iter().zip(totals) {
        if class.workload != workload {
            continue;
        }
        let rate = totals.operations_per_second;
        let sums = &mut found[class.operation as usize];
        sums.rate += rate;
        sums.seconds += rate * totals.mean_latency;
        sums.disk_bytes += rate * class.disk;
        for ((work, socket), stall) in class.work.iter().zip(works).zip(&stalls) {
            sums.instructions += rate * work.instructions;
            let executing = socket.socket.executing(work.instructions, 1.0);
            sums.cycles += rate * (executing + work.serial_misses * stall * socket.speed());
        }
    }
    let kinds = OperationKind::ALL.iter().zip(found);
    kinds
        .filter(|(_, sums)| sums.rate > 0.0)
        .map(|(&operation, sums)| OperationOutcome {
            operation,
            rate: OperationRate::new(sums.rate),
            latency: Time::new(sums.seconds / sums.rate),
            instructions: sums.instructions / sums.rate,
            cycles: sums.cycles / sums.rate,
            disk_bytes: sums.disk_bytes / sums.rate,
        })
        .collect()
}

/// Sums over the operations of a kind per second.
#[derive(Clone, Copy, Debug, Default)]
struct OperationSums {
    rate: f64,
    seconds: f64,
    instructions: f64,
    cycles: f64,
    disk_bytes: f64,
}
