//! The chassis of a server: board, fans, power supplies.

use bandgraph_config::AssumedRange;
use bandgraph_units::{Fraction, Power};

use crate::part::part;

part! {
    /// The case of a server with its board, its fans and its power supplies.
    ChassisPart, Chassis = "chassis" {
        /// Power of the board, the service processor and the fans when the server is idle, and of all that is
        /// no part of its own. What the supplies lose whatever they deliver belongs here too.
        idle_power: Power = "0 W", required, at_most(1e6),
            assumed(AssumedRange(0.6, 1.5, "±40 to 50 %: fans, and boards with more controllers"));
        /// The same when all cores are busy: fans turn faster.
        active_power: Power = "0 W", required, at_most(1e6),
            assumed(AssumedRange(0.6, 1.5, "±40 to 50 %: fans, and boards with more controllers"));
        /// Share of what the power supplies draw that reaches the server, for every further watt.
        supply_efficiency: Fraction = "100 %", positive, at_least(0.01), at_most(1.0);
    }
}
