//! The left panel: what was found and what the file holds; names are changed where they stand.

use egui::{Key, RichText, ScrollArea, Sense, TextStyle, Ui, WidgetInfo};

use super::theme::{Theme, color};
use super::widgets::icon_button;
use super::{Asked, icons};
use crate::model::{Severity, Verdict};
use crate::studio::{
    ColliderCommand, ColliderEntry, Command, MeshRow, Outliner, ProblemRow, RegionRow, Selection,
    words,
};
use crate::view::Rgb;

/// What the user looks for, and the name that is being changed.
#[derive(Clone, Debug, Default)]
pub struct Finding {
    filter: String,
    renaming: Option<Renaming>,
}

/// A name on its way.
#[derive(Clone, Debug)]
struct Renaming {
    what: Selection,
    text: String,
    is_fresh: bool,
}

impl Finding {
    /// Opens the field for another name of `what`, which is called `name`.
    pub fn rename(&mut self, what: Selection, name: String) {
        self.renaming = Some(Renaming { what, text: name, is_fresh: true });
        // It must be in the list.
        self.filter.clear();
    }

    /// Whether a list must stand open for the field to be seen.
    fn opens(&self, is_in_list: impl Fn(Selection) -> bool) -> Option<bool> {
        self.renaming.as_ref().filter(|r| r.is_fresh && is_in_list(r.what)).map(|_| true)
    }

    /// Draws the field in the place of the line of `what`, where its name is being changed.
    fn field_ui(&mut self, ui: &mut Ui, what: Selection, asked: &mut Asked) -> bool {
        let Some(renaming) = self.renaming.as_mut().filter(|r| r.what == what) else {
            return false;
        };
        let field = egui::TextEdit::singleline(&mut renaming.text).desired_width(f32::INFINITY);
        let response = ui.add(field);
        response.widget_info(|| WidgetInfo::labeled(egui::Role::TextInput, true, "New name"));
        if std::mem::take(&mut renaming.is_fresh) {
            response.request_focus();
            response.scroll_to_me(None);
        } else if !response.has_focus() {
            // One that was out of sight when it lost the focus is given up, too.
            let is_given_up = !response.lost_focus() || ui.input(|i| i.key_pressed(Key::Escape));
            if let Some(done) = self.renaming.take().filter(|_| !is_given_up) {
                asked.push(Command::Rename(done.what, done.text));
            }
        }
        true
    }

    /// A line whose name can be changed: a click selects, with Shift or Ctrl asks for `adds`, two clicks open the field.
    fn line_ui(
        &mut self,
        ui: &mut Ui,
        (line, what, adds): (&Line<'_>, Selection, Option<Command>),
        theme: &Theme,
        asked: &mut Asked,
    ) -> Option<egui::Response> {
        if self.field_ui(ui, what, asked) {
            return None;
        }
        let response = line.show(ui, theme);
        let is_more = ui.input(|i| i.modifiers.shift || i.modifiers.command);
        if response.double_clicked() {
            self.rename(what, line.name.to_owned());
        } else if response.clicked() {
            asked.push(adds.filter(|_| is_more).unwrap_or(Command::Select(what)));
        }
        Some(response)
    }
}

/// One line: a dot or an icon, a name, and a word on the right.
struct Line<'a> {
    dot: Option<Rgb>,
    icon: Option<char>,
    name: &'a str,
    note: String,
    indent: f32,
    is_selected: bool,
}

impl Line<'_> {
    fn show(&self, ui: &mut Ui, theme: &Theme) -> egui::Response {
        let colors = &theme.ui;
        let size = egui::vec2(ui.available_width(), 22.0);
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        let info = || WidgetInfo::selected(egui::Role::TreeItem, true, self.is_selected, self.name);
        response.widget_info(info);
        if !ui.is_rect_visible(rect) {
            return response;
        }
        let fill = match (self.is_selected, response.hovered() || response.has_focus()) {
            (true, _) => Some(colors.selection),
            (false, true) => Some(colors.hovered),
            _ => None,
        };
        let painter = ui.painter();
        if let Some(fill) = fill {
            painter.rect_filled(rect, 4.0, color(fill));
        }
        let font = TextStyle::Body.resolve(ui.style());
        let mut x = rect.left() + 8.0 + self.indent;
        if let Some(dot) = self.dot {
            painter.circle_filled(egui::pos2(x + 4.0, rect.center().y), 4.5, color(dot));
            x += 16.0;
        }
        if let Some(icon) = self.icon {
            let at = egui::pos2(x - 2.0, rect.center().y);
            let tone = color(colors.text_weak);
            painter.text(at, egui::Align2::LEFT_CENTER, icon, font.clone(), tone);
            x += 16.0;
        }
        let note = painter.layout_no_wrap(self.note.clone(), font.clone(), color(colors.text_weak));
        let room = rect.right() - 8.0 - note.size().x - 6.0 - x;
        let tone = if self.is_selected { colors.text_strong } else { colors.text };
        let mut job = egui::text::LayoutJob::simple_singleline(self.name.into(), font, color(tone));
        job.wrap = egui::text::TextWrapping::truncate_at_width(room.max(10.0));
        let name = painter.layout_job(job);
        let top = |height: f32| rect.center().y - height * 0.5;
        painter.galley(egui::pos2(x, top(name.size().y)), name, color(tone));
        let left = rect.right() - 8.0 - note.size().x;
        painter.galley(egui::pos2(left, top(note.size().y)), note, color(colors.text_weak));
        response
    }
}

