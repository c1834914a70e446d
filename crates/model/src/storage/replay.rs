//! Block caches, one access at a time: least recently used, and the adaptive replacement cache.
//!
//! ARC is the algorithm of Megiddo & Modha, *ARC: A Self-Tuning, Low Overhead Replacement Cache*, FAST 2003,
//! figure 4: blocks seen once and blocks seen more often are in separate lists, and hits on the ids of blocks
//! recently evicted from either list (its ghosts) adapt their sizes.

use bandgraph_config::words;
use rustc_hash::FxHashMap;

words! {
    /// The replacement policy of a full cache.
    #[derive(Default)]
    pub enum Replacement: "a policy of replacement" {
        /// Adaptive replacement: blocks seen once compete with blocks seen again.
        #[default]
        Arc = "arc",
        /// Evicts the least recently used block.
        Lru = "lru",
    }
}

/// The lists of a cache; LRU only uses the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    /// Cached, recently seen once (all of them under LRU).
    Recent,
    /// Cached, recently seen at least twice.
    Frequent,
    /// Evicted from `Recent`, only the id is kept.
    RecentGhost,
    /// Evicted from `Frequent`, only the id is kept.
    FrequentGhost,
}

/// No node: the end of a list, or no block.
const NONE: u32 = u32::MAX;

/// A block in a list, linked to its neighbours.
#[derive(Clone, Copy, Debug)]
struct Node {
    block: u64,
    /// Towards the most recently used.
    newer: u32,
    older: u32,
    list: List,
}

/// The ends of a list, and its length.
#[derive(Clone, Copy, Debug)]
struct Ends {
    newest: u32,
    oldest: u32,
    len: usize,
}

/// A cache of numbered blocks. Each access takes constant time.
#[derive(Clone, Debug)]
pub struct BlockCache {
    policy: Replacement,
    capacity: usize,
    lists: [Ends; 4],
    nodes: Vec<Node>,
    unused: Vec<u32>,
    place: FxHashMap<u64, u32>,
    /// ARC's target for the number of blocks in `Recent`.
    target: f64,
    hits: u64,
    accesses: u64,
}

impl BlockCache {
    /// An empty cache for `capacity` blocks; at least one, and less than 2^31.
    pub fn new(policy: Replacement, capacity: usize) -> Self {
        let empty = Ends {
            newest: NONE,
            oldest: NONE,
            len: 0,
        };
        Self {
            policy,
            capacity: capacity.clamp(1, (NONE / 2) as usize),
            lists: [empty; 4],
            nodes: Vec::new(),
            unused: Vec::new(),
            place: FxHashMap::default(),
            target: 0.0,
            hits: 0,
            accesses: 0,
        }
    }

    /// Reads a block and returns whether it hit; it is cached afterwards.
    pub fn access(&mut self, block: u64) -> bool {
        let hit = match self.policy {
            Replacement::Lru => self.access_lru(block),
            Replacement::Arc => self.access_arc(block),
        };
        self.accesses += 1;
        self.hits += u64::from(hit);
        debug_assert!(self.len() <= self.capacity, "more blocks than the cache can hold");
        hit
    }

    /// Number of known blocks: those in the cache, and ghosts.
    pub fn known(&self) -> usize {
        self.place.len()
    }

    /// Blocks in the cache.
    pub fn len(&self) -> usize {
        self.size(List::Recent) + self.size(List::Frequent)
    }

    /// Whether there is no block in the cache.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Share of the accesses so far that were hits, 0 to 1; 0 before the first.
    pub fn hit_rate(&self) -> f64 {
        if self.accesses == 0 {
            0.0
        } else {
            self.hits as f64 / self.accesses as f64
        }
    }

    /// Resets the counts, not the blocks, so that warming up does not count.
    pub fn reset_counts(&mut self) {
        (self.hits, self.accesses) = (0, 0);
    }

