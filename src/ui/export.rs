//! The export workspace: clips on the left, how and where to on the right, what came of it below.

use egui::{ComboBox, ProgressBar, RichText, ScrollArea, Ui, WidgetInfo};

use super::theme::{Theme, color};
use super::widgets::section;
use super::{Asked, icons};
use crate::studio::{
    CardState, Command, Contents, Edit, ExportCard, ExportCommand, ExportFiles, ExportPanel,
    ExportRow, ExportSettings, FileCommand, JointAxes, JointNaming, OwnClips, PathQuestion,
    RootPlacement, Target, words,
};

/// What is typed here and belongs to nobody else.
#[derive(Clone, Debug, Default)]
pub struct ExportInput {
    filter: String,
    set: String,
}

fn push(asked: &mut Asked, command: ExportCommand) {
    asked.push(Command::Export(command));
}

fn weak(theme: &Theme, text: impl Into<String>) -> RichText {
    RichText::new(text).color(color(theme.ui.text_weak))
}

/// Draws the list of clips.
pub fn clips_ui(
    ui: &mut Ui,
    panel: &ExportPanel,
    input: &mut ExportInput,
    theme: &Theme,
    asked: &mut Asked,
) {
    let hint = format!("{}  Search clips", icons::search());
    let field =
        egui::TextEdit::singleline(&mut input.filter).hint_text(hint).desired_width(f32::INFINITY);
    let response = ui.add(field);
    response.widget_info(|| WidgetInfo::labeled(egui::Role::SearchInput, true, "Search clips"));
    let wanted = input.filter.trim().to_lowercase();
    let is_shown = |row: &&ExportRow| row.title.to_lowercase().contains(&wanted);
    let mut chosen: std::collections::BTreeSet<usize> =
        panel.clips.iter().filter(|r| r.is_chosen).map(|r| r.place).collect();
    let before = chosen.clone();
    ui.horizontal(|ui| {
        let shown = || panel.clips.iter().filter(is_shown).map(|r| r.place);
        if ui.button("All").on_hover_text("Choose all clips that are listed").clicked() {
            chosen.extend(shown());
        }
        if ui.button("None").on_hover_text("Choose none of the clips that are listed").clicked() {
            shown().for_each(|place| {
                chosen.remove(&place);
            });
        }
        ui.label(weak(theme, format!("{} of {}", panel.n_chosen, panel.clips.len())));
        sets_ui(ui, panel, asked);
    });
    ui.add_space(2.0);
    let bottom = 40.0;
    let height = (ui.available_height() - bottom).max(60.0);
    ScrollArea::vertical().max_height(height).auto_shrink(false).show(ui, |ui| {
        let mut origin = "";
        for row in panel.clips.iter().filter(is_shown) {
            if row.origin != origin {
                origin = &row.origin;
                section(ui, theme, &origin_name(origin));
            }
            row_ui(ui, row, &mut chosen, theme);
        }
    });
    if chosen != before {
        push(asked, ExportCommand::Choose(chosen));
    }
    save_set_ui(ui, panel, input, asked);
}

fn origin_name(origin: &str) -> String {
    match origin {
        "file" => "IN THE FILE".into(),
        "bundled" => "BUNDLED".into(),
        path => words::file_name(path),
    }
}

fn row_ui(
    ui: &mut Ui,
    row: &ExportRow,
    chosen: &mut std::collections::BTreeSet<usize>,
    theme: &Theme,
) {
    ui.horizontal(|ui| {
        let mut is_on = chosen.contains(&row.place);
        let response = ui.checkbox(&mut is_on, &row.title);
        response.widget_info(|| {
            let label = format!("Export {}", row.title);
            WidgetInfo::selected(egui::Role::CheckBox, true, is_on, label)
        });
        if response.changed() {
            if is_on {
                chosen.insert(row.place);
            } else {
                chosen.remove(&row.place);
            }
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let kind = if row.looping { "loop" } else { "once" };
            ui.label(weak(theme, kind).small());
            ui.label(weak(theme, words::seconds(row.duration_secs)).monospace().small());
        });
    });
}

