//! Colours and sizes, from `assets/theme/*.ron`: the one place that makes colours for egui.

use egui::{
    Color32, CornerRadius, FontData, FontDefinitions, FontFamily, FontId, Stroke, TextStyle,
};
use serde::Deserialize;

use super::icons;
use crate::studio::ThemeChoice;
use crate::view::{Look, Rgb};

/// Colours of panels and controls.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct UiColors {
    /// Whether it is dark.
    pub is_dark: bool,
    /// Behind everything.
    pub window: Rgb,
    /// Panels.
    pub panel: Rgb,
    /// Controls at rest.
    pub raised: Rgb,
    /// Controls under the pointer.
    pub hovered: Rgb,
    /// Controls that are held.
    pub pressed: Rgb,
    /// Rails and text fields.
    pub sunken: Rgb,
    /// Lines between panels.
    pub line: Rgb,
    /// Text.
    pub text: Rgb,
    /// Headings and names.
    pub text_strong: Rgb,
    /// Units, hints.
    pub text_weak: Rgb,
    /// The one accent.
    pub accent: Rgb,
    /// Text on the accent.
    pub on_accent: Rgb,
    /// Behind what is selected.
    pub selection: Rgb,
    /// Passes.
    pub good: Rgb,
    /// To heed.
    pub warning: Rgb,
    /// Could not be done.
    pub error: Rgb,
}

/// A theme.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Theme {
    /// Colours of panels.
    pub ui: UiColors,
    /// Colours of the viewport.
    pub viewport: Look,
}

/// A colour for egui.
pub const fn color(rgb: Rgb) -> Color32 {
    Color32::from_rgb(rgb.0, rgb.1, rgb.2)
}

impl Theme {
    /// The theme of that name; both are part of the program and tested.
    ///
    /// # Errors
    /// Where the file that was built in is no theme.
    pub fn load(choice: ThemeChoice) -> Result<Self, ron::error::SpannedError> {
        ron::from_str(match choice {
            ThemeChoice::Dark => include_str!("../../assets/theme/dark.ron"),
            ThemeChoice::Light => include_str!("../../assets/theme/light.ron"),
        })
    }

    /// The fonts: Inter with tabular figures, its semibold for headings, the icons behind them. Characters that none of
    /// them has come from the system's fonts, which eframe looks for when they are needed.
    pub fn fonts() -> FontDefinitions {
        let mut fonts = FontDefinitions::default();
        let mut lucide = FontData::from_static(icons::FONT);
        // Lucide's letters stand a little high beside text.
        lucide.tweak.y_offset_factor = 0.1;
        let regular = FontData::from_static(include_bytes!("../../assets/fonts/Inter-Regular.otf"));
        let semibold =
            FontData::from_static(include_bytes!("../../assets/fonts/Inter-SemiBold.otf"));
        for (name, data) in [("lucide", lucide), ("inter", regular), ("inter-semibold", semibold)] {
            fonts.font_data.insert(name.into(), data.into());
        }
        let fallback = fonts.families.get(&FontFamily::Proportional).cloned().unwrap_or_default();
        let family = |first: &str| {
            let rest = fallback.iter().cloned().chain(["lucide".to_owned()]);
            std::iter::once(first.to_owned()).chain(rest).collect::<Vec<_>>()
        };
        fonts.families.insert(FontFamily::Proportional, family("inter"));
        fonts.families.insert(Self::strong(), family("inter-semibold"));
        fonts.families.entry(FontFamily::Monospace).or_default().push("lucide".into());
        fonts
    }

    /// The family of headings.
    pub fn strong() -> FontFamily {
        FontFamily::Name("strong".into())
    }

