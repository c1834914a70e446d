//! The flows of one class: a virtual clock and a heap of finish tags.
//!
//! All flows of a class run at one rate, so that one clock serves them all: it shows the work that a flow
//! would have done since the clock was last zero. A flow of work `w` that starts when the clock shows `v` is
//! done when it shows the *tag* `v + w`. The class's pace (see `paces.rs`) drives the clock. The pace's
//! reading replaces time here: per unit of it, the clock advances by the class's factor.
//!
//! Exactness. The clock stops at a tag: at a completion it is *set* to the tag, so that rounding of the
//! reading does not accumulate as lost or gained work. The clock returns to zero when the class is empty, and
//! is moved back when it is so large relative to the work of a new flow that tags would be rounded coarsely;
//! the step of that move is a multiple of the last digit of the largest tag, which makes every subtraction
//! exact.

use crate::sum::Sum;
use crate::time::Time;

/// Maximum ratio of the clock to the work of a new flow before the clock is moved back.
const CLOCK_LIMIT: f64 = 4_096.0;
/// Ratio beyond which the clock is moved back even shortly after the previous move.
const CLOCK_URGENT: f64 = 1.1e12;

/// One flow in flight: 32 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flow {
    finish: f64,
    /// Order of starting, which is the tie-break for equal finish tags.
    order: u64,
    pub(crate) tag: u64,
    pub(crate) started: Time,
}

impl Flow {
    fn is_before(&self, other: &Self) -> bool {
        self.finish < other.finish || (self.finish == other.finish && self.order < other.order)
    }
}

/// A class's flows and accounts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flows {
    /// 4-ary min-heap by tag.
    heap: Vec<Flow>,
    clock: f64,
    /// The pace's reading when the clock was last set.
    at: f64,
    /// Work of one flow per unit of the reading.
    factor: f64,
    started: u64,
    starts_since_move: usize,
    /// Work of all flows started, of all flows done, and work done by integration of the clock.
    taken_in: Sum,
    served: Sum,
    /// Sum of all tags, each of which is rounded to its last digits.
    tags: f64,
}

impl Flows {
    pub(crate) fn len(&self) -> usize {
        self.heap.len()
    }

    /// Adds a flow at time `now`, when the pace reads `reading`.
    pub(crate) fn start(&mut self, reading: f64, now: Time, work: f64, tag: u64) {
        self.advance(reading);
        if self.clock > CLOCK_LIMIT * work {
            self.move_clock_back(work);
        }
        self.taken_in.add(work);
        self.started += 1;
        self.starts_since_move += 1;
        let finish = self.clock + work;
        self.tags += finish;
        self.heap.push(Flow {
            finish,
            order: self.started,
            tag,
            started: now,
        });
        self.sift_up(self.heap.len() - 1);
    }

    /// Ends the flow that is due, at the reading of [`Flows::due`].
    pub(crate) fn finish(&mut self, reading: f64) -> Option<Flow> {
        let flow = *self.heap.first()?;
        self.served
            .add((flow.finish - self.clock) * self.heap.len() as f64);
        self.clock = flow.finish;
        self.at = reading;
        self.remove_first();
        if self.heap.is_empty() {
            self.clock = 0.0;
        }
        Some(flow)
    }

    /// Removes the flows whose tags are chosen, in the order of their completion: each with its remaining
    /// work in place of its finish tag.
    pub(crate) fn take(&mut self, reading: f64, mut is_chosen: impl FnMut(u64) -> bool) -> Vec<Flow> {
        self.advance(reading);
        let (mut taken, mut kept): (Vec<Flow>, Vec<Flow>) =
            self.heap.drain(..).partition(|flow| is_chosen(flow.tag));
        // A sorted list is a heap.
        let in_order = |a: &Flow, b: &Flow| a.finish.total_cmp(&b.finish).then(a.order.cmp(&b.order));
        taken.sort_unstable_by(in_order);
        kept.sort_unstable_by(in_order);
        self.heap = kept;
        for flow in &mut taken {
            flow.finish -= self.clock;
            self.taken_in.add(-flow.finish);
        }
        if self.heap.is_empty() {
            self.clock = 0.0;
        }
        taken
    }

