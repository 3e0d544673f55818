//! `doctor`: what this machine offers, and the command that installs what is missing.

use std::path::Path;

use serde::Serialize;

use super::output::{Voice, count};

#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    ok: bool,
    detail: String,
    fix: Option<String>,
}

#[derive(Debug, Serialize)]
struct Doctor {
    checks: Vec<Check>,
}

/// Runs the verb.
///
/// # Errors
/// Only where stdout is closed: what is missing is a result, not a failure.
pub fn run(voice: &Voice) -> anyhow::Result<()> {
    let doctor = Doctor {
        checks: vec![threads(), simd(), meshopt(), samples(), clips(), display(), gl(), fonts()],
    };
    voice.result(&doctor, |out| {
        for check in &doctor.checks {
            let mark = if check.ok { "ok     " } else { "missing" };
            writeln!(out, "{mark}  {:<10} {}", check.name, check.detail)?;
            if let Some(fix) = &check.fix {
                writeln!(out, "                    {fix}")?;
            }
        }
        Ok(())
    })
}

fn threads() -> Check {
    let n = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let machine = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    Check {
        name: "machine",
        ok: true,
        detail: format!("{machine}, {}", count(n, "thread")),
        fix: None,
    }
}

fn simd() -> Check {
    let detail = crate::motion::simd_description().into();
    Check { name: "simd", ok: true, detail, fix: None }
}

fn meshopt() -> Check {
    let ok = cfg!(feature = "meshopt");
    let detail = if ok { "EXT_meshopt_compression reads" } else { "built without meshopt" };
    let fix = (!ok).then(|| "cargo build --release --features meshopt".into());
    Check { name: "meshopt", ok, detail: detail.into(), fix }
}

fn samples() -> Check {
    let n = crate::samples::list().len();
    Check { name: "samples", ok: n > 0, detail: format!("{n} characters embedded"), fix: None }
}

fn clips() -> Check {
    let n = crate::library::Library::bundled().entries().len();
    Check { name: "library", ok: n > 0, detail: format!("{n} bundled clips"), fix: None }
}

fn display() -> Check {
    let found = ["WAYLAND_DISPLAY", "DISPLAY"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|v| !v.is_empty()).map(|v| (name, v)));
    let always = cfg!(any(windows, target_os = "macos"));
    match found {
        Some((name, value)) => {
            Check { name: "display", ok: true, detail: format!("{name}={value}"), fix: None }
        }
        None if always => {
            Check { name: "display", ok: true, detail: "the system's".into(), fix: None }
        }
        None => Check {
            name: "display",
            ok: false,
            detail: "neither DISPLAY nor WAYLAND_DISPLAY is set; the commands work without".into(),
            fix: Some("xvfb-run tailbone …   (apt-get install xvfb)".into()),
        },
    }
}

/// Folders in which Linux systems keep shared libraries.
const LIBRARY_FOLDERS: &[&str] = &[
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/lib",
];

fn gl() -> Check {
    if cfg!(any(windows, target_os = "macos")) {
        return Check { name: "opengl", ok: true, detail: "the system's".into(), fix: None };
    }
    let missing: Vec<&str> = ["libEGL.so.1", "libGL.so.1"]
        .into_iter()
        .filter(|file| !LIBRARY_FOLDERS.iter().any(|folder| Path::new(folder).join(file).exists()))
        .collect();
    let ok = missing.is_empty();
    let detail = if ok { "libEGL and libGL are there".into() } else { missing.join(", ") };
    let fix = (!ok).then(|| "apt-get install libegl1 libgl1 libgl1-mesa-dri".into());
    Check { name: "opengl", ok, detail, fix }
}

#[cfg(feature = "app")]
fn fonts() -> Check {
    let found = crate::app::fonts::for_han();
    let fix = found.is_none().then(|| "apt-get install fonts-noto-cjk".into());
    let (ok, detail) = match found {
        Some(font) => (true, format!("{font} for Chinese and Japanese names")),
        None => (false, "Chinese and Japanese names will show as boxes in the studio".into()),
    };
    Check { name: "fonts", ok, detail, fix }
}

#[cfg(not(feature = "app"))]
fn fonts() -> Check {
    let detail = "only the studio draws text, and this build has none".into();
    Check { name: "fonts", ok: true, detail, fix: None }
}
