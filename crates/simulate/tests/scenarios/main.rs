//! Tests of whole scenarios: cases computed by hand, published figures, properties.

mod arrivals;
mod batch;
mod binder;
mod closed_forms;
mod cluster;
mod common;
mod compression;
mod connections;
mod disks;
mod effort;
mod interrupts;
mod jobs;
mod logs;
mod metamorphic;
mod network;
mod nodes;
mod paths;
mod peers;
mod placement;
mod power;
mod procedures;
mod replay;
mod seven_four_ten;
mod shapes;
mod spread;
mod storage;
