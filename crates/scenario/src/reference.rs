//! stub
/// x
pub fn errors_page() -> String { String::new() }
/// x
pub fn reference_page() -> String { String::new() }
