//! The path between memory and devices: disks, SAS ports, adapters, slots, bridges, lines.
//!
//! Records are spread over the groups of a pool evenly, or by their capacity, so that identical disks have
//! the same load in any enclosure: an operation uses its share of every one of them at once. One of them
//! then represents all, with its own share of the load and its own capacity, with the same result as all
//! of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bandgraph_hardware::{DrivePart, hypertransport::lines, sas};
use bandgraph_topology::{DrivePath, Resource, ResourceTable, Role, Topology, Unit};
use bandgraph_units::Bytes;

use super::array::Array;
use super::bank::{Bank, FLASH_PAGE};
use super::case::{Transfer, Work};
use super::layout::Layout;
use super::{Pool, PoolKind, SsdSeat, Storage, StorageCosts, StorageError, WriteMethod};
use crate::cards::{Buffers, Cards};
use crate::coherence::{Coherence, Ledger};
use crate::demand::DeviceUse;

/// Resources with equal load, and the one that represents them in the demands.
#[derive(Clone, Debug, PartialEq)]
pub struct EqualResources {
    /// The resource in the demands.
    pub index: usize,
    /// All represented resources, including itself.
    pub all: Vec<usize>,
}

/// A path to the disks of a pool in one enclosure. An enclosure with two paths spreads commands evenly over
/// both.
#[derive(Clone, Debug)]
struct ShelfPath {
    path: DrivePath,
    /// Share of the pool's data on this path.
    share: f64,
}

/// Disks of one part in a pool.
#[derive(Clone, Debug)]
pub(super) struct DriveGroup {
    pub(super) part: DrivePart,
    /// Its bank.
    pub(super) bank: usize,
    /// Number of disks.
    pub(super) devices: usize,
    /// Share of the pool's data on all of them.
    pub(super) share: f64,
    /// Resources of the demand: one, or all of them.
    booked: Vec<usize>,
}

/// What cards add to the data that is written.
#[derive(Clone, Copy, Debug)]
struct ByCards {
    /// Whether rows of chunks have parity, which a card may make.
    parity: bool,
    /// Bytes that go to the cards for a byte on the disks: less than one if they make copies or parity.
    sent: f64,
}

impl ByCards {
    const NOTHING: Self = Self {
        parity: false,
        sent: 1.0,
    };
}

/// The disks of a pool.
#[derive(Clone, Debug)]
pub(super) struct Disks {
    pub(super) count: f64,
    shelves: Vec<ShelfPath>,
    pub(super) groups: Vec<DriveGroup>,
    pub(super) layout: Layout,
    by_cards: ByCards,
    /// What software does for its arrays, if it makes them.
    pub(super) array: Option<Array>,
    /// Memory of its cards that keeps what they took for the disks if power fails; zero if one has none.
    pub(super) write_cache: Bytes,
}

impl Disks {
    /// Whether its cards keep what they took for the disks if power fails.
    pub(super) fn keeps_writes(&self) -> bool {
        self.write_cache > Bytes::ZERO
    }

