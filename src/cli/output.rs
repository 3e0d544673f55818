//! stdout for results, stderr for notes, a progress bar only on a terminal.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::args::Cli;
use crate::work::{Cancel, Work};

/// How a verb speaks.
#[derive(Clone, Debug)]
pub struct Voice {
    json: bool,
    quiet: bool,
    bar: Option<ProgressBar>,
}

impl Voice {
    /// The voice that the command line asks for.
    pub fn of(cli: &Cli) -> Self {
        let Cli { json, quiet, .. } = *cli;
        let bar = (!quiet && io::stderr().is_terminal()).then(|| {
            let style = ProgressStyle::with_template("{msg:>12} {bar:32} {percent:>3} %")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::no_length().with_style(style)
        });
        Self { json, quiet, bar }
    }

    /// Work that reports to the bar.
    pub fn work(&self) -> Work {
        let work = Work::new(Cancel::default());
        let Some(bar) = self.bar.clone() else { return work };
        work.with_progress(Arc::new(move |stage, done, total| {
            bar.set_message(stage.to_owned());
            bar.set_length(total);
            bar.set_position(done);
        }))
    }

    /// Whether a person reads along: no JSON, and a terminal.
    #[cfg(feature = "app")]
    pub fn is_for_people(&self) -> bool {
        !self.json && !self.quiet && io::stdout().is_terminal()
    }

    /// A note to stderr.
    pub fn note(&self, text: impl AsRef<str>) {
        if !self.quiet {
            self.clear();
            eprintln!("{}", text.as_ref());
        }
    }

    /// The result: `value` as JSON, or what `human` writes.
    ///
    /// # Errors
    /// Where stdout is closed or the value cannot be JSON.
    pub fn result<T: Serialize>(
        &self,
        value: &T,
        human: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        self.clear();
        let mut out = io::stdout().lock();
        if self.json {
            serde_json::to_writer_pretty(&mut out, value)?;
            writeln!(out)?;
        } else {
            human(&mut out)?;
        }
        out.flush()?;
        Ok(())
    }

    /// The one message of a failed run.
    pub fn failed(&self, text: &str) {
        self.clear();
        eprintln!("error: {text}");
    }

    fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// `1 joint`, `3 joints`, `2 vertices`.
pub fn count(n: usize, noun: &str) -> String {
    match (n, noun) {
        (1, _) => format!("1 {noun}"),
        (_, "vertex") => format!("{n} vertices"),
        (_, "pass") => format!("{n} passes"),
        _ => format!("{n} {noun}s"),
    }
}

/// A word as JSON spells it.
pub fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}
