//! Panels in their places, by workspace.

use egui::{CentralPanel, Frame, Margin, Panel, Rect, ScrollArea, UiBuilder};

use super::App;
use crate::studio::{LibraryLook, Selection, Workspace};
use crate::ui::compare::compare_ui;
use crate::ui::shelf::{Pictures, shelf_ui};
use crate::ui::theme::color;
use crate::ui::thresholds::thresholds_ui;
use crate::ui::view_bar::{ViewBar, cube_ui, legend_ui, view_bar_ui};
use crate::ui::viewport::{select, viewport_ui};
use crate::ui::widgets::fold;
use crate::ui::{Asked, card, export, inspector, menu, outliner, springs, status, transport};
use crate::view;

impl App {
    /// Everything, from the edges to the middle.
    pub(super) fn places(&mut self, ui: &mut egui::Ui, asked: &mut Asked) {
        self.bars(ui, asked);
        match self.studio.workspace() {
            Workspace::Export => self.export_results(ui),
            _ => self.library(ui, asked),
        }
        self.transport(ui, asked);
        match self.studio.workspace() {
            Workspace::Rig => {
                self.left_panel(ui, asked);
                self.right_panel(ui, asked);
            }
            Workspace::Motion => self.right_panel(ui, asked),
            Workspace::Compare => {}
            Workspace::Export => self.export_panels(ui, asked),
        }
        self.middle(ui, asked);
    }

    /// Every workspace remembers its own widths.
    fn panel_id(&self, panel: &str) -> String {
        format!("{} {panel}", self.studio.workspace().name())
    }

    fn panel_frame(&self) -> Frame {
        Frame::new().fill(color(self.theme.ui.panel)).inner_margin(Margin::same(10))
    }

    fn left_panel(&mut self, ui: &mut egui::Ui, asked: &mut Asked) {
        let (theme, frame) = (&self.theme, self.panel_frame());
        let id = self.panel_id("outliner");
        Panel::left(id).default_size(240.0).min_size(180.0).frame(frame).show(ui, |ui| {
            outliner::outliner_ui(ui, &self.panels.outliner, &mut self.filter, theme, asked);
        });
    }