    /// Finds the disks of a pool and their representatives. `taken` has, by enclosure, the disks of the pools
    /// before it.
    pub(super) fn find(
        pool: &Pool,
        topology: &Topology,
        costs: &StorageCosts,
        every_disk: bool,
        taken: &mut BTreeMap<String, usize>,
        representatives: &mut Vec<EqualResources>,
        banks: &mut Vec<Bank>,
    ) -> Result<Self, StorageError> {
        let most = pool.most_of_drive(topology, costs);
        let mut shelves = Vec::new();
        let mut groups: Vec<(DrivePart, Vec<usize>)> = Vec::new();
        let (mut count, mut room) = (0, 0.0);
        for (jbod, used) in pool.disks(topology) {
            let first = taken.entry(jbod.id.clone()).or_default();
            let there = (jbod.disks.len() - *first) as u64;
            let asked = pool.disks_per_jbod.map_or(there, u64::from);
            if asked > there {
                return Err(StorageError::NotEnoughDisks {
                    pool: pool.id.clone(),
                    jbod: jbod.id.clone(),
                    asked,
                    there,
                });
            }
            count += used;
            let usable = used as f64 * jbod.disk.capacity().min(most).get();
            room += usable;
            let each = usable / jbod.paths.len() as f64;
            shelves.extend(jbod.paths.iter().map(|&path| (path, each)));
            let resources = jbod.disks[*first..][..used].iter().map(|disk| disk.index());
            *first += asked as usize;
            match groups.iter_mut().find(|(part, _)| *part == jbod.disk) {
                Some((_, disks)) => disks.extend(resources),
                None => groups.push((jbod.disk.clone(), resources.collect())),
            }
        }
        check_groups(pool, count as u64)?;
        let layout = Layout::new(pool, pool.sector(topology));
        groups.retain(|(_, disks)| !disks.is_empty());
        let groups = groups.into_iter().map(|(part, disks)| {
            let booked = if every_disk { disks.clone() } else { vec![disks[0]] };
            let piece = Bytes::new(pool.run().get() / layout.pieces_of_run());
            let span = pool.span(&part, most, 1.0);
            // An arm stays for all of it; flash takes other commands between pages.
            let at_once = match part {
                DrivePart::Disk(_) => piece,
                DrivePart::Ssd(_) => Bytes::new(piece.get().min(FLASH_PAGE)),
            };
            let run = part.random_access(false, at_once, span, part.queue_depth() as f64);
            let (bank, devices) = (banks.len(), disks.len());
            banks.push(Bank {
                devices,
                group: (pool.width() as usize).min(devices),
                mirrored: pool.kind == PoolKind::Mirror,
                span,
                sorted: 0.0,
                resources: booked.clone(),
                per_second: part.fastest_rate().get(),
                run_seconds: run.get(),
                part: part.clone(),
            });
            if !every_disk {
                representatives.push(EqualResources {
                    index: disks[0],
                    all: disks,
                });
            }
            DriveGroup {
                share: devices as f64 * part.capacity().min(most).get() / room,
                part,
                bank,
                devices,
                booked,
            }
        });
        let groups = groups.collect();
        let shelves = shelves.into_iter().filter(|&(_, used)| used > 0.0);
        let cards: BTreeSet<usize> = shelves
            .clone()
            .map(|(path, _)| match path {
                DrivePath::Card(card) => card,
                DrivePath::Sas(port) => topology.sas_ports()[port].card,
            })
            .collect();
        let parts = cards.iter().map(|&card| &topology.cards()[card].part);
        // ZFS and other software that writes in groups makes its own copies, whatever the card can do.
        let is_grouped = pool.method(costs) == WriteMethod::Groups;
        let sent = if !is_grouped && parts.clone().all(|part| part.makes_copies()) {
            layout.data_share()
        } else {
            1.0
        };
        let caches = parts.map(|part| part.write_cache());
        let write_cache = if caches.clone().all(|cache| cache > Bytes::ZERO) {
            caches.fold(Bytes::ZERO, |sum, cache| sum + cache)
        } else {
            Bytes::ZERO
        };
        Ok(Self {
            layout,
            by_cards: ByCards {
                parity: pool.kind.is_chunked(),
                sent,
            },
            array: None,
            write_cache,
            count: count as f64,
            shelves: shelves
                .map(|(path, used)| ShelfPath {
                    path,
                    share: used / room,
                })
                .collect(),
            groups,
        })
    }
}

impl Disks {
    /// The banks of the disks, with the share of the data on each.
    pub(super) fn banks(&self) -> Vec<(usize, f64)> {
        let groups = self.groups.iter();
        groups.map(|group| (group.bank, group.share)).collect()
    }

    /// The mean of a quantity over the data.
    pub(super) fn mean(&self, of: impl Fn(&DriveGroup) -> f64) -> f64 {
        self.groups.iter().map(|group| group.share * of(group)).sum()
    }
}

/// Checks that the disks divide into groups.
fn check_groups(pool: &Pool, disks: u64) -> Result<(), StorageError> {
    let width = pool.width();
    if disks == 0 {
        return Err(StorageError::NoDisks {
            pool: pool.id.clone(),
        });
    }
    let (least, most) = pool.kind.widths();
    if !(least..=most).contains(&width) {
        return Err(StorageError::Width {
            pool: pool.id.clone(),
            kind: pool.kind.as_str(),
            width,
            least,
            most,
        });
    }
    let left = disks % u64::from(width);
    if left != 0 {
        return Err(StorageError::Indivisible {
            pool: pool.id.clone(),
            disks,
            width,
            left,
        });
    }
    Ok(())
}

