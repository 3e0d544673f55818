//! The command `tailbone`.

use std::process::ExitCode;

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    // A panic has printed where it happened; what is left to say is whose fault it is, in the words of every failure.
    std::panic::catch_unwind(tailbone::cli::run).unwrap_or_else(|_| {
        eprintln!("error: a fault of Tailbone's own, not of the file; please report it with the lines above");
        ExitCode::FAILURE
    })
}