fn sets_ui(ui: &mut Ui, panel: &ExportPanel, asked: &mut Asked) {
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        ui.add_enabled_ui(!panel.sets.is_empty(), |ui| {
            let combo = ComboBox::from_id_salt("clip sets").selected_text("Sets").width(84.0);
            let shown = combo.show_ui(ui, |ui| {
                for set in &panel.sets {
                    ui.horizontal(|ui| {
                        if ui.selectable_label(false, set).clicked() {
                            push(asked, ExportCommand::UseSet(set.clone()));
                        }
                        let drop = ui.small_button(icons::close().to_string());
                        drop.widget_info(|| {
                            let label = format!("Forget set {set}");
                            WidgetInfo::labeled(egui::Role::Button, true, label)
                        });
                        if drop.on_hover_text("Forget this set").clicked() {
                            push(asked, ExportCommand::DropSet(set.clone()));
                        }
                    });
                }
            });
            shown
                .response
                .widget_info(|| WidgetInfo::labeled(egui::Role::ComboBox, true, "Clip sets"));
        });
    });
}

fn save_set_ui(ui: &mut Ui, panel: &ExportPanel, input: &mut ExportInput, asked: &mut Asked) {
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        let width = (ui.available_width() - 92.0).max(60.0);
        let field = egui::TextEdit::singleline(&mut input.set)
            .hint_text("Name of a set")
            .desired_width(width);
        let response = ui.add(field);
        response.widget_info(|| WidgetInfo::labeled(egui::Role::TextInput, true, "Name of set"));
        let can = !input.set.trim().is_empty() && panel.n_chosen > 0;
        let button = egui::Button::new("Save set");
        let about = "Remember the chosen clips under this name, in the project";
        if ui.add_enabled(can, button).on_hover_text(about).clicked() {
            push(asked, ExportCommand::SaveSet(std::mem::take(&mut input.set)));
        }
    });
}

/// Draws how and where to.
pub fn settings_ui(ui: &mut Ui, panel: &ExportPanel, theme: &Theme, asked: &mut Asked) {
    target_ui(ui, panel, theme, asked);
    section(ui, theme, "WHAT IS WRITTEN");
    let mut settings = panel.settings.clone();
    contents_ui(ui, &mut settings, theme);
    section(ui, theme, "KEYS");
    keys_ui(ui, &mut settings, theme);
    names_ui(ui, panel, &mut settings, theme);
    section(ui, theme, "BONES");
    bones_ui(ui, panel, theme, asked);
    section(ui, theme, "WHERE TO");
    where_ui(ui, panel, &mut settings, theme, asked);
    if settings != panel.settings {
        push(asked, ExportCommand::Settings(settings));
    }
}

/// A row: name on the left, control on the right.
fn named<R>(ui: &mut Ui, theme: &Theme, name: &str, control: impl FnOnce(&mut Ui) -> R) -> R {
    ui.horizontal(|ui| {
        ui.label(weak(theme, name));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), control).inner
    })
    .inner
}

/// A choice of a few, as a list that opens.
fn choice<T: Copy + PartialEq>(
    ui: &mut Ui,
    (theme, name): (&Theme, &str),
    value: &mut T,
    options: &[(T, &str, &str)],
) {
    named(ui, theme, name, |ui| {
        let shown = options.iter().find(|o| o.0 == *value).map_or("", |o| o.1);
        let combo = ComboBox::from_id_salt(name).selected_text(shown).width(172.0);
        let response = combo.show_ui(ui, |ui| {
            for (option, text, about) in options {
                if ui.selectable_label(option == value, *text).on_hover_text(*about).clicked() {
                    *value = *option;
                }
            }
        });
        response.response.widget_info(|| WidgetInfo::labeled(egui::Role::ComboBox, true, name));
    });
}

