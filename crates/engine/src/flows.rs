//! The flows of one class: a virtual clock and a heap of finish tags.
//!
//! All flows of a class run at one rate, so one clock serves them all: it shows the work that a flow would have done since the clock
//! was last set to zero. A flow of work `w` that starts when the clock shows `v` is done when it shows the *tag* `v + w`. A change of
//! rate moves the clock on and touches no flow.
//!
//! Rules that keep the books exact. The clock stops at a tag: at a completion it is *set* to the tag, whatever the rounding of the
//! instant, so that no rounding is carried on as work lost or won. The clock returns to zero when the class is empty, and is moved back
//! when it has grown so large beside the work of a new flow that tags would round coarsely; the step of that move is a multiple
//! of the last digit of the largest tag, which makes every subtraction exact.

use crate::sum::Sum;
use crate::time::{Instant, Time};

/// The clock may show this many times the work of a new flow before it is moved back.
const CLOCK_LIMIT: f64 = 4_096.0;
/// Beyond this ratio the clock is moved back even if that was done a moment ago.
const CLOCK_URGENT: f64 = 1.1e12;

/// One flow in flight: 32 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flow {
    finish: f64,
    /// Order of starting, which decides between equal finish tags.
    order: u64,
    pub(crate) tag: u64,
    pub(crate) started: Time,
}

impl Flow {
    fn is_before(&self, other: &Self) -> bool {
        self.finish < other.finish || (self.finish == other.finish && self.order < other.order)
    }
}

/// A class's flows and books.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flows {
    /// Heap with four children to a node, least tag first.
    heap: Vec<Flow>,
    clock: f64,
    /// When the clock was last read.
    at: Instant,
    /// Rate of one flow since then, units of work/s.
    rate: f64,
    started: u64,
    starts_since_move: usize,
    /// Work of all flows started, of all done, and work done by integration of the clock.
    taken_in: Sum,
    served: Sum,
}

impl Flows {
    pub(crate) fn len(&self) -> usize {
        self.heap.len()
    }

    pub(crate) fn rate(&self) -> f64 {
        self.rate
    }

    /// Adds a flow at instant `now`.
    pub(crate) fn start(&mut self, now: Instant, work: f64, tag: u64) {
        self.advance(now);
        if self.clock > CLOCK_LIMIT * work {
            self.move_clock_back(work);
        }
        self.taken_in.add(work);
        self.started += 1;
        self.starts_since_move += 1;
        self.heap.push(Flow {
            finish: self.clock + work,
            order: self.started,
            tag,
            started: now.floor(),
        });
        self.sift_up(self.heap.len() - 1);
    }

    /// Ends the flow that is due, at the instant given by [`Flows::next_finish`].
    pub(crate) fn finish(&mut self, now: Instant) -> Option<Flow> {
        let flow = *self.heap.first()?;
        self.served
            .add((flow.finish - self.clock) * self.heap.len() as f64);
        self.clock = flow.finish;
        self.at = now;
        self.remove_first();
        if self.heap.is_empty() {
            self.clock = 0.0;
        }
        Some(flow)
    }

    /// Changes the rate of every flow, from instant `now` on.
    pub(crate) fn set_rate(&mut self, now: Instant, rate: f64) {
        self.advance(now);
        self.rate = rate;
    }

    /// When the first flow will be done at the present rate.
    pub(crate) fn next_finish(&self) -> Instant {
        match self.heap.first() {
            None => Instant::NEVER,
            Some(first) => self.at.after_seconds((first.finish - self.clock) / self.rate),
        }
    }

    /// Moves the clock on to instant `now`.
    fn advance(&mut self, now: Instant) {
        if let Some(first) = self.heap.first()
            && now != self.at
        {
            let clock = self.clock_at(now, first);
            self.served.add((clock - self.clock) * self.heap.len() as f64);
            self.clock = clock;
        }
        self.at = now;
    }

    fn clock_at(&self, now: Instant, first: &Flow) -> f64 {
        (self.clock + self.rate * now.seconds_since(self.at)).min(first.finish)
    }

    /// Work done by all flows of the class until `now`, those in flight included.
    pub(crate) fn served(&self, now: Instant) -> f64 {
        let since = self
            .heap
            .first()
            .map_or(0.0, |first| self.clock_at(now, first) - self.clock);
        self.served.value() + since * self.heap.len() as f64
    }

    /// Work of all flows started so far.
    pub(crate) fn taken_in(&self) -> f64 {
        self.taken_in.value()
    }

    /// Work that the flows in flight have yet to do at `now`.
    pub(crate) fn in_flight(&self, now: Instant) -> f64 {
        let Some(first) = self.heap.first() else {
            return 0.0;
        };
        let clock = self.clock_at(now, first);
        let mut sum = Sum::default();
        self.heap.iter().for_each(|flow| sum.add(flow.finish - clock));
        sum.value()
    }

