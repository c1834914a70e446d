//! Closed forms of queueing theory (Kleinrock, "Queueing Systems", volume 1; Reiser and Lavenberg,
//! "Mean-value analysis of closed multichain queuing networks", 1980).

/// Mean wait in a queue with one server, excluding service. Poisson arrivals at `arrival_rate`, exponential
/// service at `service_rate`, both per second; the first must be below the second.
pub fn mm1_wait(arrival_rate: f64, service_rate: f64) -> f64 {
    let utilisation = arrival_rate / service_rate;
    utilisation / (service_rate - arrival_rate)
}

/// The probability that an arrival waits, with `servers` servers and a load of `offered` erlangs, which must
/// be below `servers`.
pub fn erlang_c(servers: u32, offered: f64) -> f64 {
    // The blocking probability without a queue, by its recursion; then the probability with one.
    let blocking = (1..=servers).fold(1.0, |blocking, server| {
        offered * blocking / (f64::from(server) + offered * blocking)
    });
    let utilisation = offered / f64::from(servers);
    blocking / (1.0 - utilisation * (1.0 - blocking))
}

/// Mean wait in a queue with several servers, excluding service. Rates are per second; the service rate is
/// that of one server.
pub fn mmc_wait(arrival_rate: f64, service_rate: f64, servers: u32) -> f64 {
    erlang_c(servers, arrival_rate / service_rate) / (f64::from(servers) * service_rate - arrival_rate)
}

/// A closed network of queues with one class of customers, solved exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosedNetwork {
    /// Seconds of service per round at each queue, over all visits.
    pub demands: Vec<f64>,
    /// Seconds of a round outside of all queues.
    pub think: f64,
}

impl ClosedNetwork {
    /// Rounds per second with this number of customers, by exact mean value analysis.
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

    /// Mean seconds of a round without think time, with this number of customers; at least one.
    pub fn response(&self, customers: u32) -> f64 {
        f64::from(customers) / self.throughput(customers) - self.think
    }
}

/// Rounds per second of every kind of customers that think and then share one server, by exact mean value
/// analysis. Each kind has a number of customers, a service time and a think time in seconds. The server is
/// processor sharing, so that only the means matter. Slow for more than two kinds of ten.
pub fn shared_server(kinds: &[(u32, f64, f64)]) -> Vec<f64> {
    let with_one_less = |kind: usize| {
        let mut fewer = kinds.to_vec();
        fewer[kind].0 -= 1;
        fewer
    };
    let throughput = |(kind, &(count, service, think)): (usize, &(u32, f64, f64))| {
        if count == 0 {
            return 0.0;
        }
        // An arriving customer sees the average state without itself.
        let fewer = with_one_less(kind);
        let there: f64 = shared_server(&fewer)
            .iter()
            .zip(&fewer)
            .map(|(rounds, &(count, _, think))| f64::from(count) - rounds * think)
            .sum();
        f64::from(count) / (think + service * (1.0 + there))
    };
    kinds.iter().enumerate().map(throughput).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_by_hand() {
        // Half load: the wait equals the service time.
        assert!((mm1_wait(0.5, 1.0) - 1.0).abs() < 1e-12);
        assert!((erlang_c(1, 0.5) - 0.5).abs() < 1e-12);
        assert!((mmc_wait(0.5, 1.0, 1) - mm1_wait(0.5, 1.0)).abs() < 1e-12);
        // Two servers at one erlang: one arrival in three waits.
        assert!((erlang_c(2, 1.0) - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn closed_networks_by_hand() {
        // Two equal queues of 1 s: n customers make n / (n + 1) rounds/s.
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

    #[test]
    fn kinds_that_are_alike_are_one_kind() {
        let network = ClosedNetwork {
            demands: vec![0.25],
            think: 2.0,
        };
        let rounds = shared_server(&[(2, 0.25, 2.0), (3, 0.25, 2.0)]);
        assert!((rounds[0] + rounds[1] - network.throughput(5)).abs() < 1e-12);
        assert!((rounds[0] / 2.0 - rounds[1] / 3.0).abs() < 1e-12);
        // One customer of each kind: an arrival finds the other present for 1 s of 4, and for 2 s of 4.
        let rounds = shared_server(&[(1, 1.0, 3.0), (1, 2.0, 2.0)]);
        assert!((rounds[0] - 1.0 / (3.0 + 1.5)).abs() < 1e-12);
        assert!((rounds[1] - 1.0 / (2.0 + 2.0 * 1.25)).abs() < 1e-12);
    }
}