fn target_ui(ui: &mut Ui, panel: &ExportPanel, theme: &Theme, asked: &mut Asked) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for target in Target::ALL {
            let is_on = panel.settings.target == target;
            // In short, so that all stand in one row.
            let name = target.name().trim_end_matches(" Engine");
            let response = ui.add(egui::Button::new(name).selected(is_on));
            response.widget_info(|| {
                let label = format!("For {}", target.name());
                WidgetInfo::selected(egui::Role::RadioButton, true, is_on, label)
            });
            let about = "Bone axes, influences and clip names as its users expect them";
            if response.on_hover_text(about).clicked() && !is_on {
                push(asked, ExportCommand::Target(target));
            }
        }
    });
    ui.add_space(2.0);
    for note in panel.settings.target.notes() {
        ui.horizontal_top(|ui| {
            let (icon, tone, word) = match note.is_taken {
                true => (icons::pass(), theme.ui.good, "Takes"),
                false => (icons::miss(), theme.ui.warning, "Does not take"),
            };
            let icon = ui.label(RichText::new(icon).small().color(color(tone)));
            icon.on_hover_text(word);
            ui.add(egui::Label::new(RichText::new(note.text).small()).wrap());
        });
    }
}

fn contents_ui(ui: &mut Ui, settings: &mut ExportSettings, theme: &Theme) {
    choice(
        ui,
        (theme, "Contents"),
        &mut settings.contents,
        &[
            (Contents::All, "Whole character", "Meshes, materials, skeleton and clips"),
            (Contents::ClipsOnly, "Clips only", "Skeleton and clips, no meshes"),
        ],
    );
    choice(
        ui,
        (theme, "Files"),
        &mut settings.files,
        &[
            (ExportFiles::One, "One file", "All clips in one file"),
            (ExportFiles::PerClip, "One for each clip", "Named by their clips, in the same folder"),
        ],
    );
    choice(
        ui,
        (theme, "The file's own clips"),
        &mut settings.own_clips,
        &[
            (OwnClips::Join, "Get the motion", "The tail's keys join the clip of that name"),
            (OwnClips::Copy, "Stay, with a copy", "A copy named …_baked gets the tail's keys"),
        ],
    );
    choice(
        ui,
        (theme, "Travel"),
        &mut settings.root,
        &[
            (RootPlacement::InPlace, "In place", "The character stays where it is"),
            (RootPlacement::Root, "On the root", "Root motion, for game engines"),
            (RootPlacement::Hips, "On the hips", "As the library has it"),
        ],
    );
}

fn keys_ui(ui: &mut Ui, settings: &mut ExportSettings, theme: &Theme) {
    let number = |ui: &mut Ui, name: &str, about: &str, value: &mut f32, unit: &str| {
        named(ui, theme, name, |ui| {
            let most = if unit == "°" { 10.0 } else { 100.0 };
            let drag = egui::DragValue::new(value).range(0.0..=most).speed(0.01).suffix(unit);
            let response = ui.add(drag.max_decimals(2));
            response.widget_info(|| WidgetInfo::labeled(egui::Role::SpinButton, true, name));
            response.on_hover_text(about);
        });
    };
    let about = "Keys that the others show this closely are left out; 0 keeps all";
    number(ui, "Drop keys within", about, &mut settings.reduce_deg, "°");
    number(ui, "and within", about, &mut settings.reduce_mm, " mm");
    let rates = [24.0, 30.0, 60.0, 120.0].map(|rate| (rate, format!("{rate:.0} a second")));
    let rates: Vec<(f64, &str, &str)> = rates
        .iter()
        .map(|(rate, text)| (*rate, text.as_str(), "Keys of each bone a second"))
        .collect();
    choice(ui, (theme, "Rate"), &mut settings.rate_hz, &rates);
}

fn names_ui(ui: &mut Ui, panel: &ExportPanel, settings: &mut ExportSettings, theme: &Theme) {
    named(ui, theme, "Clip names", |ui| {
        let field = egui::TextEdit::singleline(&mut settings.pattern).desired_width(172.0);
        let response = ui.add(field);
        response.widget_info(|| WidgetInfo::labeled(egui::Role::TextInput, true, "Clip names"));
        response.on_hover_text("{clip}, {title}, {file}, and {loop} for -loop where it loops");
    });
    if !panel.example.is_empty() {
        named(ui, theme, "", |ui| {
            ui.label(weak(theme, format!("e.g. {}", panel.example)).small());
        });
    }
}