    /// Adds a flow from another class, with its remaining work.
    pub(crate) fn take_in(&mut self, reading: f64, flow: Flow) {
        self.start(reading, flow.started, flow.finish, flow.tag);
    }

    /// Changes the pace: the old one reads `old`, the new one `new`, and drives the clock by `factor`.
    pub(crate) fn retune(&mut self, old: f64, new: f64, factor: f64) {
        self.advance(old);
        self.at = new;
        self.factor = factor;
    }

    /// Adjusts to a pace whose reading was moved back by `step`.
    pub(crate) fn follow(&mut self, step: f64) {
        self.at -= step;
    }

    /// The reading of the pace at which the first flow will be done.
    pub(crate) fn due(&self) -> Option<f64> {
        self.heap
            .first()
            .map(|first| self.at + (first.finish - self.clock) / self.factor)
    }

    /// Advances the clock.
    fn advance(&mut self, reading: f64) {
        if let Some(first) = self.heap.first()
            && reading != self.at
        {
            let clock = self.clock_at(reading, first);
            self.served.add((clock - self.clock) * self.heap.len() as f64);
            self.clock = clock;
        }
        self.at = reading;
    }

    fn clock_at(&self, reading: f64, first: &Flow) -> f64 {
        // Rounding of readings must move the clock neither back nor past a tag.
        (self.clock + (self.factor * (reading - self.at)).max(0.0)).min(first.finish)
    }

    /// Work done by all flows of the class so far, including those in flight.
    pub(crate) fn served(&self, reading: f64) -> f64 {
        let since = self
            .heap
            .first()
            .map_or(0.0, |first| self.clock_at(reading, first) - self.clock);
        self.served.value() + since * self.heap.len() as f64
    }

    /// Work of all flows started so far.
    pub(crate) fn taken_in(&self) -> f64 {
        self.taken_in.value()
    }

    /// Most work that rounding of tags can make or lose: a digit at the start of a flow, and one at its end.
    pub(crate) fn rounding(&self) -> f64 {
        2.0 * f64::EPSILON * self.tags
    }

    /// The tag and the remaining work of every flow in flight, in no particular order.
    pub(crate) fn left(&self, reading: f64) -> impl Iterator<Item = (u64, f64)> + '_ {
        let clock = self
            .heap
            .first()
            .map_or(0.0, |first| self.clock_at(reading, first));
        self.heap.iter().map(move |flow| (flow.tag, flow.finish - clock))
    }

    /// The remaining work of the flows in flight.
    pub(crate) fn in_flight(&self, reading: f64) -> f64 {
        let mut sum = Sum::default();
        self.left(reading).for_each(|(_, left)| sum.add(left));
        sum.value()
    }

    /// Subtracts the same amount from the clock and from all tags, without rounding.
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
        // The clock and `step` are multiples of a digit that is fine enough for their difference, and so is
        // every tag: all differences are exact.
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

/// The value of the last binary digit of a float of at least zero.
pub(crate) fn last_digit(value: f64) -> f64 {
    f64::from_bits(value.to_bits() + 1) - value
}

#[cfg(test)]
mod tests {
    use super::{Flows, last_digit};
    use crate::time::Time;

    fn flows(factor: f64) -> Flows {
        let mut flows = Flows::default();
        flows.retune(0.0, 0.0, factor);
        flows
    }

    fn start(flows: &mut Flows, reading: f64, work: f64, tag: u64) {
        flows.start(reading, Time::ZERO, work, tag);
    }