    fn access_lru(&mut self, block: u64) -> bool {
        let hit = self.place.contains_key(&block);
        if !hit && self.size(List::Recent) == self.capacity {
            self.drop_oldest(List::Recent);
        }
        self.put(block, List::Recent);
        hit
    }

    /// The four cases of the algorithm.
    fn access_arc(&mut self, block: u64) -> bool {
        let capacity = self.capacity as f64;
        let (recent_ghosts, frequent_ghosts) = (
            self.size(List::RecentGhost) as f64,
            self.size(List::FrequentGhost) as f64,
        );
        match self.place.get(&block).map(|&node| self.nodes[node as usize].list) {
            Some(List::Recent | List::Frequent) => {
                self.put(block, List::Frequent);
                return true;
            }
            Some(List::RecentGhost) => {
                self.target = capacity.min(self.target + (frequent_ghosts / recent_ghosts).max(1.0));
                self.replace(false);
                self.put(block, List::Frequent);
            }
            Some(List::FrequentGhost) => {
                self.target = (self.target - (recent_ghosts / frequent_ghosts).max(1.0)).max(0.0);
                self.replace(true);
                self.put(block, List::Frequent);
            }
            None => {
                self.make_room_for_new();
                self.put(block, List::Recent);
            }
        }
        false
    }

    /// Case IV: an unknown block.
    fn make_room_for_new(&mut self) {
        let seen_once = self.size(List::Recent) + self.size(List::RecentGhost);
        let known = seen_once + self.size(List::Frequent) + self.size(List::FrequentGhost);
        if seen_once == self.capacity {
            if self.size(List::Recent) < self.capacity {
                self.drop_oldest(List::RecentGhost);
                self.replace(false);
            } else {
                self.drop_oldest(List::Recent);
            }
        } else if known >= self.capacity {
            if known == 2 * self.capacity {
                self.drop_oldest(List::FrequentGhost);
            }
            self.replace(false);
        }
    }

    /// Turns the oldest block of one list into a ghost, if the cache is full.
    fn replace(&mut self, frequent_ghost_hit: bool) {
        if self.len() < self.capacity {
            return;
        }
        let recent = self.size(List::Recent) as f64;
        let too_many = recent > self.target || (frequent_ghost_hit && recent == self.target);
        let (from, to) = if recent >= 1.0 && too_many || self.size(List::Frequent) == 0 {
            (List::Recent, List::RecentGhost)
        } else {
            (List::Frequent, List::FrequentGhost)
        };
        if let Some(block) = self.drop_oldest(from) {
            self.put(block, to);
        }
    }

    fn size(&self, list: List) -> usize {
        self.lists[list as usize].len
    }

    fn drop_oldest(&mut self, list: List) -> Option<u64> {
        let node = self.lists[list as usize].oldest;
        if node == NONE {
            return None;
        }
        self.unlink(node);
        self.unused.push(node);
        let block = self.nodes[node as usize].block;
        self.place.remove(&block);
        Some(block)
    }

    /// Makes a block the most recently used of a list.
    fn put(&mut self, block: u64, list: List) {
        let new = Node {
            block,
            newer: NONE,
            older: self.lists[list as usize].newest,
            list,
        };
        let node = if let Some(&node) = self.place.get(&block) {
            self.unlink(node);
            node
        } else {
            let node = self.unused.pop().unwrap_or_else(|| {
                self.nodes.push(new);
                (self.nodes.len() - 1) as u32
            });
            self.place.insert(block, node);
            node
        };
        let ends = &mut self.lists[list as usize];
        // The newest may have been this very block.
        let older = ends.newest;
        self.nodes[node as usize] = Node { older, ..new };
        match older {
            NONE => ends.oldest = node,
            older => self.nodes[older as usize].newer = node,
        }
        ends.newest = node;
        ends.len += 1;
    }