    fn right_panel(&mut self, ui: &mut egui::Ui, asked: &mut Asked) {
        let (theme, frame) = (&self.theme, self.panel_frame());
        let panel = Panel::right(self.panel_id("inspector"))
            .default_size(364.0)
            .min_size(320.0)
            .max_size(480.0);
        panel.frame(frame).show(ui, |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                match &self.panels.region {
                    Some(panel) => inspector::region_ui(ui, panel, theme, asked),
                    None => match &self.panels.character {
                        Some(panel) => inspector::character_ui(ui, panel, theme, asked),
                        None => {
                            ui.weak("Select a region to see what it is and why");
                        }
                    },
                }
                if let Some(panel) = &self.panels.springs {
                    fold(ui, "Motion", "motion", true, |ui| {
                        springs::springs_ui(ui, panel, theme, asked);
                    });
                }
                if self.studio.evaluated().is_some() {
                    fold(ui, "Thresholds", "thresholds", false, |ui| {
                        thresholds_ui(ui, &self.studio.thresholds(), theme, asked);
                    });
                }
            });
        });
    }

    fn bars(&mut self, ui: &mut egui::Ui, asked: &mut Asked) {
        let theme = &self.theme;
        let bar = Frame::new().fill(color(theme.ui.panel)).inner_margin(Margin::symmetric(10, 0));
        let (undo, redo) = self.studio.undo_redo();
        let status = self.studio.status();
        let top = menu::TopBar {
            file: self.title.clone(),
            undo: undo.map(str::to_owned),
            redo: redo.map(str::to_owned),
            recent: self.preferences.recent.clone(),
            workspace: self.studio.workspace(),
        };
        Panel::top("menu").exact_size(36.0).frame(bar).show(ui, |ui| {
            menu::menu_ui(ui, &top, theme, asked);
        });
        let sunken = bar.fill(color(theme.ui.window));
        Panel::bottom("status").exact_size(24.0).frame(sunken).show(ui, |ui| {
            status::status_ui(ui, &status, theme, asked);
        });
    }

    /// The library under the transport: a strip, a grid, or its header alone; large in the motion workspace.
    fn library(&mut self, ui: &mut egui::Ui, asked: &mut Asked) {
        let frame = Frame::new().fill(color(self.theme.ui.panel)).inner_margin(Margin {
            left: 10,
            right: 10,
            top: 6,
            bottom: 6,
        });
        let workspace = self.studio.workspace();
        let look = match (workspace, self.preferences.library) {
            (Workspace::Motion, LibraryLook::Closed | LibraryLook::Strip) => LibraryLook::Grid,
            (_, look) => look,
        };
        let panel = Panel::bottom(format!("library {look:?}")).frame(frame);
        let panel = match look {
            LibraryLook::Closed => panel.exact_size(38.0),
            LibraryLook::Strip => panel.exact_size(172.0),
            LibraryLook::Grid => {
                panel.resizable(true).default_size(320.0).min_size(160.0).max_size(720.0)
            }
        };
        let pictures = Pictures {
            has_gpu: self.viewport.has_gpu,
            fresh: self.studio.next_tiles(view::tiles_per_frame()).into_iter().collect(),
        };
        if !pictures.fresh.is_empty() {
            // More may wait for their turn.
            ui.ctx().request_repaint();
        }
        let answer = panel
            .show(ui, |ui| {
                let shown = (&self.panels.shelf, &mut self.query, look);
                shelf_ui(ui, shown, &pictures, &self.theme, asked)
            })
            .inner;
        if let Some(name) = &answer.starred {
            self.preferences.toggle_favourite(name);
        }
        if let Some(look) = answer.look {
            self.preferences.library = look;
        }
        if answer.is_changed || answer.starred.is_some() {
            self.refill_shelf();
        }
        self.studio.want_tiles(&answer.visible);
    }

    fn transport(&mut self, ui: &mut egui::Ui, asked: &mut Asked) {
        let bar = Frame::new().fill(color(self.theme.ui.panel));
        let bar = bar.inner_margin(Margin::symmetric(10, 0));
        Panel::bottom("transport").exact_size(44.0).frame(bar).show(ui, |ui| {
            transport::transport_ui(ui, &self.studio.transport(), &self.theme, asked);
        });
    }

    /// Which clips on the left, how and where to on the right.
    fn export_panels(&mut self, ui: &mut egui::Ui, asked: &mut Asked) {
        let (panel, frame) = (self.studio.export_panel(), self.panel_frame());
        let (theme, input) = (&self.theme, &mut self.export);
        Panel::left("export clips").default_size(280.0).min_size(220.0).frame(frame).show(
            ui,
            |ui| {
                export::clips_ui(ui, &panel, input, theme, asked);
            },
        );
        Panel::right("export settings").default_size(364.0).min_size(320.0).frame(frame).show(
            ui,
            |ui| {
                let go = Frame::new().inner_margin(Margin { top: 10, ..Margin::ZERO });
                Panel::bottom("export go").frame(go).resizable(false).show(ui, |ui| {
                    export::go_ui(ui, &panel, theme, asked);
                });
                ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                    export::settings_ui(ui, &panel, theme, asked);
                });
            },
        );
    }

    /// What came of each clip, once there is something to show.
    fn export_results(&mut self, ui: &mut egui::Ui) {
        let panel = self.studio.export_panel();
        if panel.cards.is_empty() {
            return;
        }
        let frame = self.panel_frame();
        let shown = Panel::bottom("export results").frame(frame).resizable(true);
        shown.default_size(132.0).min_size(120.0).max_size(480.0).show(ui, |ui| {
            export::results_ui(ui, &panel, &self.theme);
        });
    }

    fn middle(&mut self, ui: &mut egui::Ui, asked: &mut Asked) {
        CentralPanel::default().frame(Frame::NONE).show(ui, |ui| {
            if self.studio.workspace() == Workspace::Compare && self.studio.evaluated().is_some() {
                let (panes, caption) = (self.studio.panes(), self.studio.compare_caption());
                compare_ui(ui, &mut self.viewport, &panes, &caption, &self.theme);
            } else {
                self.viewport_middle(ui, asked);
            }
            let rect = ui.min_rect();
            let corner = Rect::from_min_max(rect.right_top() + egui::vec2(-420.0, 108.0), rect.max);
            let corner = corner.with_max_x(rect.right() - 12.0);
            ui.scope_builder(UiBuilder::new().max_rect(corner), |ui| {
                status::notices_ui(ui, self.studio.notices(), &self.theme, asked);
            });
        });
    }

    fn viewport_middle(&mut self, ui: &mut egui::Ui, asked: &mut Asked) {
        let theme = &self.theme;
        let is_held =
            !ui.ctx().egui_wants_keyboard_input() && ui.input(|i| i.key_down(egui::Key::Backtick));
        let before = if is_held { self.studio.before() } else { None };
        let scene = before.as_ref().unwrap_or_else(|| self.studio.scene());
        let (rect, picked) = viewport_ui(ui, &mut self.viewport, scene, theme);
        if let Some(picked) = picked {
            let region = |v| self.studio.region_at(v).map_or(Selection::None, Selection::Region);
            asked.push(select(&picked, region));
        }
        if before.is_some() {
            let font = egui::TextStyle::Heading.resolve(ui.style());
            let at = rect.center_top() + egui::vec2(0.0, 16.0);
            let tone = color(theme.ui.text);
            ui.painter().text(at, egui::Align2::CENTER_TOP, "Before", font, tone);
        }
        let is_open = self.studio.evaluated().is_some();
        if is_open {
            let shows = |o| self.studio.shows(o);
            let bar = ViewBar {
                shade: self.studio.shade(),
                shows: &shows,
                is_turning: self.viewport.is_turning(),
            };
            view_bar_ui(ui, rect, &bar, theme, asked);
            if let Some(legend) = self.studio.legend() {
                legend_ui(ui, rect, &legend, theme);
            }
            cube_ui(ui, rect, &mut self.viewport, theme);
        }
        // Who exports has seen the first minute out.
        let is_export = self.studio.workspace() == Workspace::Export;
        if !is_open || self.preferences.show_card && !is_export {
            let card = card::Card {
                samples: &self.samples,
                is_opening: self.studio.is_working(),
                can_close: is_open,
            };
            // Over an empty viewport in its middle; beside a character in the lower left, out of its way.
            let area = egui::Area::new(egui::Id::unique("card")).order(egui::Order::Middle);
            let area = if is_open {
                let corner = rect.left_bottom() + egui::vec2(14.0, -14.0);
                area.pivot(egui::Align2::LEFT_BOTTOM).fixed_pos(corner)
            } else {
                area.pivot(egui::Align2::CENTER_CENTER).fixed_pos(rect.center())
            };
            let closed =
                area.constrain_to(rect).show(ui.ctx(), |ui| card::card_ui(ui, card, theme, asked));
            self.preferences.show_card &= !closed.inner;
        }
    }
}
