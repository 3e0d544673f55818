//! What stands in each panel of an arrangement.

use egui::{Frame, Margin, Panel, ScrollArea, Stroke, Ui, UiBuilder, Visuals, WidgetText, vec2};
use egui_tiles::{
    Behavior, ResizeState, SimplificationOptions, TabState, Tabs, TileId, Tiles, UiResponse,
};

use super::App;
use super::dock::{GAP, PanelKind, TAB_BAR};
use crate::studio::{Command, LibraryLook, PosingCommand, Selection, Workspace};
use crate::ui::shelf::{Pictures, shelf_ui};
use crate::ui::theme::color;
use crate::ui::thresholds::thresholds_ui;
use crate::ui::widgets::fold;
use crate::ui::{
    Asked, chain, colliders, export, hair, inspector, outliner, retarget, roles, springs,
};
use crate::view;

/// Heights from which the library shows a row of tiles, and rows of them.
const STRIP_FROM: f32 = 96.0;
const GRID_FROM: f32 = 240.0;

/// Height of the library with one row of tiles.
const STRIP: f32 = 200.0;

/// Draws panels in their places.
pub(super) struct Panes<'a> {
    pub(super) app: &'a mut App,
    pub(super) asked: &'a mut Asked,
}

impl Behavior<PanelKind> for Panes<'_> {
    fn pane_ui(&mut self, ui: &mut Ui, _tile: TileId, kind: &mut PanelKind) -> UiResponse {
        self.app.pane(ui, *kind, self.asked);
        UiResponse::None
    }

    fn tab_title_for_pane(&mut self, kind: &PanelKind) -> WidgetText {
        kind.title().into()
    }

    fn is_tab_closable(&self, tiles: &Tiles<PanelKind>, tile: TileId) -> bool {
        // The viewport always stands; results come and go by themselves.
        let stays = [PanelKind::Viewport, PanelKind::Results];
        tiles.get_pane(&tile).is_some_and(|kind| !stays.contains(kind))
    }

    fn on_tab_close(&mut self, tiles: &mut Tiles<PanelKind>, tile: TileId) -> bool {
        if tiles.get_pane(&tile) == Some(&PanelKind::Retarget) {
            self.asked.push(Command::Posing(PosingCommand::Close));
            return false;
        }
        // Closed panels keep their place, to come back to.
        tiles.set_visible(tile, false);
        false
    }

    fn is_tab_bar_visible(&self, tile: TileId, tabs: &Tabs) -> bool {
        // The viewport alone needs no title.
        tabs.children.len() > 1 || !self.app.dock_is_viewport(tile)
    }

    fn simplification_options(&self) -> SimplificationOptions {
        SimplificationOptions { all_panes_must_have_tabs: true, ..SimplificationOptions::default() }
    }

    fn tab_bar_height(&self, _style: &egui::Style) -> f32 {
        TAB_BAR
    }

    fn close_button_inner_margin(&self) -> f32 {
        3.0
    }

    fn gap_width(&self, _style: &egui::Style) -> f32 {
        GAP
    }

    fn min_size(&self) -> f32 {
        64.0
    }

    fn tab_bar_color(&self, _visuals: &Visuals) -> egui::Color32 {
        color(self.app.theme.ui.window)
    }

    fn tab_outline_stroke(
        &self,
        _visuals: &Visuals,
        _tiles: &Tiles<PanelKind>,
        _tile: TileId,
        _state: &TabState,
    ) -> Stroke {
        Stroke::NONE
    }

    fn tab_bar_hline_stroke(&self, _visuals: &Visuals) -> Stroke {
        Stroke::NONE
    }

    fn tab_text_color(
        &self,
        _visuals: &Visuals,
        _tiles: &Tiles<PanelKind>,
        _tile: TileId,
        state: &TabState,
    ) -> egui::Color32 {
        let ui = &self.app.theme.ui;
        color(if state.active { ui.text } else { ui.text_weak })
    }

    fn resize_stroke(&self, style: &egui::Style, state: ResizeState) -> Stroke {
        let ui = &self.app.theme.ui;
        let tone = match state {
            ResizeState::Idle => ui.window,
            ResizeState::Hovering | ResizeState::Dragging => ui.accent,
        };
        Stroke::new(self.gap_width(style), color(tone))
    }
}

