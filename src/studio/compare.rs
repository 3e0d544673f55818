//! Raw, rigid and chain side by side: three skins over one pose.
//!
//! Rigging only appends joints, so the pose of the chain rig poses the others too: same clip, same frame, by
//! construction. Raw and rigid are shown without springs, as their files would play.

use super::scene::Scene;
use super::state::Studio;
use super::words;
use super::workspace::Workspace;
use crate::measure::{HairMeasurement, RegionStretch, Stretch};

/// One of the ways to move a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// The file's own weights.
    Raw,
    /// Every region on the joint it hangs from.
    Rigid,
    /// Regions on chains, driven by springs.
    Chain,
    /// Hair under the earlier rule.
    Earlier,
    /// Hair as it is tuned.
    Improved,
}

impl Way {
    /// Those of the comparison, as the panes stand.
    pub const ALL: [Self; 3] = [Self::Raw, Self::Rigid, Self::Chain];

    /// As it stands over its pane.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Raw => "As loaded",
            Self::Rigid => "Rigid",
            Self::Chain => "Bone chain",
            Self::Earlier => "Earlier rule",
            Self::Improved => "Improved",
        }
    }

    /// Its stretch of a region.
    pub(super) const fn of(self, region: &RegionStretch) -> &Stretch {
        match self {
            Self::Raw => &region.raw,
            Self::Rigid => &region.rigid,
            Self::Chain | Self::Earlier | Self::Improved => &region.chain,
        }
    }
}

/// Stretch of the selected region in one way, ready to draw.
#[derive(Clone, Debug, PartialEq)]
pub struct PaneNumbers {
    /// `p99 1.11 · max 1.22`.
    pub stretch: String,
    /// `no tears`, or `8.3 % torn`.
    pub torn: String,
    /// Whether skin tears.
    pub tears: bool,
}

/// One pane of the comparison.
#[derive(Clone, Debug)]
pub struct Pane {
    /// Which way.
    pub way: Way,
    /// What it shows.
    pub scene: Scene,
    /// Its numbers, once they are measured.
    pub numbers: Option<PaneNumbers>,
}

fn numbers(stretch: &Stretch) -> PaneNumbers {
    let tears = stretch.torn_percent > 0.0;
    PaneNumbers {
        stretch: format!("p99 {:.2} · max {:.2}", stretch.p99, stretch.max),
        torn: words::torn(stretch.torn_percent.into()),
        tears,
    }
}

/// Stretch of hair in the head-turn test, ready to draw.
pub(super) fn hair_numbers(found: &HairMeasurement) -> PaneNumbers {
    PaneNumbers {
        stretch: format!(
            "stretch p99 {:.1} % · worst {:.1} %",
            found.p99_percent, found.worst_percent
        ),
        torn: match (found.torso.links_inside, found.occlusion.hidden) {
            (0, 0) => "clear of body and shirt".to_owned(),
            (inside, hidden) => format!("{inside} links in the torso, {hidden} vertices hidden"),
        },
        tears: found.torso.links_inside + found.occlusion.hidden > 0,
    }
}

impl Studio {
    /// Whether the comparison stands in the viewport's place: in its own workspace, and where the viewport was split.
    pub fn compares(&self) -> bool {
        match self.workspace {
            Workspace::Compare => self.open.is_some(),
            // It has panes of its own.
            Workspace::Hair => false,
            Workspace::Rig | Workspace::Motion | Workspace::Export => {
                let is_free = !self.is_posing() && self.exported.is_none();
                self.is_split && is_free && self.open.is_some()
            }
        }
    }

    /// The panes of the comparison; none while they are worked out.
    pub fn panes(&self) -> Vec<Pane> {
        let (Some(playback), Some(measured)) = (&self.playback, &self.measured) else {
            return Vec::new();
        };
        let still = playback.world_without_springs();
        let stretch = self.shown_stretch();
        Way::ALL
            .into_iter()
            .map(|way| {
                let mut scene = self.scene.clone();
                match way {
                    Way::Raw => scene.character = measured.raw.clone(),
                    Way::Rigid => scene.character = measured.rigid.clone(),
                    Way::Chain | Way::Earlier | Way::Improved => {}
                }
                if way != Way::Chain {
                    scene.world = still.clone();
                    scene.lines.clear();
                    scene.bones.clear();
                    scene.planes.clear();
                    scene.labels.clear();
                }
                // The skin itself is what is compared, or its numbers.
                scene.paint = self.pane_paint(way);
                Pane { way, scene, numbers: stretch.map(|region| numbers(way.of(region))) }
            })
            .collect()
    }

    /// The character as it was loaded, in the pose of now; `None` until it is measured.
    pub fn before(&self) -> Option<Scene> {
        self.panes().into_iter().find(|pane| pane.way == Way::Raw).map(|pane| pane.scene)
    }

    /// What the numbers of the panes are about, and the body's own stretch to hold them against.
    pub fn compare_caption(&self) -> String {
        let name = self.shown_region_name().unwrap_or_else(|| "region".to_owned());
        match self.measured.as_ref().and_then(|m| m.of_clip.as_ref()) {
            Some(m) => format!(
                "Stretch of the {} over {}; the body's own reaches p99 {:.2}, max {:.2}",
                name.to_lowercase(),
                words::counted(m.samples, "moment", "moments"),
                m.body.p99,
                m.body.max
            ),
            None => "Play a clip to measure".to_owned(),
        }
    }
}
