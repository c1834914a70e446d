//! The operations that wait in the line of a pool.

use super::Iteration;
use crate::lines::Writers;

impl Iteration<'_> {
    /// The flow groups with operations in a line, at the rates of this round.
    pub(super) fn writers(&self, line: usize) -> Vec<Writers> {
        let mut writers = Vec::new();
        for (index, flow_group) in self.flow_groups.iter().enumerate() {
            let (mut share, mut seconds) = (0.0, Vec::new());
            for class in self.classes_of(index) {
                let of_line = self.queues.lines.of(class.class).filter(|&(of, _)| of == line);
                let Some((_, uses)) = of_line else { continue };
                share += class.share;
                for &(place, of_class) in uses {
                    seconds.resize(seconds.len().max(place + 1), 0.0);
                    seconds[place] += class.share * of_class;
                }
            }
            if share == 0.0 {
                continue;
            }
            let classes = self.classes_of(index).iter();
            let (mut throughput, mut away) = (0.0, flow_group.group.delay);
            for class in classes {
                throughput += class.throughput;
                away += class.share * class.seconds();
            }
            let is_barrier = flow_group.group.barrier;
            writers.push(Writers {
                threads: flow_group.threads,
                slots: if is_barrier {
                    f64::INFINITY
                } else {
                    flow_group.slots
                },
                cycle: if is_barrier {
                    flow_group.threads / throughput
                } else {
                    flow_group.group.think + away
                },
                away,
                share,
                seconds,
            });
        }
        writers
    }
}