impl App {
    /// Draws one panel over all of `ui`.
    fn pane(&mut self, ui: &mut Ui, kind: PanelKind, asked: &mut Asked) {
        if kind == PanelKind::Viewport {
            return self.middle(ui, asked);
        }
        let rect = ui.max_rect();
        ui.painter().rect_filled(rect, 0.0, color(self.theme.ui.panel));
        let inner = rect.shrink2(vec2(10.0, 8.0));
        ui.scope_builder(UiBuilder::new().max_rect(inner), |ui| {
            ui.set_clip_rect(rect.intersect(ui.clip_rect()));
            match kind {
                PanelKind::Viewport => {}
                PanelKind::Outliner => {
                    let (panel, finding) = (&self.panels.outliner, &mut self.finding);
                    outliner::outliner_ui(ui, panel, finding, &self.theme, asked);
                }
                PanelKind::Inspector => self.inspector(ui, asked),
                PanelKind::Library => self.library(ui, asked),
                PanelKind::Clips => {
                    let (panel, input) = (self.studio.export_panel(), &mut self.export);
                    export::clips_ui(ui, &panel, input, &self.theme, asked);
                }
                PanelKind::Settings => self.export_settings(ui, asked),
                PanelKind::Strands => {
                    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                        hair::strands_ui(ui, &self.studio.hair_panel(), &self.theme, asked);
                    });
                }
                PanelKind::Hair => {
                    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                        self.collider(ui, asked);
                        hair::settings_ui(ui, &self.studio.hair_panel(), &self.theme, asked);
                    });
                }
                PanelKind::Retarget => {
                    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                        let Some(panel) = &self.panels.retarget else { return };
                        let suggested = self.studio.suggested_map();
                        retarget::retarget_ui(ui, panel, &suggested, &self.theme, asked);
                    });
                }
                PanelKind::Results => {
                    export::results_ui(ui, &self.studio.export_panel(), &self.theme);
                }
            }
        });
    }

    fn inspector(&mut self, ui: &mut Ui, asked: &mut Asked) {
        let theme = &self.theme;
        // Something else that is selected begins at its top.
        let salt = format!("{:?}", self.studio.selection());
        ScrollArea::vertical().id_salt(salt).auto_shrink(false).show(ui, |ui| {
            match (&self.panels.region, &self.panels.chain, &self.panels.character) {
                _ if self.panels.collider.is_some() => {}
                (Some(panel), ..) => inspector::region_ui(ui, panel, theme, asked),
                (None, Some(panel), _) => chain::chain_ui(ui, panel, theme, asked),
                (None, None, Some(panel)) => roles::character_ui(ui, panel, theme, asked),
                (None, None, None) => {
                    ui.weak("Select a region to see what it is and why");
                }
            }
            if let Some(panel) = &self.panels.springs {
                fold(ui, "Motion", "motion", true, |ui| {
                    springs::springs_ui(ui, panel, theme, asked);
                });
            }
            self.collider(ui, asked);
            if self.studio.evaluated().is_some() {
                fold(ui, "Thresholds", "thresholds", false, |ui| {
                    thresholds_ui(ui, &self.studio.thresholds(), theme, asked);
                });
            }
        });
    }

    /// The selected collider, and where one could stand, the buttons that make it.
    fn collider(&self, ui: &mut Ui, asked: &mut Asked) {
        if let Some(panel) = &self.panels.collider {
            colliders::collider_ui(ui, panel, &self.theme, asked);
            ui.add_space(6.0);
        }
        let stands = matches!(
            self.studio.selection(),
            Selection::Joint(_) | Selection::Chain(_) | Selection::Collider(_)
        );
        if stands {
            fold(ui, "New collider", "new collider", true, |ui| {
                colliders::new_collider_ui(ui, asked);
            });
        }
    }

    /// How and where to, above the button that is always in sight.
    fn export_settings(&mut self, ui: &mut Ui, asked: &mut Asked) {
        let panel = self.studio.export_panel();
        let theme = &self.theme;
        let go = Frame::new().inner_margin(Margin { top: 10, ..Margin::ZERO });
        Panel::bottom("export go").frame(go).resizable(false).show(ui, |ui| {
            export::go_ui(ui, &panel, theme, asked);
        });
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            export::settings_ui(ui, &panel, theme, asked);
        });
    }

    /// The library: its header, a row of tiles, or rows, as much as there is room for.
    fn library(&mut self, ui: &mut Ui, asked: &mut Asked) {
        let look = match ui.available_height() {
            h if h < STRIP_FROM => LibraryLook::Closed,
            h if h < GRID_FROM => LibraryLook::Strip,
            _ => LibraryLook::Grid,
        };
        let pictures = Pictures {
            has_gpu: self.viewport.has_gpu,
            fresh: self.studio.next_tiles(view::tiles_per_frame()).into_iter().collect(),
        };
        if !pictures.fresh.is_empty() {
            // More may wait for their turn.
            ui.ctx().request_repaint();
        }
        let shown = (&self.panels.shelf, &mut self.query, look);
        let answer = shelf_ui(ui, shown, &pictures, &self.theme, asked);
        if let Some(name) = &answer.starred {
            self.preferences.toggle_favourite(name);
        }
        self.library_wanted = answer.look.or(self.library_wanted);
        if answer.is_changed || answer.starred.is_some() {
            self.refill_shelf();
        }
        self.studio.want_tiles(&answer.visible);
    }

    /// The editor of retarget poses comes, or goes: both figures and their table want the room more than the library,
    /// which has its own height again when they are gone.
    pub(super) fn make_room(&mut self, comes: Option<bool>) {
        let (workspace, library) = (Workspace::Motion, PanelKind::Library);
        match comes {
            Some(true) => {
                let height = self.docks.height(workspace, library);
                self.library_before = height.filter(|height| *height > STRIP);
                if self.library_before.is_some() {
                    self.docks.set_height(workspace, library, STRIP);
                }
            }
            Some(false) => {
                if let Some(height) = self.library_before.take() {
                    self.docks.set_height(workspace, library, height);
                }
            }
            None => {}
        }
    }

    /// The height that the library was asked to take, once the arrangement is back in its place.
    pub(super) fn resize_library(&mut self) {
        let workspace = self.studio.workspace();
        let height = match self.library_wanted.take() {
            None => return,
            Some(LibraryLook::Closed) => TAB_BAR + 44.0,
            Some(LibraryLook::Strip) => STRIP,
            Some(LibraryLook::Grid) => 380.0,
        };
        self.docks.set_height(workspace, PanelKind::Library, height);
    }

    /// Shows or hides a panel, which keeps its place.
    pub(super) fn toggle_panel(&mut self, kind: PanelKind) {
        if kind == PanelKind::Retarget {
            // It comes and goes with the editor.
            let is_on = self.studio.is_posing();
            let command = if is_on { PosingCommand::Close } else { PosingCommand::Open };
            return self.apply(Command::Posing(command));
        }
        let workspace = self.studio.workspace();
        let shown = self.docks.shows(workspace, kind);
        self.docks.show(workspace, kind, !shown);
    }

    /// Whether results stand below the viewport: as soon as there are any.
    pub(super) fn has_results(&self) -> bool {
        let is_export = self.studio.workspace() == Workspace::Export;
        is_export && self.studio.has_export_cards()
    }
}
