//! stub
use bandgraph_diagnostics::Explanation;
/// x
pub const EXPLANATIONS: &[Explanation] = &[];
/// x
pub fn explain(_id: &str) -> Option<&'static Explanation> { None }
