//! What the integration tests share.
#![allow(dead_code, clippy::unwrap_used, reason = "each test file uses its own share of this")]

pub mod glb;
#[cfg(feature = "app")]
pub mod glow;
pub mod tailed;

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

/// Where tests leave what they wrote, for the official validator: `NAME.glb`, and beside it `NAME.input` with the
/// path of the file it was made from, where there is one.
pub fn written_dir() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/written");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A folder that goes when the test does.
pub struct Folder(PathBuf);

impl Folder {
    /// A fresh folder under the target directory.
    pub fn new() -> Self {
        static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let n = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let path =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{n}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Where it is.
    pub fn path(&self) -> &std::path::Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
