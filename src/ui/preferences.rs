//! The preferences: look, camera, safety, keys.

use egui::{ComboBox, Context, Grid, RichText, ScrollArea, Ui, WidgetInfo, Window};

use super::keys::{captured, shown};
use super::theme::{Theme, color};
use super::widgets::section;
use crate::studio::keymap::Keymap;
use crate::studio::{Navigation, Preferences, TABLE, ThemeChoice, UserCommand};

/// Scales that can be chosen.
const SCALES: [f32; 8] = [0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0];

/// The window of the preferences.
#[derive(Clone, Debug, Default)]
pub struct PreferencesWindow {
    /// Whether it is shown.
    pub is_open: bool,
    /// The command that waits for its key.
    waiting: Option<UserCommand>,
    filter: String,
}

impl PreferencesWindow {
    /// Whether the next key is one to be remembered, not obeyed.
    pub fn wants_key(&self) -> bool {
        self.is_open && self.waiting.is_some()
    }

    /// Draws it; whether anything was changed.
    pub fn show(&mut self, ctx: &Context, preferences: &mut Preferences, theme: &Theme) -> bool {
        let before = preferences.clone();
        let mut is_open = self.is_open;
        let window = Window::new("Preferences").open(&mut is_open).collapsible(false);
        let window = window.resizable(false).anchor(egui::Align2::CENTER_CENTER, egui::Vec2::ZERO);
        window.show(ctx, |ui| {
            ui.set_width(420.0);
            look_ui(ui, preferences, theme);
            camera_ui(ui, preferences, theme);
            section(ui, theme, "SAFETY");
            let about = "After every step, and whole every 30 seconds; offered again after a crash";
            ui.checkbox(&mut preferences.autosave, "Keep unsaved work safe").on_hover_text(about);
            self.keys_ui(ui, preferences, theme);
        });
        self.is_open = is_open;
        if !is_open {
            self.waiting = None;
        }
        *preferences != before
    }

    fn keys_ui(&mut self, ui: &mut Ui, preferences: &mut Preferences, theme: &Theme) {
        section(ui, theme, "KEYS");
        let mut keymap = Keymap::new(preferences.keys.clone());
        if let (Some(command), Some(chord)) = (self.waiting, captured(ui.ctx())) {
            if chord.key != "Escape" {
                keymap = keymap.with(command, &chord);
            }
            self.waiting = None;
        }
        let field = egui::TextEdit::singleline(&mut self.filter)
            .hint_text("Search commands")
            .desired_width(f32::INFINITY);
        let response = ui.add(field);
        response
            .widget_info(|| WidgetInfo::labeled(egui::Role::SearchInput, true, "Search commands"));
        let wanted = self.filter.trim().to_lowercase();
        ScrollArea::vertical().max_height(220.0).auto_shrink(false).show(ui, |ui| {
            Grid::new("key table").num_columns(3).spacing([12.0, 4.0]).striped(true).show(
                ui,
                |ui| {
                    for row in TABLE.iter().filter(|r| r.text.to_lowercase().contains(&wanted)) {
                        ui.label(row.text).on_hover_text(row.about);
                        keymap = self.key_ui(ui, row.command, keymap.clone(), theme);
                        ui.end_row();
                    }
                },
            );
        });
        preferences.keys = keymap.chosen().clone();
    }

    /// The key of a command: click it, then press another. The keys after that.
    fn key_ui(
        &mut self,
        ui: &mut Ui,
        command: UserCommand,
        keymap: Keymap,
        theme: &Theme,
    ) -> Keymap {
        let row = command.row();
        let is_waiting = self.waiting == Some(command);
        let keys = shown(&keymap, command);
        let text = match (is_waiting, keys.is_empty()) {
            (true, _) => "press a key".to_owned(),
            (false, true) => "none".to_owned(),
            (false, false) => keys,
        };
        let text = RichText::new(text).monospace().color(color(theme.ui.accent));
        let button = egui::Button::new(text).selected(is_waiting).min_size(egui::vec2(150.0, 22.0));
        let response = ui.add(button);
        response.widget_info(|| {
            WidgetInfo::labeled(egui::Role::Button, true, format!("Key of {}", row.text))
        });
        let about = "Click, then press the key; Escape leaves it as it is";
        if response.on_hover_text(about).clicked() {
            self.waiting = Some(command);
        }
        let is_own = keymap.chosen().contains_key(row.id);
        let reset = ui.add_enabled(is_own, egui::Button::new("Reset").small());
        reset.widget_info(|| {
            WidgetInfo::labeled(egui::Role::Button, is_own, format!("Reset key of {}", row.text))
        });
        if reset.clicked() { keymap.without(command) } else { keymap }
    }
}

fn look_ui(ui: &mut Ui, preferences: &mut Preferences, theme: &Theme) {
    section(ui, theme, "LOOK");
    ui.horizontal(|ui| {
        for (choice, name) in [(ThemeChoice::Dark, "Dark"), (ThemeChoice::Light, "Light")] {
            let is_on = preferences.theme == choice;
            let response = ui.add(egui::Button::new(name).selected(is_on));
            response.widget_info(|| {
                let label = format!("Theme: {name}");
                WidgetInfo::selected(egui::Role::RadioButton, true, is_on, label)
            });
            if response.clicked() {
                preferences.theme = choice;
            }
        }
    });
    scale_ui(ui, theme, ("Scale of everything", &mut preferences.ui_scale));
    scale_ui(ui, theme, ("Size of text", &mut preferences.text_scale));
}

fn scale_ui(ui: &mut Ui, theme: &Theme, (name, value): (&str, &mut f32)) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(name).color(color(theme.ui.text_weak)));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let text = |scale: f32| format!("{:.0} %", scale * 100.0);
            let combo = ComboBox::from_id_salt(name).selected_text(text(*value)).width(90.0);
            let shown = combo.show_ui(ui, |ui| {
                for scale in SCALES {
                    ui.selectable_value(value, scale, text(scale));
                }
            });
            shown.response.widget_info(|| WidgetInfo::labeled(egui::Role::ComboBox, true, name));
        });
    });
}

fn camera_ui(ui: &mut Ui, preferences: &mut Preferences, theme: &Theme) {
    section(ui, theme, "CAMERA, BY THE HABITS OF");
    ui.horizontal(|ui| {
        for navigation in Navigation::ALL {
            let is_on = preferences.navigation == navigation;
            let response = ui.add(egui::Button::new(navigation.name()).selected(is_on));
            response.widget_info(|| {
                let label = format!("Camera like {}", navigation.name());
                WidgetInfo::selected(egui::Role::RadioButton, true, is_on, label)
            });
            if response.clicked() {
                preferences.navigation = navigation;
            }
        }
    });
    let about = RichText::new(preferences.navigation.about());
    ui.label(about.small().color(color(theme.ui.text_weak)));
}