    fn unlink(&mut self, node: u32) {
        let Node {
            newer, older, list, ..
        } = self.nodes[node as usize];
        let ends = &mut self.lists[list as usize];
        match newer {
            NONE => ends.newest = older,
            newer => self.nodes[newer as usize].older = older,
        }
        match older {
            NONE => ends.oldest = newer,
            older => self.nodes[older as usize].newer = newer,
        }
        ends.len -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hit_rate(policy: Replacement, capacity: usize, blocks: impl Iterator<Item = u64> + Clone) -> f64 {
        let mut cache = BlockCache::new(policy, capacity);
        for block in blocks.clone() {
            cache.access(block);
        }
        cache.reset_counts();
        for block in blocks {
            cache.access(block);
        }
        cache.hit_rate()
    }

    /// Oracle: the definition of LRU, with a vector.
    fn slow_lru(capacity: usize, blocks: &[u64]) -> Vec<bool> {
        let mut stack: Vec<u64> = Vec::new();
        let mut hits = Vec::new();
        for &block in blocks {
            let found = stack.iter().position(|&other| other == block);
            hits.push(found.is_some());
            if let Some(found) = found {
                stack.remove(found);
            }
            stack.insert(0, block);
            stack.truncate(capacity);
        }
        hits
    }

    #[test]
    fn what_fits_is_always_there() {
        for policy in [Replacement::Arc, Replacement::Lru] {
            let rate = hit_rate(policy, 100, (0..10).flat_map(|_| 0..100));
            assert_eq!(rate, 1.0, "{policy:?}");
            assert_eq!(policy.as_str().parse(), Ok(policy));
        }
    }

    #[test]
    fn a_loop_one_block_too_long_never_hits_under_lru() {
        assert_eq!(hit_rate(Replacement::Lru, 100, (0..10).flat_map(|_| 0..101)), 0.0);
    }

    /// A set used twice stays during a scan of single uses: the paper's scan resistance.
    #[test]
    fn a_scan_does_not_flush_what_was_used_twice() {
        let mut arc = BlockCache::new(Replacement::Arc, 100);
        let mut lru = BlockCache::new(Replacement::Lru, 100);
        for cache in [&mut arc, &mut lru] {
            for _ in 0..3 {
                for block in 0..50 {
                    cache.access(block);
                }
            }
            for block in 1000..2000 {
                cache.access(block);
            }
            cache.reset_counts();
            for block in 0..50 {
                cache.access(block);
            }
        }
        assert_eq!((arc.hit_rate(), lru.hit_rate()), (1.0, 0.0));
    }

    proptest! {
        #[test]
        fn lru_is_what_its_definition_says(
            capacity in 1_usize..20,
            blocks in prop::collection::vec(0_u64..40, 0..300),
        ) {
            let mut cache = BlockCache::new(Replacement::Lru, capacity);
            let hits: Vec<bool> = blocks.iter().map(|&block| cache.access(block)).collect();
            prop_assert_eq!(hits, slow_lru(capacity, &blocks));
        }

        /// Invariants A.1 to A.5 of the paper.
        #[test]
        fn arc_keeps_its_invariants(
            capacity in 1_usize..20,
            blocks in prop::collection::vec(0_u64..60, 0..400),
        ) {
            let mut cache = BlockCache::new(Replacement::Arc, capacity);
            for &block in &blocks {
                cache.access(block);
                let [recent, frequent, recent_ghost, frequent_ghost] = [
                    List::Recent, List::Frequent, List::RecentGhost, List::FrequentGhost,
                ].map(|list| cache.size(list));
                prop_assert!(recent + recent_ghost <= capacity);
                prop_assert!(recent + frequent + recent_ghost + frequent_ghost <= 2 * capacity);
                prop_assert!(recent + frequent <= capacity);
                prop_assert!(cache.target >= 0.0 && cache.target <= capacity as f64);
                prop_assert!(cache.access(block), "what was just read is there");
            }
        }
    }
}
