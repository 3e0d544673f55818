//! The command `tailbone`.

use std::process::ExitCode;

/// A character is large arrays, given back and asked for again: the system's allocator hands them to the kernel in
/// between, which clears each page anew.
#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Whether a window opens is told in our words, once; which fonts a system lacks nobody asked.
    let filter = "warn,eframe=off,egui_system_font_provider=error";
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or(filter)).init();
    // A panic has printed where it happened; what is left to say is whose fault it is, in the words of every failure.
    std::panic::catch_unwind(tailbone::cli::run).unwrap_or_else(|_| {
        tailbone::cli::say(
            "error: a fault of Tailbone's own, not of the file; please report it with the lines above",
        );
        ExitCode::FAILURE
    })
}
