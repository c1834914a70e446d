//! The order in which a thread visits its file data.

use bandgraph_config::words;

words! {
    /// The order in which a thread visits its file data.
    #[derive(Default)]
    pub enum AccessPattern: "an access pattern" {
        /// Each operation begins where the one before it ended.
        #[default]
        Sequential = "sequential",
        /// Each operation begins at a place drawn uniformly from the working set.
        Random = "random",
    }
}
