//! The mean wait of a command at a device, in closed form.

/// Mean wait of an arriving command, in services: the mean queue at each of several copies, plus the residual
/// service of the command in service.
pub(crate) fn before(waiting: f64, busy: f64, copies: f64, variation: f64) -> f64 {
    waiting + met(busy, copies) * (1.0 + variation) / 2.0
}

/// Commands in service that an arriving command waits for.
pub(crate) fn met(busy: f64, copies: f64) -> f64 {
    libm::pow(busy, (2.0 * (copies + 1.0)).sqrt() - 1.0) / copies
}

#[cfg(test)]
mod tests {
    use bandgraph_testkit::oracle::{ClosedFcfs, ClosedNetwork, Service};

    use super::*;

    /// Commands/s of customers who each send one command at a time to random devices with a mean service of
    /// one second, by the formula of this module.
    fn throughput(customers: f64, devices: f64, copies: f64, variation: f64) -> f64 {
        let others = 1.0 - 1.0 / customers;
        let (mut waiting, mut rate) = (0.0, customers);
        for _ in 0..10_000 {
            let busy = (rate / devices * others).min(1.0);
            let wait = before(waiting * others, busy, copies, variation);
            rate = customers / (1.0 + wait);
            waiting += 0.2 * (rate / devices * wait - waiting);
        }
        rate
    }

    /// With exponential service, mean value analysis is exact. The error is largest for two devices: 2 % for
    /// two or more customers.
    #[test]
    fn exponential_service_is_within_3_per_cent_of_exact_mean_value_analysis() {
        for devices in [1_u32, 2, 4, 24, 192] {
            let network = ClosedNetwork {
                demands: vec![1.0 / f64::from(devices); devices as usize],
                think: 0.0,
            };
            for customers in [1_u32, 2, 5, 10, 50, 200, 1000] {
                let exact = network.throughput(customers);
                let found = throughput(f64::from(customers), f64::from(devices), 1.0, 1.0);
                let error = found / exact - 1.0;
                assert!(error.abs() < 0.03, "{customers} on {devices}: {error:+.4}");
            }
        }
    }

    /// The audit's cases: constant service, a random device, or the copy of a mirror with the shorter queue.
    #[test]
    fn fixed_service_is_within_6_per_cent_of_a_simulation() {
        for (customers, devices) in [
            (50, 192),
            (100, 192),
            (200, 192),
            (400, 192),
            (1000, 192),
            (8, 2),
            (16, 16),
            (32, 64),
            (64, 256),
        ] {
            for copies in [1, 2] {
                let closed = ClosedFcfs {
                    customers,
                    devices,
                    copies,
                    service: Service::Fixed,
                };
                let simulated = closed.throughput(7, 400_000);
                let found = throughput(customers as f64, devices as f64, copies as f64, 0.0);
                let error = found / simulated - 1.0;
                assert!(
                    error.abs() < 0.06,
                    "{customers} on {devices}/{copies}: {error:+.4}"
                );
            }
        }
    }
}