    #[test]
    fn flows_finish_in_order_of_tags_and_equal_tags_in_order_of_starting() {
        let mut flows = flows(1.0);
        for (work, tag) in [(3.0, 0), (1.0, 1), (2.0, 2), (1.0, 3), (3.0, 4)] {
            start(&mut flows, 0.0, work, tag);
        }
        let mut order = Vec::new();
        while let Some(reading) = flows.due() {
            order.push((flows.finish(reading).expect("there is one").tag, reading));
        }
        assert_eq!(order, [(1, 1.0), (3, 1.0), (2, 2.0), (0, 3.0), (4, 3.0)]);
    }

    #[test]
    fn a_change_of_pace_keeps_the_work_done() {
        let mut flows = flows(2.0);
        start(&mut flows, 0.0, 10.0, 0);
        flows.retune(3.0, 100.0, 0.5);
        assert_eq!(flows.due(), Some(108.0));
        assert_eq!(flows.served(102.0), 7.0);
        assert_eq!(flows.in_flight(102.0), 3.0);
    }

    #[test]
    fn flows_that_move_keep_the_work_that_they_have_left() {
        let (mut from, mut to) = (flows(1.0), flows(0.5));
        for (work, tag) in [(3.0, 0), (1.0, 1), (2.0, 2), (4.0, 3)] {
            start(&mut from, 0.0, work, tag);
        }
        start(&mut to, 0.0, 7.0, 9);
        for flow in from.take(0.5, |tag| tag % 2 == 1) {
            to.take_in(2.0, flow);
        }
        let left = |flows: &Flows, reading: f64| {
            let mut left: Vec<(u64, f64)> = flows.left(reading).collect();
            left.sort_by_key(|&(tag, _)| tag);
            left
        };
        assert_eq!(left(&from, 0.5), [(0, 2.5), (2, 1.5)]);
        assert_eq!(left(&to, 2.0), [(1, 0.5), (3, 3.5), (9, 6.0)]);
        assert_eq!(from.taken_in(), from.served(0.5) + from.in_flight(0.5));
        assert_eq!(to.taken_in(), to.served(2.0) + to.in_flight(2.0));
        assert_eq!(to.finish(3.0).expect("it is due").tag, 1);
    }

    #[test]
    fn the_clock_is_moved_back_without_changing_what_is_left() {
        let mut flows = flows(1.0);
        start(&mut flows, 0.0, 1e9 + 0.1, 0);
        start(&mut flows, 0.0, 2e9 + 0.3, 1);
        start(&mut flows, 1e6, 3e9 + 0.7, 2);
        flows.advance(1_123_456.7);
        let left: Vec<f64> = flows.heap.iter().map(|flow| flow.finish - flows.clock).collect();
        flows.starts_since_move = 99;
        flows.move_clock_back(1.0);
        let after: Vec<f64> = flows.heap.iter().map(|flow| flow.finish - flows.clock).collect();
        assert_eq!(left, after);
        assert!(flows.clock < 1e-6, "{}", flows.clock);
    }

    #[test]
    fn a_class_that_never_empties_keeps_its_precision() {
        // Two flows of work 1 at all times, half a unit apart: a completion every half second, two million
        // times.
        let mut flows = flows(1.0);
        start(&mut flows, 0.0, 0.5, 0);
        start(&mut flows, 0.0, 1.0, 1);
        let mut reading = 0.0;
        for completion in 1..=2_000_000_u32 {
            reading = flows.due().expect("there are two");
            assert_eq!(reading, 0.5 * f64::from(completion));
            flows.finish(reading);
            start(&mut flows, reading, 1.0, 0);
        }
        assert!(flows.clock < 4_097.0, "{}", flows.clock);
        assert_eq!(flows.taken_in(), flows.served(reading) + flows.in_flight(reading));
    }

    #[test]
    fn the_last_digit_of_one_is_the_machine_epsilon() {
        assert_eq!(last_digit(1.0), f64::EPSILON);
        assert_eq!(last_digit(3.0), 2.0 * f64::EPSILON);
    }
}
