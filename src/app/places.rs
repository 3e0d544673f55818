//! Panels in their places, by workspace.

use egui::{CentralPanel, Frame, Margin, Panel, Rect, UiBuilder};

use super::App;
use super::dock::{PanelKind, show, show_in_front};
use super::panes::Panes;
use crate::studio::{Tool, UserCommand, Workspace};
use crate::ui::compare::compare_ui;
use crate::ui::export::exported_ui;
use crate::ui::retarget::pose_panes_ui;
use crate::ui::theme::color;
use crate::ui::tool_bar::{has_bar, marks_ui, tool_bar_ui};
use crate::ui::tools::Worked;
use crate::ui::view_bar::{ViewBar, cube_ui, legend_ui, split_ui, view_bar_ui};
use crate::ui::viewport::{pointed_ui, viewport_ui};
use crate::ui::{Asked, card, keys, menu, status, transport};

impl App {
    /// Everything, from the edges to the middle.
    pub(super) fn places(&mut self, ui: &mut egui::Ui, asked: &mut Asked) {
        self.bars(ui, asked);
        self.transport(ui, asked);
        CentralPanel::default().frame(Frame::NONE).show(ui, |ui| self.dock(ui, asked));
    }

    /// The panels of the workspace, where the user has put them.
    fn dock(&mut self, ui: &mut egui::Ui, asked: &mut Asked) {
        let (workspace, size) = (self.studio.workspace(), ui.available_size());
        let mut tree = self.docks.take(workspace, size);
        if workspace == Workspace::Export {
            show(&mut tree, PanelKind::Results, self.has_results());
        }
        let is_posing = self.studio.is_posing();
        let comes = match workspace {
            Workspace::Motion => show_in_front(&mut tree, PanelKind::Retarget, is_posing),
            _ => None,
        };
        self.viewport_tile = tree.tiles.find_pane(&PanelKind::Viewport);
        self.viewport_tile = self.viewport_tile.and_then(|id| tree.tiles.parent_of(id));
        tree.ui(&mut Panes { app: self, asked }, ui);
        self.docks.put(workspace, tree, size);
        self.make_room(comes);
        self.resize_library();
    }

    /// Whether a tile holds the viewport's tab.
    pub(super) fn dock_is_viewport(&self, tile: egui_tiles::TileId) -> bool {
        self.viewport_tile == Some(tile)
    }

    fn bars(&mut self, ui: &mut egui::Ui, asked: &mut Asked) {
        let theme = &self.theme;
        let bar = Frame::new().fill(color(theme.ui.panel)).inner_margin(Margin::symmetric(10, 0));
        let (undo, redo) = self.studio.undo_redo();
        let status = self.studio.status();
        let (fps, cost) = (self.times.per_second(), self.times.in_words());
        let workspace = self.studio.workspace();
        let panels = PanelKind::of(workspace)
            .iter()
            .map(|&kind| (kind.title(), self.docks.shows(workspace, kind)))
            .collect();
        let top = menu::TopBar {
            file: self.title.clone(),
            undo: undo.map(str::to_owned),
            redo: redo.map(str::to_owned),
            recent: self.preferences.recent.clone(),
            workspace,
            panels,
        };
        let toggled = Panel::top("menu")
            .exact_size(36.0)
            .frame(bar)
            .show(ui, |ui| menu::menu_ui(ui, &top, theme, asked));
        let sunken = bar.fill(color(theme.ui.window));
        Panel::bottom("status").exact_size(24.0).frame(sunken).show(ui, |ui| {
            status::status_ui(ui, &status, (fps, cost.as_deref()), theme, asked);
        });
        if let Some(&kind) = toggled.inner.and_then(|n| PanelKind::of(workspace).get(n)) {
            self.toggle_panel(kind);
        }
    }

    fn transport(&mut self, ui: &mut egui::Ui, asked: &mut Asked) {
        let bar = Frame::new().fill(color(self.theme.ui.panel));
        let bar = bar.inner_margin(Margin::symmetric(10, 0));
        Panel::bottom("transport").exact_size(44.0).frame(bar).show(ui, |ui| {
            transport::transport_ui(ui, &self.studio.transport(), &self.theme, asked);
        });
    }

