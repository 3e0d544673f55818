//! Panels that are dragged, closed and brought back: one arrangement for each workspace, kept with the preferences.

use std::collections::BTreeMap;

use egui::{Vec2, vec2};
use egui_tiles::{Container, LinearDir, Tile, TileId, Tiles, Tree};
use serde::{Deserialize, Serialize};

use crate::studio::Workspace;

/// A panel that has its place in an arrangement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum PanelKind {
    /// The character.
    Viewport,
    /// What was found, and what the file holds.
    Outliner,
    /// What is selected.
    Inspector,
    /// Clips.
    Library,
    /// Clips that go out.
    Clips,
    /// How and where to.
    Settings,
    /// What came of each clip.
    Results,
    /// Strands of hair, and picking.
    Strands,
    /// How hair swings, and what it measures.
    Hair,
    /// Which bone is which, and the pose that clips are measured from.
    Retarget,
}

impl PanelKind {
    /// As it stands on its tab.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Viewport => "Viewport",
            Self::Outliner => "Outliner",
            Self::Inspector => "Inspector",
            Self::Library => "Library",
            Self::Clips => "Clips",
            Self::Settings => "Export",
            Self::Results => "Results",
            Self::Strands => "Strands",
            Self::Hair => "Hair",
            Self::Retarget => "Retarget",
        }
    }

    /// The panels of a workspace besides the viewport.
    pub const fn of(workspace: Workspace) -> &'static [Self] {
        match workspace {
            Workspace::Rig => &[Self::Outliner, Self::Inspector, Self::Library],
            Workspace::Motion => &[Self::Inspector, Self::Retarget, Self::Library],
            Workspace::Hair => &[Self::Strands, Self::Hair],
            Workspace::Compare => &[Self::Library],
            Workspace::Export => &[Self::Clips, Self::Settings],
        }
    }
}

/// Height of the bar that holds the titles of panels.
pub const TAB_BAR: f32 = 24.0;
/// Between panels.
pub const GAP: f32 = 2.0;
/// The window that arrangements are drawn for: what is left of 1280 × 800.
const DRAWN: Vec2 = vec2(1280.0, 696.0);
/// Least size of what gives way when the window shrinks.
const LEAST: f32 = 200.0;

/// An arrangement and the size it was last shown in.
#[derive(Clone, Serialize, Deserialize)]
struct Layout {
    tree: Tree<PanelKind>,
    size: [f32; 2],
}

/// The arrangements of all workspaces.
#[derive(Default)]
pub struct Docks {
    layouts: BTreeMap<Workspace, Layout>,
}

impl Docks {
    /// From the texts that [`Docks::texts`] made; what cannot be read, or lacks a panel, stands as at first.
    pub fn of(texts: &BTreeMap<String, String>) -> Self {
        let read = |workspace: Workspace| {
            let layout: Layout = ron::from_str(texts.get(workspace.name())?).ok()?;
            let has = |kind: &PanelKind| layout.tree.tiles.find_pane(kind).is_some();
            let is_whole = has(&PanelKind::Viewport) && PanelKind::of(workspace).iter().all(has);
            let is_sound = layout.size.iter().all(|s| s.is_finite() && *s > 1.0);
            (is_whole && is_sound).then_some((workspace, layout))
        };
        Self { layouts: Workspace::ALL.into_iter().filter_map(read).collect() }
    }

    /// All arrangements as texts, by the names of their workspaces.
    pub fn texts(&self) -> BTreeMap<String, String> {
        let text = |(workspace, layout): (&Workspace, &Layout)| {
            Some((workspace.name().to_owned(), ron::to_string(layout).ok()?))
        };
        self.layouts.iter().filter_map(text).collect()
    }

    /// Takes a workspace's arrangement out, in `size`: side panels keep their own, the viewport gives and takes.
    pub fn take(&mut self, workspace: Workspace, size: Vec2) -> Tree<PanelKind> {
        let layout = self.layouts.remove(&workspace);
        let Layout { mut tree, size: [x, y] } = layout.unwrap_or_else(|| first(workspace));
        if let Some(root) = tree.root().filter(|_| vec2(x, y) != size) {
            fit(&mut tree.tiles, root, vec2(x, y), size);
        }
        tree
    }