    /// Takes the same amount off the clock and off all tags, without rounding.
    #[cold]
    fn move_clock_back(&mut self, work: f64) {
        if self.starts_since_move < self.heap.len() && self.clock < CLOCK_URGENT * work {
            return;
        }
        self.starts_since_move = 0;
        let largest = self
            .heap
            .iter()
            .fold(self.clock, |largest, flow| largest.max(flow.finish));
        let digit = last_digit(largest);
        // Both the clock and `step` are multiples of a digit no finer than needed to hold their difference, and likewise for every tag:
        // all these differences are exact.
        let step = (self.clock / digit).floor() * digit;
        self.clock -= step;
        self.heap.iter_mut().for_each(|flow| flow.finish -= step);
    }

    fn sift_up(&mut self, mut position: usize) {
        let flow = self.heap[position];
        while position > 0 {
            let parent = (position - 1) / 4;
            if !flow.is_before(&self.heap[parent]) {
                break;
            }
            self.heap[position] = self.heap[parent];
            position = parent;
        }
        self.heap[position] = flow;
    }

    fn remove_first(&mut self) {
        let Some(flow) = self.heap.pop() else { return };
        if self.heap.is_empty() {
            return;
        }
        let mut position = 0;
        loop {
            let children = 4 * position + 1..(4 * position + 5).min(self.heap.len());
            let Some(least) = children.reduce(|a, b| {
                if self.heap[b].is_before(&self.heap[a]) {
                    b
                } else {
                    a
                }
            }) else {
                break;
            };
            if !self.heap[least].is_before(&flow) {
                break;
            }
            self.heap[position] = self.heap[least];
            position = least;
        }
        self.heap[position] = flow;
    }
}

/// The value of the last binary digit of a positive float.
fn last_digit(value: f64) -> f64 {
    f64::from_bits(value.to_bits() + 1) - value
}

#[cfg(test)]
mod tests {
    use super::{Flows, last_digit};
    use crate::time::{Instant, Time};

    fn at(seconds: f64) -> Instant {
        Instant::from(Time::from_seconds(seconds))
    }

    #[test]
    fn flows_finish_in_order_of_tags_and_equal_tags_in_order_of_starting() {
        let mut flows = Flows::default();
        flows.set_rate(at(0.0), 1.0);
        for (work, tag) in [(3.0, 0), (1.0, 1), (2.0, 2), (1.0, 3), (3.0, 4)] {
            flows.start(at(0.0), work, tag);
        }
        let mut order = Vec::new();
        while flows.len() > 0 {
            let now = flows.next_finish();
            order.push((
                flows.finish(now).expect("there is one").tag,
                now.floor().as_seconds(),
            ));
        }
        assert_eq!(order, [(1, 1.0), (3, 1.0), (2, 2.0), (0, 3.0), (4, 3.0)]);
    }

    #[test]
    fn a_change_of_rate_keeps_the_work_done() {
        let mut flows = Flows::default();
        flows.set_rate(at(0.0), 2.0);
        flows.start(at(0.0), 10.0, 0);
        flows.set_rate(at(3.0), 0.5);
        assert_eq!(flows.next_finish(), at(11.0));
        assert_eq!(flows.served(at(5.0)), 7.0);
        assert_eq!(flows.in_flight(at(5.0)), 3.0);
    }

    #[test]
    fn the_clock_is_moved_back_without_changing_what_is_left() {
        let mut flows = Flows::default();
        flows.set_rate(at(0.0), 1.0);
        flows.start(at(0.0), 1e9 + 0.1, 0);
        flows.start(at(0.0), 2e9 + 0.3, 1);
        flows.start(at(1e6), 3e9 + 0.7, 2);
        let now = at(123_456.7 + 1e6);
        flows.advance(now);
        let left: Vec<f64> = flows.heap.iter().map(|flow| flow.finish - flows.clock).collect();
        flows.starts_since_move = 99;
        flows.move_clock_back(1.0);
        let after: Vec<f64> = flows.heap.iter().map(|flow| flow.finish - flows.clock).collect();
        assert_eq!(left, after);
        assert!(flows.clock < 1e-6, "{}", flows.clock);
    }

    #[test]
    fn a_class_that_never_empties_keeps_its_precision() {
        // Two flows of work 1 at all times, half a unit apart: a completion every half second, two million times.
        let mut flows = Flows::default();
        flows.set_rate(at(0.0), 1.0);
        flows.start(at(0.0), 0.5, 0);
        flows.start(at(0.0), 1.0, 1);
        let mut now = at(0.0);
        for completion in 1..=2_000_000_u32 {
            now = flows.next_finish();
            assert_eq!(now, at(0.5 * f64::from(completion)));
            flows.finish(now);
            flows.start(now, 1.0, 0);
        }
        assert!(flows.clock < 4_097.0, "{}", flows.clock);
        assert_eq!(flows.taken_in(), flows.served(now) + flows.in_flight(now));
    }

    #[test]
    fn the_last_digit_of_one_is_the_machine_epsilon() {
        assert_eq!(last_digit(1.0), f64::EPSILON);
        assert_eq!(last_digit(3.0), 2.0 * f64::EPSILON);
    }
}
