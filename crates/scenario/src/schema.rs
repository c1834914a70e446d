//! stub
/// x
pub fn scenario_schema() -> serde_json::Value { serde_json::Value::Null }
/// x
pub fn topology_schema() -> serde_json::Value { serde_json::Value::Null }
