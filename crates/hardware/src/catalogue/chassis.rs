//! Servers without their processors, memory, cards and disks.

use bandgraph_units::{Fraction, Power};

use crate::parts::ChassisPart;

pub(super) fn entries() -> Vec<ChassisPart> {
    vec![
        ChassisPart {
            name: "sun-netra-x4250".to_owned(),
            source: "fitted to netra-tiny-idle (174 W), with the other parts of that configuration as the catalogue has \
                     them, and with all that says nothing of its power in it; assumption: 12 W more for fans at full load; assumption: 88 % of every further watt reaches \
                     the server (two supplies of 658 W that share the load)"
                .to_owned(),
            idle_power: Power::new(87.1),
            active_power: Power::new(99.1),
            supply_efficiency: Fraction::new(0.88),
        },
        ChassisPart {
            name: "generic-2u".to_owned(),
            source: "assumption: 60 W of board, service processor and fans, 120 W with all cores busy, supplies of the \
                     80 Plus Platinum grade (94 % at half load)"
                .to_owned(),
            idle_power: Power::new(60.0),
            active_power: Power::new(120.0),
            supply_efficiency: Fraction::new(0.94),
        },
    ]
}
