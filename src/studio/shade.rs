//! How skin is drawn in the viewport: as it looks, or as a number says.

use serde::{Deserialize, Serialize};

use super::scene::HeatScale;

/// A way to draw skin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Shade {
    /// With its materials, in the studio's light.
    #[default]
    Lit,
    /// Half transparent, so that joints show through.
    XRay,
    /// With the edges of its triangles.
    Wireframe,
    /// Regions in the full colour of their kind.
    Regions,
    /// Weight of the selected joint.
    Weights,
    /// Distance to the skeleton, wherever it is.
    SkeletonDistance,
    /// Distance to the joints that move it.
    DrivenFrom,
    /// Stretch of its edges, while it plays.
    Stretch,
}

impl Shade {
    /// All, in the order of the menu.
    pub const ALL: [Self; 8] = [
        Self::Lit,
        Self::XRay,
        Self::Wireframe,
        Self::Regions,
        Self::Weights,
        Self::SkeletonDistance,
        Self::DrivenFrom,
        Self::Stretch,
    ];

    /// As it stands in the menu.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lit => "Lit",
            Self::XRay => "X-ray",
            Self::Wireframe => "Wireframe",
            Self::Regions => "Region colours",
            Self::Weights => "Bone weights",
            Self::SkeletonDistance => "Distance to bones",
            Self::DrivenFrom => "Driven from",
            Self::Stretch => "Stretch",
        }
    }

    /// What it shows, for a tooltip.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Lit => "Skin with its materials, in soft light",
            Self::XRay => "Skin half transparent, so that bones show through",
            Self::Wireframe => "The edges of all triangles over the skin",
            Self::Regions => "Every region in the colour of its kind",
            Self::Weights => "How much the selected bone moves each part of the skin",
            Self::SkeletonDistance => {
                "How far skin is from the nearest bone: what stands out has none"
            }
            Self::DrivenFrom => {
                "How far skin is from the bones that move it: bright skin is moved from far away"
            }
            Self::Stretch => "How much the skin is stretched or squeezed while it plays",
        }
    }

    /// What the ramp's ends stand for; `None` where no number is shown. `height_m` is the character's, `far_m` the
    /// distance from which detection calls skin far.
    pub fn scale(self, height_m: f32, far_m: f32) -> Option<HeatScale> {
        let none = HeatScale {
            title: self.name(),
            unit: "",
            low: 0.0,
            high: 1.0,
            decimals: 1,
            threshold: None,
        };
        match self {
            Self::Lit | Self::XRay | Self::Wireframe | Self::Regions => None,
            Self::Weights => Some(none),
            Self::SkeletonDistance => Some(HeatScale {
                unit: " m",
                high: (0.25 * height_m).max(1.5 * far_m),
                decimals: 2,
                threshold: Some((far_m, "far")),
                ..none
            }),
            Self::DrivenFrom => {
                Some(HeatScale { unit: " m", high: 0.3 * height_m, decimals: 2, ..none })
            }
            Self::Stretch => Some(HeatScale {
                unit: " ×",
                low: 1.0,
                high: 2.0,
                threshold: Some((1.5, "torn")),
                ..none
            }),
        }
    }
}

/// What explains the colours in a corner of the viewport.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    /// The ramp.
    pub scale: HeatScale,
    /// Whose numbers these are, or what is to be done to see some.
    pub note: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_stands_inside_every_ramp_that_has_one() {
        for shade in Shade::ALL {
            let Some(scale) = shade.scale(1.9, 0.19) else { continue };
            assert!(scale.high > scale.low);
            if scale.threshold.is_some() {
                assert!(scale.threshold_share().is_some(), "{shade:?}");
            }
        }
    }
}