/// Regions left alone that stand open; more of them fold.
const MOST_LEFT_OPEN: usize = 5;

/// Before the note of what the user has decided.
fn by_user(is_by_user: bool) -> String {
    if is_by_user { format!("{} ", icons::by_user()) } else { String::new() }
}

/// Draws the panel. `finding` is what its fields hold.
pub fn outliner_ui(
    ui: &mut Ui,
    panel: &Outliner,
    finding: &mut Finding,
    theme: &Theme,
    asked: &mut Asked,
) {
    let field = egui::TextEdit::singleline(&mut finding.filter)
        .hint_text(format!("{}  Search", icons::search()))
        .desired_width(f32::INFINITY);
    ui.add(field).widget_info(|| WidgetInfo::labeled(egui::Role::SearchInput, true, "Search"));
    ui.add_space(4.0);
    let wanted = finding.filter.trim().to_lowercase();
    let mut lists = Lists { panel, finding, wanted, found: 0, theme, asked };
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        lists.problems_ui(ui);
        lists.regions_ui(ui);
        lists.chains_ui(ui);
        lists.colliders_ui(ui);
        lists.joints_ui(ui);
        lists.meshes_ui(ui);
        if lists.found == 0 && !lists.wanted.is_empty() {
            ui.weak("Nothing of that name");
        }
    });
}

/// The lists of the panel, and what their lines work with.
struct Lists<'a> {
    panel: &'a Outliner,
    finding: &'a mut Finding,
    /// What is searched for, in small letters.
    wanted: String,
    /// How many lines have it in their names.
    found: usize,
    theme: &'a Theme,
    asked: &'a mut Asked,
}

