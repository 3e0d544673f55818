//! The studio without a console window, for desktop shortcuts: `tailbone-studio [FILE]`.
#![cfg_attr(windows, windows_subsystem = "windows")]

use std::process::ExitCode;

fn main() -> ExitCode {
    env_logger::init();
    match tailbone::app::run(std::env::args().nth(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!(
                "error: the window cannot be opened ({error}); `tailbone --help` lists what works without one"
            );
            ExitCode::FAILURE
        }
    }
}