    /// Puts it back as it was shown.
    pub fn put(&mut self, workspace: Workspace, tree: Tree<PanelKind>, size: Vec2) {
        self.layouts.insert(workspace, Layout { tree, size: [size.x, size.y] });
    }

    /// Panels of a workspace as at first.
    pub fn reset(&mut self, workspace: Workspace) {
        self.layouts.remove(&workspace);
    }

    /// Whether a panel is shown.
    pub fn shows(&self, workspace: Workspace, kind: PanelKind) -> bool {
        let Some(Layout { tree, .. }) = self.layouts.get(&workspace) else { return true };
        tree.tiles.find_pane(&kind).is_some_and(|id| tree.is_visible(id))
    }

    /// Shows a panel, or not.
    pub fn show(&mut self, workspace: Workspace, kind: PanelKind, shown: bool) {
        let layout = self.layouts.entry(workspace).or_insert_with(|| first(workspace));
        show(&mut layout.tree, kind, shown);
    }

    /// Gives a panel that height, in points.
    pub fn set_height(&mut self, workspace: Workspace, kind: PanelKind, height: f32) {
        let layout = self.layouts.entry(workspace).or_insert_with(|| first(workspace));
        let tiles = &mut layout.tree.tiles;
        let Some((column, child)) = column_of(tiles, kind) else { return };
        let children = shown_children(tiles, column);
        if let Some(Tile::Container(Container::Linear(linear))) = tiles.get_mut(column) {
            let whole = layout.size[1] - GAP * children.len().saturating_sub(1) as f32;
            let height = height.min(whole - LEAST).max(TAB_BAR);
            let others: f32 =
                (children.iter()).filter(|&&id| id != child).map(|&id| linear.shares[id]).sum();
            linear.shares.set_share(child, others * height / (whole - height).max(1.0));
        }
    }

    /// The height that a panel was last shown in, in points; `None` where nothing stands above or below it.
    pub fn height(&self, workspace: Workspace, kind: PanelKind) -> Option<f32> {
        let Layout { tree, size } = self.layouts.get(&workspace)?;
        let (column, child) = column_of(&tree.tiles, kind)?;
        let children = shown_children(&tree.tiles, column);
        let Some(Tile::Container(Container::Linear(linear))) = tree.tiles.get(column) else {
            return None;
        };
        let whole = size[1] - GAP * children.len().saturating_sub(1) as f32;
        let shares: f32 = children.iter().map(|&id| linear.shares[id]).sum();
        Some(whole * linear.shares[child] / shares.max(1e-6))
    }
}

/// Shows a panel, or not.
pub fn show(tree: &mut Tree<PanelKind>, kind: PanelKind, shown: bool) {
    if let Some(id) = tree.tiles.find_pane(&kind) {
        tree.set_visible(id, shown);
    }
}

/// The same for one that comes and goes by itself: when it comes, its tab is in front. Whether it has just come, or gone.
pub fn show_in_front(tree: &mut Tree<PanelKind>, kind: PanelKind, shown: bool) -> Option<bool> {
    let id = tree.tiles.find_pane(&kind).filter(|&id| tree.is_visible(id) != shown)?;
    tree.set_visible(id, shown);
    if shown {
        tree.make_active(|tile, _| tile == id);
    }
    Some(shown)
}

