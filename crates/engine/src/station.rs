//! A station: customers wait in one queue, first come first served, for one of k identical servers.

use std::collections::VecDeque;

use crate::time::{Instant, Time, seconds_of_steps};

/// A customer in the queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Customer {
    pub(crate) service: Time,
    pub(crate) tag: u64,
    pub(crate) arrived: Instant,
}

/// The accounts of a station since the start of the run. Differences of two readings give averages over a
/// window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StationUsage {
    /// Number of servers.
    pub servers: u32,
    /// Integral over time of the number of busy servers, server-seconds.
    pub busy_seconds: f64,
    /// Integral over time of the number waiting in the queue (without those in service), customer-seconds.
    pub queue_seconds: f64,
    /// Customers that have arrived.
    pub arrivals: u64,
    /// Customers that have been served and left.
    pub completions: u64,
    /// Busy servers now.
    pub busy: u32,
    /// Customers in the queue now.
    pub waiting: u64,
}

/// The queue, the servers and the accounts of one station. Integrals are exact: whole steps of the calendar.
#[derive(Clone, Debug)]
pub(crate) struct Station {
    servers: u32,
    busy: u32,
    queue: VecDeque<Customer>,
    arrivals: u64,
    completions: u64,
    /// The time of the last update of the integrals.
    at: Instant,
    busy_steps: u128,
    queue_steps: u128,
    /// Sum of the sojourn times of customers who left.
    sojourn_steps: u128,
    /// Sum of the arrival times of present customers.
    arrival_steps: u128,
}

impl Station {
    pub(crate) fn new(servers: u32) -> Self {
        Self {
            servers,
            busy: 0,
            queue: VecDeque::new(),
            arrivals: 0,
            completions: 0,
            at: Instant::START,
            busy_steps: 0,
            queue_steps: 0,
            sojourn_steps: 0,
            arrival_steps: 0,
        }
    }

    /// A customer arrives; returned if a server is free.
    pub(crate) fn enter(&mut self, customer: Customer) -> Option<Customer> {
        self.advance(customer.arrived);
        self.arrivals += 1;
        self.arrival_steps += customer.arrived.steps_since(Instant::START);
        if self.busy < self.servers {
            self.busy += 1;
            return Some(customer);
        }
        self.queue.push_back(customer);
        None
    }

    /// A customer who arrived at `arrived` leaves; returns the one whose service starts.
    pub(crate) fn leave(&mut self, now: Instant, arrived: Instant) -> Option<Customer> {
        self.advance(now);
        self.completions += 1;
        self.sojourn_steps += now.steps_since(arrived);
        self.arrival_steps -= arrived.steps_since(Instant::START);
        let next = self.queue.pop_front();
        if next.is_none() {
            self.busy -= 1;
        }
        next
    }

    fn advance(&mut self, now: Instant) {
        let steps = now.steps_since(self.at);
        self.busy_steps += u128::from(self.busy) * steps;
        self.queue_steps += self.queue.len() as u128 * steps;
        self.at = now;
    }

    pub(crate) fn usage(&self, now: Instant) -> StationUsage {
        let steps = now.steps_since(self.at);
        StationUsage {
            servers: self.servers,
            busy_seconds: seconds_of_steps(self.busy_steps + u128::from(self.busy) * steps),
            queue_seconds: seconds_of_steps(self.queue_steps + self.queue.len() as u128 * steps),
            arrivals: self.arrivals,
            completions: self.completions,
            busy: self.busy,
            waiting: self.queue.len() as u64,
        }
    }

    /// Little's law as an identity of integers: the integral of the number present equals the sum of the
    /// sojourn times of all who left and of those still present. On failure, the two sides in seconds.
    pub(crate) fn check_littles_law(&self, now: Instant) -> Result<(), (f64, f64)> {
        let present = u128::from(self.busy) + self.queue.len() as u128;
        let integral = self.busy_steps + self.queue_steps + present * now.steps_since(self.at);
        let still_here = present * now.steps_since(Instant::START);
        let sojourns = (self.sojourn_steps + still_here).wrapping_sub(self.arrival_steps);
        if integral == sojourns && self.arrivals == self.completions + present as u64 {
            return Ok(());
        }
        Err((seconds_of_steps(integral), seconds_of_steps(sojourns)))
    }
}
