//! What a click in the viewport means, and what is said of it while the pointer rests there.

use super::App;
use super::dock::PanelKind;
use crate::model::ColliderIndex;
use crate::studio::{
    ColliderCommand, Command, HairCommand, HairPick, Marking, NoticeKind, Selection, ToolCommand,
    UserCommand, Workspace,
};
use crate::view::Under;

impl App {
    /// What a click asks for: the tool's work, or a selection. What is drawn over the skin wins over it, but not with a
    /// tool that works on skin.
    pub(super) fn picked(&self, under: &Under, held: egui::Modifiers) -> Command {
        let adds = held.shift || held.command;
        let skin = under.skin.map(|hit| hit.vertex);
        match (self.drawn(under), skin) {
            (_, Some(vertex)) if self.studio.tool().takes_clicks() => {
                Command::Tool(ToolCommand::Pick(vertex))
            }
            (Some(Selection::Collider(index)), _) if adds => {
                Command::Collider(ColliderCommand::SelectAlso(index))
            }
            (Some(drawn), _) => Command::Select(drawn),
            (None, Some(vertex)) if self.studio.workspace() == Workspace::Hair => {
                let how = match (held.command, held.shift) {
                    (true, _) => Marking::Take,
                    (_, true) => Marking::Add,
                    _ => Marking::Replace,
                };
                Command::Hair(HairCommand::Pick(HairPick::At { vertex, how }))
            }
            (None, Some(vertex)) => match (self.studio.region_at(vertex), adds) {
                (Some(region), true) => Command::SelectAlso(region),
                (Some(region), false) => Command::Select(Selection::Region(region)),
                (None, _) => Command::Select(
                    self.studio.mesh_at(vertex).map_or(Selection::None, Selection::Mesh),
                ),
            },
            (None, None) => Command::Select(Selection::None),
        }
    }

    /// What is drawn there. Where hair is picked by clicks on its skin, the chains within it are not in the way.
    fn drawn(&self, under: &Under) -> Option<Selection> {
        let picks_hair = self.studio.workspace() == Workspace::Hair && under.skin.is_some();
        under.drawn.filter(|drawn| !(picks_hair && matches!(drawn, Selection::Chain(_))))
    }

    /// What a click would mean where the pointer rests, in words; `None` where it would mean nothing, or a tool's work.
    pub fn pointed_at(&self) -> Option<String> {
        let (_, under) = self.viewport.pointed()?;
        if self.studio.tool().takes_clicks() || self.studio.tool().takes_drags() {
            return None;
        }
        let of_skin = || {
            let vertex = under.skin?.vertex;
            let region = self.studio.region_at(vertex).map(Selection::Region);
            region.or_else(|| self.studio.mesh_at(vertex).map(Selection::Mesh))
        };
        self.studio.said(self.drawn(&under).or_else(of_skin)?)
    }

    pub(super) fn selected_collider(&self) -> Option<ColliderIndex> {
        match self.studio.selection() {
            Selection::Collider(index) => Some(index),
            _ => None,
        }
    }

    /// Hides what is selected, or shows it alone: a collider, or a mesh.
    pub(super) fn hiding(&self, command: UserCommand) -> Option<Command> {
        let is_solo = command == UserCommand::SoloMesh;
        if let Some(index) = self.selected_collider() {
            return Some(Command::Collider(match is_solo {
                true => ColliderCommand::Solo(index),
                false => ColliderCommand::ToggleShown(index),
            }));
        }
        let mesh = self.studio.selected_mesh()?;
        Some(if is_solo { Command::Solo(mesh) } else { Command::ToggleMesh(mesh) })
    }

    /// Opens the field for another name of what is selected, in the outliner.
    pub(super) fn start_renaming(&mut self) {
        let selection = self.studio.selection();
        let Some(name) = self.studio.name_of(selection) else {
            let text =
                "Only regions, chains, colliders and bones that Tailbone made can be renamed";
            self.studio.notice(NoticeKind::Info, text);
            return;
        };
        if !PanelKind::of(self.studio.workspace()).contains(&PanelKind::Outliner) {
            self.apply(Command::Workspace(Workspace::Rig));
        }
        self.docks.show(self.studio.workspace(), PanelKind::Outliner, true);
        self.finding.rename(selection, name);
    }
}