/// A workspace as at first.
fn first(workspace: Workspace) -> Layout {
    let mut tiles = Tiles::default();
    let mut panel = |kind: PanelKind| {
        let pane = tiles.insert_pane(kind);
        tiles.insert_tab_tile(vec![pane])
    };
    let viewport = panel(PanelKind::Viewport);
    let root = match workspace {
        Workspace::Rig => {
            let (left, right) = (panel(PanelKind::Outliner), panel(PanelKind::Inspector));
            let library = panel(PanelKind::Library);
            let row = row(&mut tiles, &[(left, 240.0), (viewport, 672.0), (right, 364.0)]);
            column(&mut tiles, &[(row, 494.0), (library, 200.0)])
        }
        Workspace::Motion => {
            let library = panel(PanelKind::Library);
            let right = [PanelKind::Inspector, PanelKind::Retarget];
            let right = right.map(|kind| tiles.insert_pane(kind));
            let right = tiles.insert_tab_tile(right.to_vec());
            let row = row(&mut tiles, &[(viewport, 914.0), (right, 364.0)]);
            column(&mut tiles, &[(row, 354.0), (library, 340.0)])
        }
        Workspace::Hair => {
            let (left, right) = (panel(PanelKind::Strands), panel(PanelKind::Hair));
            row(&mut tiles, &[(left, 312.0), (viewport, 600.0), (right, 364.0)])
        }
        Workspace::Compare => {
            let library = panel(PanelKind::Library);
            column(&mut tiles, &[(viewport, 494.0), (library, 200.0)])
        }
        Workspace::Export => {
            let (left, right) = (panel(PanelKind::Clips), panel(PanelKind::Settings));
            let results = panel(PanelKind::Results);
            let middle = column(&mut tiles, &[(viewport, 534.0), (results, 160.0)]);
            row(&mut tiles, &[(left, 280.0), (middle, 632.0), (right, 364.0)])
        }
    };
    let id = egui::Id::unique(("dock", workspace.name()));
    let mut tree = Tree::new(id, root, tiles);
    // It comes with its editor.
    show(&mut tree, PanelKind::Retarget, false);
    Layout { tree, size: [DRAWN.x, DRAWN.y] }
}

fn row(tiles: &mut Tiles<PanelKind>, children: &[(TileId, f32)]) -> TileId {
    let id = tiles.insert_horizontal_tile(children.iter().map(|c| c.0).collect());
    set_shares(tiles, id, children);
    id
}

fn column(tiles: &mut Tiles<PanelKind>, children: &[(TileId, f32)]) -> TileId {
    let id = tiles.insert_vertical_tile(children.iter().map(|c| c.0).collect());
    set_shares(tiles, id, children);
    id
}

/// Sizes in points as shares of mean 1: what is dropped among them gets a fair one.
fn set_shares(tiles: &mut Tiles<PanelKind>, id: TileId, sizes: &[(TileId, f32)]) {
    let mean = sizes.iter().map(|s| s.1).sum::<f32>() / sizes.len().max(1) as f32;
    if let Some(Tile::Container(Container::Linear(linear))) = tiles.get_mut(id) {
        for &(child, size) in sizes {
            linear.shares.set_share(child, size / mean.max(1.0));
        }
    }
}

fn shown_children(tiles: &Tiles<PanelKind>, id: TileId) -> Vec<TileId> {
    let Some(Tile::Container(container)) = tiles.get(id) else { return Vec::new() };
    container.children().copied().filter(|&c| tiles.is_visible_in_layout(c)).collect()
}

/// The column that a panel stands in, and the part of it that holds the panel.
fn column_of(tiles: &Tiles<PanelKind>, kind: PanelKind) -> Option<(TileId, TileId)> {
    let mut child = tiles.find_pane(&kind)?;
    while let Some(parent) = tiles.parent_of(child) {
        if let Some(Tile::Container(Container::Linear(linear))) = tiles.get(parent)
            && linear.dir == LinearDir::Vertical
        {
            return Some((parent, child));
        }
        child = parent;
    }
    None
}

/// Whether the viewport stands in a tile.
fn has_viewport(tiles: &Tiles<PanelKind>, id: TileId) -> bool {
    match tiles.get(id) {
        Some(Tile::Pane(kind)) => *kind == PanelKind::Viewport,
        Some(Tile::Container(container)) => container.children().any(|&c| has_viewport(tiles, c)),
        None => false,
    }
}