fn bones_ui(ui: &mut Ui, panel: &ExportPanel, theme: &Theme, asked: &mut Asked) {
    let mut axes = panel.axes;
    choice(
        ui,
        (theme, "Axes"),
        &mut axes,
        &[
            (JointAxes::Parent, "As their parent", "The rotation of the bone they hang from"),
            (JointAxes::Along, "Y along the bone", "As Blender draws bones"),
            (JointAxes::XAlong, "X along the bone", "As Unreal and Maya have it"),
        ],
    );
    let mut naming = panel.naming;
    choice(
        ui,
        (theme, "Names"),
        &mut naming,
        &[
            (JointNaming::Plain, "Tail_1 … Tail_End", "What chains of Tailbone are known by"),
            (JointNaming::Padded, "tail_01 … tail_end", "As Unreal's skeletons have it"),
            (JointNaming::Dotted, "Tail.001 … Tail.End", "As Blender numbers"),
        ],
    );
    let mut influences = panel.influences;
    choice(
        ui,
        (theme, "Influences"),
        &mut influences,
        &[
            (4, "4 a vertex", "What every engine reads"),
            (8, "8 a vertex", "Smoother, where the engine takes a second set"),
        ],
    );
    if axes != panel.axes {
        asked.push(Command::Edit(Edit::Axes(axes)));
    }
    if naming != panel.naming {
        asked.push(Command::Edit(Edit::Naming(naming)));
    }
    if influences != panel.influences {
        asked.push(Command::Edit(Edit::Influences(influences)));
    }
}

fn where_ui(
    ui: &mut Ui,
    panel: &ExportPanel,
    settings: &mut ExportSettings,
    theme: &Theme,
    asked: &mut Asked,
) {
    ui.horizontal(|ui| {
        let mut path = panel.path.clone();
        let width = (ui.available_width() - 40.0).max(80.0);
        let response = ui.add(egui::TextEdit::singleline(&mut path).desired_width(width));
        response.widget_info(|| WidgetInfo::labeled(egui::Role::TextInput, true, "Output file"));
        if response.on_hover_text(&panel.path).changed() {
            push(asked, ExportCommand::Path(path));
        }
        let browse = ui.button("…");
        browse.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, "Browse"));
        if browse.on_hover_text("Choose where to").clicked() {
            let question = PathQuestion::Export(panel.path.clone());
            asked.push(Command::File(FileCommand::Ask(question)));
        }
    });
    let report = ui.checkbox(&mut settings.report, "Report beside the file");
    report.on_hover_text("What was found, what was done, and how each clip closed, as JSON");
    if let Some(path) = panel.written.first() {
        ui.label(weak(theme, format!("Written: {}", words::file_name(path))).small())
            .on_hover_text(panel.written.join("\n"));
    }
}

/// Draws the button that goes, always in sight, and what came of it.
pub fn go_ui(ui: &mut Ui, panel: &ExportPanel, theme: &Theme, asked: &mut Asked) {
    if let Some(progress) = &panel.progress {
        ui.add(ProgressBar::new(progress.share).desired_height(8.0));
        ui.horizontal(|ui| {
            let left = match progress.left_secs {
                Some(secs) => format!("about {:.0} s left", secs.ceil()),
                None => "starting".into(),
            };
            ui.label(weak(theme, left));
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if ui.button("Cancel export").clicked() {
                    asked.push(Command::Cancel(progress.job));
                }
            });
        });
        return;
    }
    let text = match panel.n_chosen {
        0 => "Export without clips".to_owned(),
        n => format!("Export {}", words::counted(n, "clip", "clips")),
    };
    let text = RichText::new(text).color(color(theme.ui.on_accent));
    let button = egui::Button::new(text).fill(color(theme.ui.accent));
    let size = egui::vec2(ui.available_width(), 32.0);
    let response = ui
        .add_enabled_ui(panel.why_not.is_none(), |ui| {
            let middle = egui::Layout::centered_and_justified(egui::Direction::TopDown);
            ui.allocate_ui_with_layout(size, middle, |ui| ui.add(button)).inner
        })
        .inner;
    response.widget_info(|| {
        WidgetInfo::labeled(egui::Role::Button, panel.why_not.is_none(), "Export now")
    });
    if response.clicked() {
        push(asked, ExportCommand::Run { replace: false });
    }
    match panel.why_not {
        Some(why) => {
            ui.label(weak(theme, why));
        }
        None => {
            let has_played = !panel.written.is_empty() && !panel.cards.is_empty();
            if has_played && ui.button("Play exported file").clicked() {
                push(asked, ExportCommand::Check);
            }
        }
    }
    if let Some(verdict) = &panel.verdict {
        ui.label(verdict);
    }
}