impl Lists<'_> {
    fn fits(&self, name: &str) -> bool {
        self.wanted.is_empty() || name.to_lowercase().contains(&self.wanted)
    }

    /// A list that folds, with how many lines of these names it holds. While something is searched for, a list stands
    /// open with what was found in it, and one without is left out.
    fn list<'n>(
        &mut self,
        name: &str,
        lines: impl Iterator<Item = &'n str>,
    ) -> Option<egui::CollapsingHeader> {
        let is_searched = !self.wanted.is_empty();
        let n = lines.filter(|line| self.fits(line)).count();
        self.found += n;
        let heading = RichText::new(format!("{name}  {}", words::count(n)));
        let header = egui::CollapsingHeader::new(heading);
        match is_searched {
            // Under a name of its own, so that what was folded before is so again.
            true => (n > 0).then(|| header.id_salt((name, "found")).open(Some(true))),
            false => Some(header.id_salt(name)),
        }
    }

    /// Whether a list must stand open, for the selection to be seen or a name to be changed.
    fn opens(&self, is_in_list: impl Fn(Selection) -> bool) -> Option<bool> {
        let is_searched = !self.wanted.is_empty();
        if is_searched { Some(true) } else { self.finding.opens(is_in_list) }
    }

    fn problems_ui(&mut self, ui: &mut Ui) {
        let panel = self.panel;
        let problems = &panel.problems;
        if problems.is_empty() {
            return;
        }
        let is_serious = problems.iter().any(|p| p.severity != Severity::Notice);
        let texts: Vec<String> =
            problems.iter().map(|row| format!("{}\n{}", row.subject, row.message)).collect();
        let Some(header) = self.list("Problems", texts.iter().map(String::as_str)) else { return };
        header.default_open(is_serious).show_unindented(ui, |ui| {
            for (row, text) in problems.iter().zip(&texts) {
                if self.fits(text) {
                    self.problem_ui(ui, row);
                }
            }
        });
    }

    /// A problem: what it concerns, what was found, and a button for what can be done.
    fn problem_ui(&mut self, ui: &mut Ui, row: &ProblemRow) {
        let icon = match row.severity {
            Severity::Notice => icons::info(),
            _ => icons::warning(),
        };
        let about = format!("{}\n{}", words::sentence(&row.message), row.code);
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let (words, command) = &row.fix;
                let button = ui.small_button(*words);
                let label = format!("{words}: {}", row.subject);
                button.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &label));
                if button.on_hover_text(&about).clicked() {
                    self.asked.push(command.clone());
                }
                let line = Line {
                    dot: None,
                    icon: Some(icon),
                    name: &row.subject,
                    note: String::new(),
                    indent: 0.0,
                    is_selected: false,
                };
                line.show(ui, self.theme).on_hover_text(&about);
            });
        });
    }

    fn regions_ui(&mut self, ui: &mut Ui) {
        let panel = self.panel;
        let opens = self.opens(|what| matches!(what, Selection::Region(_)));
        let names = panel.regions.iter().map(|row| row.name.as_str());
        let Some(header) = self.list("Regions", names) else { return };
        header.default_open(true).open(opens).show_unindented(ui, |ui| {
            if panel.regions.is_empty() {
                ui.weak("Nothing stands off the skeleton");
            }
            // What is treated comes first; what is left alone folds where it is much.
            let fitting = panel.regions.iter().filter(|row| self.fits(&row.name));
            let (left, treated): (Vec<_>, Vec<_>) =
                fitting.partition(|row| row.verdict == Verdict::Leave && !row.by_user);
            treated.into_iter().for_each(|row| self.region_ui(ui, row));
            if left.len() <= MOST_LEFT_OPEN || !self.wanted.is_empty() {
                left.into_iter().for_each(|row| self.region_ui(ui, row));
                return;
            }
            let title = RichText::new(format!("Left alone  {}", words::count(left.len())));
            let title = title.color(color(self.theme.ui.text_weak));
            let fold = egui::CollapsingHeader::new(title).id_salt("left alone");
            let is_within = left.iter().any(|row| panel.selection == Selection::Region(row.id));
            fold.open(is_within.then_some(true)).show_unindented(ui, |ui| {
                left.into_iter().for_each(|row| self.region_ui(ui, row));
            });
        });
    }

    fn region_ui(&mut self, ui: &mut Ui, row: &RegionRow) {
        let what = Selection::Region(row.id);
        let line = Line {
            dot: Some(self.theme.viewport.kinds.of(row.kind)),
            icon: None,
            name: &row.name,
            note: format!("{}{}", by_user(row.by_user), words::treatment(row.verdict)),
            indent: 0.0,
            is_selected: row.also || self.panel.selection == what,
        };
        let adds = Some(Command::SelectAlso(row.id));
        let line = (&line, what, adds);
        if let Some(response) = self.finding.line_ui(ui, line, self.theme, self.asked) {
            let about = words::treatment_about(row.verdict);
            response.on_hover_text(format!("{about}\nDouble click or F2 renames it"));
        }
    }

    fn chains_ui(&mut self, ui: &mut Ui) {
        let panel = self.panel;
        if panel.chains.is_empty() {
            return;
        }
        let opens = self.opens(|what| matches!(what, Selection::Chain(_)));
        let names = panel.chains.iter().map(|row| row.name.as_str());
        let Some(header) = self.list("Chains", names) else { return };
        header.default_open(true).open(opens).show_unindented(ui, |ui| {
            for row in &panel.chains {
                if !self.fits(&row.name) {
                    continue;
                }
                let what = Selection::Chain(row.index);
                let origin = if row.is_existing { "in file, " } else { "" };
                let line = Line {
                    dot: None,
                    icon: Some(icons::chain()),
                    name: &row.name,
                    note: format!("{origin}{}", words::counted(row.n_joints, "bone", "bones")),
                    indent: 0.0,
                    is_selected: panel.selection == what,
                };
                // One of the file is called after a bone of the file.
                self.bone_line_ui(ui, &line, what, !row.is_existing);
            }
        });
    }

    /// A line of bones: those of our own can be renamed, those of the file keep their names.
    fn bone_line_ui(&mut self, ui: &mut Ui, line: &Line<'_>, what: Selection, is_own: bool) {
        if is_own {
            self.finding.line_ui(ui, (line, what, None), self.theme, self.asked);
        } else if line.show(ui, self.theme).clicked() {
            self.asked.push(Command::Select(what));
        }
    }

    fn colliders_ui(&mut self, ui: &mut Ui) {
        let panel = self.panel;
        if panel.colliders.is_empty() {
            return;
        }
        let is_within = matches!(panel.selection, Selection::Collider(_));
        let opens = self.opens(|_| false).or(is_within.then_some(true));
        let names = panel.colliders.iter().map(|row| row.name.as_str());
        let Some(header) = self.list("Colliders", names) else { return };
        header.open(opens).show_unindented(ui, |ui| {
            for row in &panel.colliders {
                if self.fits(&row.name) {
                    self.collider_ui(ui, row);
                }
            }
        });
    }

    /// A collider: its name, how thick it is, and an eye that hides it.
    fn collider_ui(&mut self, ui: &mut Ui, row: &ColliderEntry) {
        let what = Selection::Collider(row.index);
        if self.finding.field_ui(ui, what, self.asked) {
            return;
        }
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let (eye, word) =
                    if row.is_shown { (icons::eye(), "Hide") } else { (icons::eye_off(), "Show") };
                let label = format!("{word} collider {}", row.name);
                let about = "Draw it over the skin, or not; / shows it alone, Alt+H all";
                if icon_button(ui, eye, &label, about, false).clicked() {
                    self.asked.push(Command::Collider(ColliderCommand::ToggleShown(row.index)));
                }
                let line = Line {
                    dot: None,
                    icon: Some(icons::collider()),
                    name: &row.name,
                    note: format!("{}{}", by_user(row.by_user), row.about),
                    indent: 0.0,
                    is_selected: row.also || self.panel.selection == what,
                };
                let adds = Some(Command::Collider(ColliderCommand::SelectAlso(row.index)));
                let line = (&line, what, adds);
                if let Some(response) = self.finding.line_ui(ui, line, self.theme, self.asked) {
                    response.on_hover_text("Shift click adds it; double click or F2 renames it");
                }
            });
        });
    }

    fn joints_ui(&mut self, ui: &mut Ui) {
        let panel = self.panel;
        let opens = self.opens(|what| matches!(what, Selection::Joint(_)));
        let names = panel.joints.iter().map(|row| row.name.as_str());
        let Some(header) = self.list("Skeleton", names) else { return };
        header.open(opens).show_unindented(ui, |ui| {
            for row in &panel.joints {
                if !self.fits(&row.name) {
                    continue;
                }
                let what = Selection::Joint(row.node);
                let line = Line {
                    dot: row.is_new.then_some(self.theme.viewport.chain_bone),
                    icon: None,
                    name: &row.name,
                    note: if row.is_new { "new".into() } else { String::new() },
                    indent: 8.0 * row.depth.min(12) as f32,
                    is_selected: panel.selection == what,
                };
                self.bone_line_ui(ui, &line, what, row.is_new);
            }
        });
    }

    fn meshes_ui(&mut self, ui: &mut Ui) {
        let panel = self.panel;
        let opens = self.opens(|_| false);
        let names = panel.meshes.iter().map(|row| row.name.as_str());
        let Some(header) = self.list("Meshes", names) else { return };
        header.open(opens).show_unindented(ui, |ui| {
            for row in &panel.meshes {
                if self.fits(&row.name) {
                    self.mesh_ui(ui, row);
                }
            }
        });
    }

    /// A mesh: its name, its vertices, and an eye that hides it.
    fn mesh_ui(&mut self, ui: &mut Ui, row: &MeshRow) {
        let (icon, word) =
            if row.is_shown { (icons::eye(), "Hide") } else { (icons::eye_off(), "Show") };
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let label = format!("{word} mesh {}", row.name);
                let about = "Draw it, or not; / shows what is selected alone, Alt+H all";
                let eye = icon_button(ui, icon, &label, about, false);
                let line = Line {
                    dot: None,
                    icon: None,
                    name: &row.name,
                    note: words::counted(row.n_vertices, "vertex", "vertices"),
                    indent: 0.0,
                    is_selected: self.panel.selection == Selection::Mesh(row.instance),
                };
                let response = line.show(ui, self.theme).on_hover_text(
                    "Double click shows or hides it; H hides, / shows what is selected alone",
                );
                if eye.clicked() || response.double_clicked() {
                    self.asked.push(Command::ToggleMesh(row.instance));
                } else if response.clicked() {
                    self.asked.push(Command::Select(Selection::Mesh(row.instance)));
                }
            });
        });
    }
}
