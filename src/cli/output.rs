//! stdout for results, stderr for notes, a progress bar only on a terminal.
//!
//! Names come from files and may hold anything: what people read has its control characters spelled out here, so that
//! no file can move the cursor, colour a terminal or forge a line.

use std::borrow::Cow;
use std::fmt::Arguments;
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
            say(text.as_ref());
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
            human(&mut Lines(&mut out))?;
        }
        out.flush()?;
        Ok(())
    }

    /// The one message of a failed run.
    pub fn failed(&self, text: &str) {
        self.clear();
        say(&format!("error: {text}"));
    }

    fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// What was typed is wrong whatever the file is: the run ends with 2.
#[derive(Debug, thiserror::Error)]
#[error("{0:#}")]
pub struct WrongUsage(anyhow::Error);

impl WrongUsage {
    /// `error` as one of usage.
    pub fn of(error: anyhow::Error) -> anyhow::Error {
        anyhow::Error::new(Self(error))
    }
}

/// A message to stderr. Who has closed it does not want to know.
pub fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{}", spelled_out(text, Breaks::Ours));
}

/// What is written line by line, each by one `writeln!`.
struct Lines<W>(W);

impl<W: Write> Write for Lines<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }

    fn write_fmt(&mut self, text: Arguments<'_>) -> io::Result<()> {
        let text = text.to_string();
        let (line, end) = text.strip_suffix('\n').map_or((&text[..], ""), |line| (line, "\n"));
        self.0.write_all(spelled_out(line, Breaks::None).as_bytes())?;
        self.0.write_all(end.as_bytes())
    }
}

/// Which line breaks are ours.
#[derive(Clone, Copy, PartialEq)]
enum Breaks {
    None,
    /// Those before a line that is indented: our messages go on so.
    Ours,
}

/// `text` with its control characters, and those that turn the direction of writing, as `\u{1b}`.
fn spelled_out(text: &str, breaks: Breaks) -> Cow<'_, str> {
    let is_bad =
        |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if !text.contains(is_bad) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len() + 16);
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        let is_ours = c == '\n' && breaks == Breaks::Ours && letters.peek() == Some(&' ');
        if is_bad(c) && !is_ours {
            clean.extend(c.escape_default());
        } else {
            clean.push(c);
        }
    }
    Cow::Owned(clean)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_speak_to_the_terminal() {
        let mut out = Vec::new();
        let name = "a\0\u{1b}[31mred\nerror: gone\u{9b}\u{202e}\t歩";
        let mut lines = Lines(&mut out);
        let dynamic: &mut dyn Write = &mut lines;
        writeln!(dynamic, "  mesh {name}").unwrap();
        write!(dynamic, "half").unwrap();
        writeln!(dynamic, " a line").unwrap();
        let shown = String::from_utf8(out).unwrap();
        let spelled = "a\\u{0}\\u{1b}[31mred\\nerror: gone\\u{9b}\\u{202e}\\t歩";
        assert_eq!(shown, format!("  mesh {spelled}\nhalf a line\n"));
    }

    #[test]
    fn only_indented_lines_go_on_a_message() {
        let text = "no setting; one of\n  springs: a\nerror: b";
        let shown = spelled_out(text, Breaks::Ours);
        assert_eq!(shown, "no setting; one of\n  springs: a\\nerror: b");
        assert_eq!(spelled_out("歩く – ✔", Breaks::None), "歩く – ✔");
    }

    #[test]
    fn one_is_no_plural() {
        let said = [(0, "joint"), (1, "vertex"), (2, "vertex"), (1, "pass"), (3, "pass")];
        let said = said.map(|(n, noun)| count(n, noun));
        assert_eq!(said, ["0 joints", "1 vertex", "2 vertices", "1 pass", "3 passes"]);
    }
}