/// An SSD with its resource.
#[derive(Clone, Debug)]
struct Device {
    /// Busy time of the device, in the bytes that it could have moved.
    resource: usize,
    /// Units per second of busy time.
    per_second: f64,
    bank: usize,
    route: DeviceRoute,
}

/// The route to an SSD.
#[derive(Clone, Debug)]
enum DeviceRoute {
    /// Like the drives of its enclosure, evenly over its paths.
    Shelf(Vec<DrivePath>),
    /// Over its bridge only.
    Bridge(usize),
}

/// The paths to all devices.
#[derive(Clone, Debug)]
pub(super) struct Paths {
    pub(super) pools: Vec<Disks>,
    /// Devices that serve single commands.
    pub(super) banks: Arc<[Bank]>,
    devices: Vec<Device>,
}

impl Paths {
    /// Finds the disks and devices of a scenario's storage. SSDs become separate resources.
    pub(super) fn new(
        storage: &Storage,
        costs: &StorageCosts,
        topology: &Topology,
        resources: &mut ResourceTable,
        representatives: &mut Vec<EqualResources>,
    ) -> Result<Self, StorageError> {
        let pools = storage.pools.iter();
        let (mut banks, mut taken) = (Vec::new(), BTreeMap::new());
        let pools = pools.map(|pool| {
            let every_disk = storage.every_disk;
            Disks::find(
                pool,
                topology,
                costs,
                every_disk,
                &mut taken,
                representatives,
                &mut banks,
            )
        });
        let mut pools: Vec<Disks> = pools.collect::<Result<_, _>>()?;
        for (index, (disks, pool)) in pools.iter_mut().zip(&storage.pools).enumerate() {
            if disks.by_cards.sent == 1.0 {
                let arrays = disks.count / f64::from(pool.width());
                disks.array = Array::add((index, pool), arrays, costs, topology, resources);
            }
        }
        let mut devices = Vec::new();
        for (index, ssd) in storage.ssds.iter().enumerate() {
            let unknown = |seat: &str, field: &'static str| StorageError::UnknownSeat {
                ssd: ssd.id.clone(),
                seat: seat.to_owned(),
                field,
            };
            let (route, from) = match &ssd.seat {
                SsdSeat::Jbod(jbod) => {
                    let found = topology.jbods().iter().find(|other| other.id == *jbod);
                    let found = found.ok_or_else(|| unknown(jbod, "jbod"))?;
                    (DeviceRoute::Shelf(found.paths.clone()), jbod)
                }
                SsdSeat::Bridge(bridge) => {
                    let found = topology.bridge_index(bridge);
                    (
                        DeviceRoute::Bridge(found.ok_or_else(|| unknown(bridge, "bridge"))?),
                        bridge,
                    )
                }
            };
            let per_second = ssd.part.write_rate.max(ssd.part.read_rate).get();
            let resource = Resource::new(
                format!("ssd.{}", ssd.id),
                Role::Ssd { ssd: index },
                [from; 2],
                per_second,
                Unit::BytesPerSecond,
                &ssd.part.name,
            );
            let technology = DrivePart::Ssd(ssd.part.clone()).technology();
            let resource = resources.add(resource.described(|of| of.technology = technology));
            let bank = banks.len();
            banks.push(Bank {
                part: ssd.part.clone().into(),
                devices: 1,
                group: 1,
                mirrored: false,
                span: 1.0,
                sorted: 0.0,
                resources: vec![resource],
                per_second,
                run_seconds: 0.0,
            });
            devices.push(Device {
                resource,
                per_second,
                bank,
                route,
            });
        }
        Ok(Self {
            pools,
            banks: banks.into(),
            devices,
        })
    }

    /// The bank of an SSD.
    pub(super) fn bank_of_ssd(&self, ssd: usize) -> usize {
        self.devices[ssd].bank
    }

    /// Books transfers of an operation.
    pub(super) fn book(&self, booking: &mut Booking<'_, '_>, transfers: &[Transfer]) {
        for transfer in transfers {
            match &transfer.work {
                Work::Disks { pool, seconds } => {
                    if let Some(array) = &self.pools[*pool].array {
                        let (resource, cycles) = array.cycles(transfer, transfers);
                        booking.ledger.units[resource] += cycles;
                    }
                    self.book_disks(booking, *pool, seconds, transfer);
                }
                Work::Ssd { ssd, seconds } => {
                    let device = &self.devices[*ssd];
                    booking.busy(device.resource, seconds * device.per_second, transfer, 1.0);
                    match &device.route {
                        DeviceRoute::Shelf(paths) => {
                            for &path in paths {
                                booking.path(path, transfer, 1.0 / paths.len() as f64, ByCards::NOTHING);
                            }
                        }
                        DeviceRoute::Bridge(bridge) => booking.bridge(*bridge, transfer),
                    }
                }
            }
        }
    }

    fn book_disks(&self, booking: &mut Booking<'_, '_>, pool: usize, seconds: &[f64], transfer: &Transfer) {
        let disks = &self.pools[pool];
        for (group, seconds) in disks.groups.iter().zip(seconds) {
            for &disk in &group.booked {
                // The unit of the resource is bytes at the maximum rate: a second of busy time is the maximum
                // rate times one second.
                let devices = group.devices as f64;
                let units = seconds * group.share / devices * group.part.fastest_rate().get();
                booking.busy(disk, units, transfer, group.share / devices);
            }
        }
        for path in &disks.shelves {
            booking.path(path.path, transfer, path.share, disks.by_cards);
        }
    }
}

