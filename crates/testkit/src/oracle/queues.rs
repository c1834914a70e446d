//! Closed forms of queueing theory (Kleinrock, "Queueing Systems", volume 1; Reiser and Lavenberg, "Mean-value analysis
//! of closed multichain queuing networks", 1980).

/// Mean wait in a queue with one server, without the service itself. Poisson arrivals at `arrival_rate`, exponential
/// service at `service_rate`, both per second, the first below the second.
pub fn mm1_wait(arrival_rate: f64, service_rate: f64) -> f64 {
    let utilisation = arrival_rate / service_rate;
    utilisation / (service_rate - arrival_rate)
}

/// The probability that an arrival has to wait with `servers` servers under a load of `offered` erlangs, below
/// `servers`.
pub fn erlang_c(servers: u32, offered: f64) -> f64 {
    // The blocking probability without a queue, by its recursion; then the probability with one.
    let blocking = (1..=servers).fold(1.0, |blocking, server| {
        offered * blocking / (f64::from(server) + offered * blocking)
    });
    let utilisation = offered / f64::from(servers);
    blocking / (1.0 - utilisation * (1.0 - blocking))
}

/// Mean wait in a queue with several servers, without the service itself. Rates are per second and of one server.
pub fn mmc_wait(arrival_rate: f64, service_rate: f64, servers: u32) -> f64 {
    erlang_c(servers, arrival_rate / service_rate) / (f64::from(servers) * service_rate - arrival_rate)
}

/// A closed network of queues with one class of customers, solved exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosedNetwork {
    /// Seconds of service that a customer needs at each queue in one round, visits counted in.
    pub demands: Vec<f64>,
    /// Seconds of a round that pass outside of all queues.
    pub think: f64,
}

impl ClosedNetwork {
    /// Rounds per second with so many customers, by exact mean value analysis.
    pub fn throughput(&self, customers: u32) -> f64 {
        let mut queues = vec![0.0; self.demands.len()];
        let mut throughput = 0.0;
        for count in 1..=customers {
            let times: Vec<f64> = self
                .demands
                .iter()
                .zip(&queues)
                .map(|(demand, queue)| demand * (1.0 + queue))
                .collect();
            throughput = f64::from(count) / (self.think + times.iter().sum::<f64>());
            queues = times.iter().map(|time| throughput * time).collect();
        }
        throughput
    }

    /// Mean seconds of a round outside of thinking, with so many customers; at least one.
    pub fn response(&self, customers: u32) -> f64 {
        f64::from(customers) / self.throughput(customers) - self.think
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_by_hand() {
        // Half load: as long a wait as a service.
        assert!((mm1_wait(0.5, 1.0) - 1.0).abs() < 1e-12);
        assert!((erlang_c(1, 0.5) - 0.5).abs() < 1e-12);
        assert!((mmc_wait(0.5, 1.0, 1) - mm1_wait(0.5, 1.0)).abs() < 1e-12);
        // Two servers at one erlang: one arrival in three waits.
        assert!((erlang_c(2, 1.0) - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn closed_networks_by_hand() {
        // Two equal queues of 1 s: n customers make n / (n + 1) rounds a second.
        let network = ClosedNetwork {
            demands: vec![1.0, 1.0],
            think: 0.0,
        };
        for customers in 1..20 {
            let expected = f64::from(customers) / f64::from(customers + 1);
            assert!((network.throughput(customers) - expected).abs() < 1e-12);
        }
        let alone = ClosedNetwork {
            demands: vec![0.25, 0.5],
            think: 2.0,
        };
        assert!((alone.response(1) - 0.75).abs() < 1e-12);
        assert_eq!(alone.throughput(0), 0.0);
    }
}