/// From one size to another: what does not hold the viewport keeps its points, as far as there is room.
fn fit(tiles: &mut Tiles<PanelKind>, id: TileId, old: Vec2, new: Vec2) {
    let children = shown_children(tiles, id);
    let linear = match tiles.get(id) {
        Some(Tile::Container(Container::Linear(linear))) => linear,
        Some(Tile::Container(Container::Tabs(_))) => {
            let bar = vec2(0.0, TAB_BAR);
            return children.into_iter().for_each(|c| fit(tiles, c, old - bar, new - bar));
        }
        _ => return,
    };
    let axis = usize::from(linear.dir == LinearDir::Vertical);
    let gaps = GAP * children.len().saturating_sub(1) as f32;
    let (before, after) = ((old[axis] - gaps).max(1.0), (new[axis] - gaps).max(1.0));
    let whole: f32 = children.iter().map(|&c| linear.shares[c]).sum();
    let sizes: Vec<f32> =
        children.iter().map(|&c| before * linear.shares[c] / whole.max(1e-6)).collect();
    let Some(gives) = children.iter().position(|&c| has_viewport(tiles, c)) else {
        let part = |s: f32| s * after / before;
        let sizes: Vec<_> = children.iter().copied().zip(sizes.iter().map(|&s| part(s))).collect();
        return set_shares(tiles, id, &sizes);
    };
    let others = sizes.iter().sum::<f32>() - sizes.get(gives).copied().unwrap_or(0.0);
    let most = (after - LEAST).max(after * 0.3);
    let squeeze = if others > most { most / others } else { 1.0 };
    let resized = |(i, &size): (usize, &f32)| match i == gives {
        true => after - others * squeeze,
        false => size * squeeze,
    };
    let fitted: Vec<f32> = sizes.iter().enumerate().map(resized).collect();
    let shares: Vec<_> = children.iter().copied().zip(fitted.iter().copied()).collect();
    set_shares(tiles, id, &shares);
    for ((&child, &was), &is) in children.iter().zip(&sizes).zip(&fitted) {
        let along = |whole: Vec2, size: f32| match axis {
            0 => vec2(size, whole.y),
            _ => vec2(whole.x, size),
        };
        fit(tiles, child, along(old, was), along(new, is));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shares of the root's children in points of a side of `size`.
    fn points(tree: &Tree<PanelKind>, id: TileId, size: f32) -> Vec<f32> {
        let children = shown_children(&tree.tiles, id);
        let Some(Tile::Container(Container::Linear(linear))) = tree.tiles.get(id) else {
            panic!("no row")
        };
        let whole: f32 = children.iter().map(|&c| linear.shares[c]).sum();
        let room = size - GAP * (children.len() - 1) as f32;
        children.iter().map(|&c| room * linear.shares[c] / whole).collect()
    }

    #[test]
    fn a_larger_window_gives_its_room_to_the_viewport() {
        let mut docks = Docks::default();
        let tree = docks.take(Workspace::Export, vec2(1920.0, 976.0));
        let found = points(&tree, tree.root().unwrap(), 1920.0);
        for (found, expected) in found.iter().zip([280.0, 1272.0, 364.0]) {
            assert!((found - expected).abs() < 0.5, "{found} for {expected}");
        }
        docks.put(Workspace::Export, tree, vec2(1920.0, 976.0));
        let tree = docks.take(Workspace::Export, vec2(1280.0, 696.0));
        let found = points(&tree, tree.root().unwrap(), 1280.0);
        assert!((found[0] - 280.0).abs() < 0.5 && (found[2] - 364.0).abs() < 0.5, "{found:?}");
    }

    #[test]
    fn arrangements_come_back_from_their_texts_and_broken_ones_stand_as_at_first() {
        let mut docks = Docks::default();
        docks.show(Workspace::Rig, PanelKind::Outliner, false);
        let texts = docks.texts();
        let again = Docks::of(&texts);
        assert!(!again.shows(Workspace::Rig, PanelKind::Outliner));
        assert!(again.shows(Workspace::Rig, PanelKind::Inspector));
        let broken = BTreeMap::from([("Rig".to_owned(), "Layout(".to_owned())]);
        assert!(Docks::of(&broken).shows(Workspace::Rig, PanelKind::Outliner));
        let mut docks = again;
        docks.reset(Workspace::Rig);
        assert!(docks.shows(Workspace::Rig, PanelKind::Outliner));
    }

    #[test]
    fn the_library_takes_the_height_it_is_given() {
        let mut docks = Docks::default();
        docks.set_height(Workspace::Rig, PanelKind::Library, 300.0);
        let height = docks.height(Workspace::Rig, PanelKind::Library).unwrap();
        assert!((height - 300.0).abs() < 0.5, "{height}");
        let tree = docks.take(Workspace::Rig, DRAWN);
        let found = points(&tree, tree.root().unwrap(), DRAWN.y);
        assert!((found[1] - 300.0).abs() < 0.5, "{found:?}");
    }
}