/// The destination of booked transfers.
pub(super) struct Booking<'a, 'b> {
    pub(super) topology: &'a Topology,
    pub(super) cards: &'a Cards<'b>,
    pub(super) coherence: &'a Coherence<'b>,
    pub(super) ledger: &'a mut Ledger,
    pub(super) buffers: Buffers<'a>,
}

impl Booking<'_, '_> {
    /// Books the busy time of a device, and its share of a transfer.
    fn busy(&mut self, resource: usize, units: f64, transfer: &Transfer, share: f64) {
        self.ledger.units[resource] += units;
        self.ledger.devices.push(DeviceUse {
            resource,
            write: transfer.write,
            units,
            queued: transfer.queued,
            commands: transfer.commands * share,
            bytes: transfer.bytes * share,
        });
    }

    /// Books a share of a transfer on the lanes of a SAS port, if there is one, and on the card, its slot and
    /// bridge. Writes to RAID may have copies or parity of the card.
    fn path(&mut self, path: DrivePath, transfer: &Transfer, share: f64, added: ByCards) {
        let (bytes, commands) = (transfer.bytes * share, transfer.commands * share);
        if commands <= 0.0 {
            return;
        }
        let card = match path {
            DrivePath::Card(card) => card,
            DrivePath::Sas(port) => {
                let port = &self.topology.sas_ports()[port];
                let lanes = if transfer.write {
                    port.outbound
                } else {
                    port.inbound
                };
                self.ledger.units[lanes.index()] += sas::wire_bytes(Bytes::new(bytes), commands).get();
                port.card
            }
        };
        let adapter = &self.topology.cards()[card];
        if let Some((resource, processor)) = adapter.processor.zip(adapter.part.processor()) {
            let each_byte = if added.parity && transfer.write {
                processor.with_parity
            } else {
                1.0
            };
            self.ledger.units[resource.index()] += bytes * each_byte + commands * processor.command.get();
        }
        // For a read from a disk, the adapter writes to memory.
        let write = !transfer.write;
        let sent = if transfer.write { added.sent } else { 1.0 };
        let each = bytes * sent / commands;
        self.cards.book_data(
            self.ledger,
            self.coherence,
            card,
            write,
            each,
            commands,
            self.buffers,
        );
        if let Some(command) = self.cards.command_bytes(card) {
            let in_memory = Buffers {
                cards: &[],
                ..self.buffers
            };
            let (ledger, coherence) = (&mut *self.ledger, self.coherence);
            self.cards
                .book_data(ledger, coherence, card, false, command, commands, in_memory);
        }
    }

    /// Books a transfer of a device on the bridge itself.
    fn bridge(&mut self, bridge: usize, transfer: &Transfer) {
        let each = transfer.bytes / transfer.commands;
        let lines = transfer.commands * lines(Bytes::new(each), Bytes::new(self.coherence.line()));
        let mut own = vec![0.0; self.topology.sockets().len()];
        own[self.topology.bridges()[bridge].socket] = 1.0;
        let homes = if self.buffers.at_drives {
            &own
        } else {
            self.buffers.homes
        };
        self.coherence
            .book_dma(self.ledger, bridge, !transfer.write, lines, homes);
    }
}
