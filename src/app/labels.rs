//! Where every label stands, for tests that drive the real window by mouse and keyboard.
//!
//! With `TAILBONE_LABELS=FILE` in the environment every frame writes the accessibility tree to FILE, a line for each node:
//! centre x, centre y (pixels of the window), role, label. What a screen reader finds, a test finds.

use std::fmt::Write;
use std::path::PathBuf;

use egui::{Context, FullOutput, Plugin};

/// Writes labels and their places.
pub struct Labels {
    path: PathBuf,
    last: String,
}

impl Labels {
    /// Where the environment asks for it.
    pub fn wanted() -> Option<Self> {
        let path = std::env::var_os("TAILBONE_LABELS")?;
        Some(Self { path: path.into(), last: String::new() })
    }
}

impl Plugin for Labels {
    fn debug_name(&self) -> &'static str {
        "labels"
    }

    fn setup(&mut self, ctx: &Context) {
        ctx.enable_accesskit();
    }

    fn output_hook(&mut self, ctx: &Context, output: &mut FullOutput) {
        let Some(update) = &output.platform_output.accesskit_update else { return };
        let scale = f64::from(ctx.pixels_per_point());
        let mut text = String::new();
        for (_, node) in &update.nodes {
            let label = node.label().or_else(|| node.value()).unwrap_or_default();
            if let (Some(r), false) = (node.bounds(), label.is_empty()) {
                let (x, y) = ((r.x0 + r.x1) * 0.5 * scale, (r.y0 + r.y1) * 0.5 * scale);
                // Writing to a string cannot fail.
                let _ =
                    writeln!(text, "{x:.0} {y:.0} {:?} {}", node.role(), label.replace('\n', " "));
            }
        }
        if text != self.last {
            let part = self.path.with_extension("part");
            let written =
                std::fs::write(&part, &text).and_then(|()| std::fs::rename(&part, &self.path));
            if let Err(error) = written {
                log::warn!("labels could not be written to {}: {error}", self.path.display());
            }
            self.last = text;
        }
    }
}