    /// Puts colours, sizes and spacing into effect; `text_scale` times the usual size of text.
    pub fn apply(&self, ctx: &egui::Context, text_scale: f32) {
        let ui = &self.ui;
        ctx.set_theme(if ui.is_dark { egui::Theme::Dark } else { egui::Theme::Light });
        ctx.all_styles_mut(|style| {
            let size = |points: f32| FontId::proportional(points * text_scale);
            style.text_styles = [
                (TextStyle::Small, size(11.5)),
                (TextStyle::Body, size(13.0)),
                (TextStyle::Button, size(13.0)),
                (TextStyle::Heading, FontId::new(16.0 * text_scale, Self::strong())),
                (TextStyle::Monospace, size(13.0)),
            ]
            .into();
            let spacing = &mut style.spacing;
            spacing.item_spacing = egui::vec2(8.0, 4.0);
            spacing.button_padding = egui::vec2(8.0, 4.0);
            spacing.interact_size.y = 24.0;
            spacing.indent = 12.0;
            spacing.slider_width = 120.0;
            spacing.slider_rail_height = 4.0;
            spacing.scroll = egui::style::ScrollStyle::thin();
            style.interaction.selectable_labels = false;
            self.put_visuals(&mut style.visuals);
        });
    }

    fn put_visuals(&self, visuals: &mut egui::Visuals) {
        let ui = &self.ui;
        visuals.dark_mode = ui.is_dark;
        visuals.panel_fill = color(ui.panel);
        visuals.window_fill = color(ui.panel);
        visuals.window_stroke = Stroke::new(1.0, color(ui.line));
        visuals.faint_bg_color = color(ui.window);
        visuals.extreme_bg_color = color(ui.sunken);
        visuals.code_bg_color = color(ui.sunken);
        visuals.weak_text_color = Some(color(ui.text_weak));
        visuals.warn_fg_color = color(ui.warning);
        visuals.error_fg_color = color(ui.error);
        visuals.hyperlink_color = color(ui.accent);
        visuals.selection.bg_fill = color(ui.selection);
        visuals.selection.stroke = Stroke::new(1.0, color(ui.text_strong));
        visuals.slider_trailing_fill = true;
        visuals.window_corner_radius = CornerRadius::same(8);
        visuals.menu_corner_radius = CornerRadius::same(6);
        let radius = CornerRadius::same(5);
        let widgets = &mut visuals.widgets;
        let states = [
            (&mut widgets.noninteractive, ui.panel, ui.text),
            (&mut widgets.inactive, ui.raised, ui.text),
            (&mut widgets.hovered, ui.hovered, ui.text_strong),
            (&mut widgets.active, ui.pressed, ui.text_strong),
            (&mut widgets.open, ui.hovered, ui.text_strong),
        ];
        for (state, fill, text) in states {
            state.bg_fill = color(fill);
            state.weak_bg_fill = color(fill);
            state.fg_stroke = Stroke::new(1.0, color(text));
            state.bg_stroke = Stroke::NONE;
            state.corner_radius = radius;
            state.expansion = 0.0;
        }
        widgets.noninteractive.bg_stroke = Stroke::new(1.0, color(ui.line));
        widgets.hovered.fg_stroke.width = 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// WCAG's contrast of two colours. Based on: W3C, Web Content Accessibility Guidelines 2.2, 2023.
    fn contrast(a: Rgb, b: Rgb) -> f32 {
        let light = |c: Rgb| c.to_linear().dot(glam::Vec3::new(0.2126, 0.7152, 0.0722)) + 0.05;
        let (a, b) = (light(a), light(b));
        a.max(b) / a.min(b)
    }

    #[test]
    fn text_stands_out_from_what_is_behind_it_in_both_themes() {
        for choice in [ThemeChoice::Dark, ThemeChoice::Light] {
            let ui = Theme::load(choice).unwrap().ui;
            for text in [ui.text, ui.text_strong, ui.text_weak, ui.warning, ui.error, ui.good] {
                for behind in [ui.panel, ui.window, ui.sunken] {
                    let found = contrast(text, behind);
                    assert!(found >= 4.5, "{choice:?}: {text:?} on {behind:?} is {found:.2}");
                }
            }
            for (text, behind) in [
                (ui.on_accent, ui.accent),
                (ui.text_strong, ui.selection),
                (ui.text, ui.raised),
                (ui.text_strong, ui.hovered),
                (ui.accent, ui.panel),
            ] {
                let found = contrast(text, behind);
                assert!(found >= 4.5, "{choice:?}: {text:?} on {behind:?} is {found:.2}");
            }
        }
    }
}