    pub(super) fn middle(&mut self, ui: &mut egui::Ui, asked: &mut Asked) {
        let rect = ui.max_rect();
        // Tools work in the one viewport only, rings on the pose, and they say so there.
        self.viewport.left_is_taken = false;
        if self.studio.compares() {
            let (panes, caption) = (self.studio.panes(), self.studio.compare_caption());
            compare_ui(ui, &mut self.viewport, &panes, &caption, &self.theme);
            if self.studio.workspace() != Workspace::Compare {
                split_ui(ui, rect, &self.theme, asked);
            }
        } else if self.studio.workspace() == Workspace::Hair
            && let panes = self.studio.hair_panes()
            && !panes.is_empty()
        {
            let caption = "Numbers are of the 12-second head-turn test, whatever plays above";
            compare_ui(ui, &mut self.viewport, &panes, caption, &self.theme);
        } else if self.studio.is_posing()
            && let Some(panes) = self.studio.pose_panes()
        {
            let hands = (&mut self.viewport, &mut self.turn_hand);
            let turned = self.studio.turned_at();
            pose_panes_ui(ui, hands, (&panes, turned), &self.theme, asked);
        } else {
            self.viewport_middle(ui, asked);
        }
        let corner = Rect::from_min_max(rect.right_top() + egui::vec2(-420.0, 108.0), rect.max);
        let corner = corner.with_max_x(rect.right() - 12.0);
        ui.scope_builder(UiBuilder::new().max_rect(corner), |ui| {
            status::notices_ui(ui, self.studio.notices(), &self.theme, asked);
        });
    }

    fn viewport_middle(&mut self, ui: &mut egui::Ui, asked: &mut Asked) {
        let theme = &self.theme;
        let is_held = keys::is_held(ui.ctx(), UserCommand::HoldBefore);
        let before = if is_held { self.studio.before() } else { None };
        // An export that comes back during a drag waits for its end.
        let exported = self.studio.exported_scene().filter(|_| !self.hand.is_busy());
        let is_exported = exported.is_some() && before.is_none();
        let scene = before.as_ref().or(exported).unwrap_or_else(|| self.studio.scene());
        let panel = self.studio.tool_panel();
        let work = Worked {
            scene,
            shade: self.studio.shade(),
            panel: &panel,
            gizmo: self.studio.gizmo_at(),
            holds: self.studio.collider_holds(),
        };
        // What was written is looked at, not worked on.
        let takes_left = !is_exported && self.hand.takes_left(ui, &self.viewport, &work);
        self.viewport.left_is_taken = takes_left;
        let (response, picked) = viewport_ui(ui, &mut self.viewport, scene, theme);
        let rect = response.rect;
        if !is_exported {
            self.hand.work(ui, &response, &self.viewport, &work, theme, asked);
        }
        if let Some((picked, held)) = picked.filter(|_| !takes_left && !is_exported) {
            asked.push(self.picked(&picked, held));
        }
        let pointed = self.viewport.pointed().filter(|_| before.is_none() && !is_exported);
        if let (Some((at, _)), Some(text)) = (pointed, self.pointed_at()) {
            pointed_ui(ui, rect, at, &text, theme);
        }
        if before.is_some() {
            let font = egui::TextStyle::Heading.resolve(ui.style());
            let at = rect.center_top() + egui::vec2(0.0, 16.0);
            let tone = color(theme.ui.text);
            ui.painter().text(at, egui::Align2::CENTER_TOP, "Before", font, tone);
        }
        if is_exported {
            exported_ui(ui, rect, theme, asked);
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
            if !is_exported {
                tool_bar_ui(ui, rect, &panel, theme, asked);
                marks_ui(ui, rect, &panel, theme, asked);
            }
            if let Some(legend) = self.studio.legend() {
                legend_ui(ui, rect, &legend, theme);
            }
            cube_ui(ui, rect, &mut self.viewport, theme);
        }
        // Who looks about in another workspace, takes a tool up or marks something is past the first minute, and what is
        // to be done with the marks stands where the card would.
        let has_room =
            is_open && self.preferences.show_card && self.studio.workspace() == Workspace::Rig;
        let is_start = has_room && panel.tool == Tool::Select && !has_bar(&panel);
        if !is_open || is_start {
            let card = self.card(ui, rect, asked);
            if is_open {
                self.viewport.cover((rect.bottom() - card.top()) / rect.height().max(1.0));
            }
        }
        // A tool puts the card away for a while: nothing moves below its first stroke.
        if !has_room {
            self.viewport.cover(0.0);
        }
    }

    /// The card of the first minute: over an empty viewport in its middle; a strip below a character, out of its way.
    /// Where it stands.
    fn card(&mut self, ui: &egui::Ui, rect: Rect, asked: &mut Asked) -> Rect {
        let is_open = self.studio.evaluated().is_some();
        let card = card::Card {
            samples: &self.samples,
            is_opening: self.studio.is_working(),
            can_close: is_open,
        };
        let area = egui::Area::new(egui::Id::unique("card")).order(egui::Order::Middle);
        let area = if is_open {
            area.pivot(egui::Align2::CENTER_BOTTOM)
                .fixed_pos(rect.center_bottom() - egui::vec2(0.0, 12.0))
        } else {
            area.pivot(egui::Align2::CENTER_CENTER).fixed_pos(rect.center())
        };
        let theme = &self.theme;
        let width = rect.width() - 24.0;
        let closed = area
            .constrain_to(rect)
            .show(ui.ctx(), |ui| card::card_ui(ui, card, width, theme, asked));
        self.preferences.show_card &= !closed.inner;
        closed.response.rect
    }
}
