//! Fonts of the system, as the window finds them for scripts that its own fonts lack.

use egui::{FallbackRequest, FontFamily, FontProvider};
use egui_system_font_provider::SystemFontProvider;

/// Name of the font in which Chinese and Japanese names are shown; `None` where they show as boxes.
///
/// Cost: the system's fonts are listed, which takes up to some hundred milliseconds.
pub fn for_han() -> Option<String> {
    let request = FallbackRequest { cluster: "漢", family: &FontFamily::Proportional };
    let found = SystemFontProvider::new().font_for(&request)?;
    // The provider calls it `system:Noto Sans CJK JP:12:0`.
    Some(found.name.split(':').nth(1).unwrap_or(&found.name).to_owned())
}