/// Says over the viewport that the exported file is shown, with the way back.
pub fn exported_ui(ui: &mut Ui, rect: egui::Rect, theme: &Theme, asked: &mut Asked) {
    let top = egui::Rect::from_center_size(
        rect.center_top() + egui::vec2(0.0, 72.0),
        egui::vec2(380.0, 34.0),
    );
    ui.scope_builder(egui::UiBuilder::new().max_rect(top), |ui| {
        let frame = egui::Frame::new().fill(color(theme.ui.raised)).corner_radius(8.0);
        frame.inner_margin(egui::Margin::symmetric(10, 4)).show(ui, |ui| {
            ui.horizontal(|ui| {
                ui.label("The exported file, physics off");
                if ui.button("Back to the character").clicked() {
                    push(asked, ExportCommand::Leave);
                }
            });
        });
    });
}

/// Draws a card for each clip: what came of it.
pub fn results_ui(ui: &mut Ui, panel: &ExportPanel, theme: &Theme) {
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = egui::vec2(8.0, 8.0);
            for card in &panel.cards {
                card_ui(ui, card, theme);
            }
        });
    });
}

fn card_ui(ui: &mut Ui, card: &ExportCard, theme: &Theme) {
    let frame = egui::Frame::new()
        .fill(color(theme.ui.raised))
        .corner_radius(6.0)
        .inner_margin(egui::Margin::symmetric(10, 8));
    frame.show(ui, |ui| {
        ui.set_width(196.0);
        ui.set_min_height(84.0);
        ui.vertical(|ui| {
            ui.label(RichText::new(&card.name).strong());
            match &card.state {
                CardState::Waiting => {
                    ui.label(weak(theme, "waiting"));
                }
                CardState::Working => {
                    ui.horizontal(|ui| {
                        ui.spinner();
                        ui.label("settling and recording");
                    });
                }
                CardState::Done(report) => done_ui(ui, card, report, theme),
            }
        });
    });
}

fn done_ui(ui: &mut Ui, card: &ExportCard, report: &crate::studio::BakeReport, theme: &Theme) {
    let (icon, tone, text) = match (report.looping, report.closed) {
        (false, _) => (icons::pass(), theme.ui.good, "plays once"),
        (true, true) => (icons::pass(), theme.ui.good, "loops cleanly"),
        (true, false) => (icons::warning(), theme.ui.warning, "does not loop cleanly"),
    };
    ui.label(RichText::new(format!("{icon}  {text}")).color(color(tone)));
    let gap = format!("gap {:.3}° · {:.2} mm", report.seam_deg, report.seam_m * 1000.0);
    let warm = match report.looping {
        true => words::counted(report.warmup_passes as usize, "warm-up pass", "warm-up passes"),
        false => format!("settled {} s", report.warmup_passes),
    };
    ui.label(weak(theme, gap).small());
    if report.blended_m > 0.0 {
        let text = format!("end blended over {:.1} mm", report.blended_m * 1000.0);
        ui.label(weak(theme, text).small())
            .on_hover_text("No pass of the springs ended just where it began; the end is led over into the pass before.");
    }
    let keys = words::counted(report.keys, "key", "keys");
    ui.label(weak(theme, format!("{warm} · {keys}")).small());
    if let Some((deg, m)) = card.check {
        let text = format!("file plays within {deg:.2}° · {:.2} mm", m * 1000.0);
        ui.label(RichText::new(text).small());
    }
}
