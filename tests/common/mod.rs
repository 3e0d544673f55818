//! What the integration tests share.
#![allow(dead_code, clippy::unwrap_used, reason = "each test file uses its own share of this")]

use std::path::PathBuf;

/// The folder of real characters and clips, which is not part of the product.
///
/// `None`, with a line on stderr that says so, where it is missing: the test that asked has then nothing to do.
pub fn shared_data() -> Option<PathBuf> {
    let folder = std::env::var_os("TAILBONE_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let data = folder.join("data");
    if data.is_dir() {
        return Some(data);
    }
    eprintln!("NOT RUN: {} is missing (set TAILBONE_SHARED)", data.display());
    None
}
