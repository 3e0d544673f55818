//! Every threshold of detection, with the article's value where it states one.

/// When skin counts as an appendage and what is done with it by default. Shares of H are of the character's height.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DetectSettings {
    /// Skeleton distance above which skin is far, as a share of H. More finds less. Default 0.07 (article).
    pub far_share: f32,
    /// Least height of a peak of the distance field over the saddle to a higher one, as a share of H: what counts as a
    /// branch of its own. Default 0.03.
    pub persistence_share: f32,
    /// How much farther than the nearest joint a torso or thigh joint may be and still win the attachment. Default 1.5
    /// (article).
    pub torso_bias: f32,
    /// Least reach of a region worth a chain, as a share of H: below are pouches, pads and finger tips. Default 0.10.
    pub least_reach_share: f32,
    /// Centroid ratio that passes test 1. Default 0.40 (article), taken on the far part.
    pub centroid_ratio: f32,
    /// Protrusion that passes test 1. Default 0.75.
    pub protrusion: f32,
    /// Slenderness that passes test 1. Default 3: torsos reach 2, tails have 4.5 and more even where they hang.
    pub slenderness: f32,
    /// Root of λ1 / λ2 from which a region is elongated. Default 1.8.
    pub elongation: f32,
    /// Length over median width from which a region is elongated however it is curled. Default 4.
    pub length_over_width: f32,
    /// Root of λ2 / λ3, of the whole and of its slices, from which it is cloth. Default 4.
    pub flatness: f32,
    /// Largest distance of a chain's root from the sagittal plane, as a share of H. Default 0.05.
    pub off_centre_share: f32,
    /// Largest share of the skin's area. Default 0.35.
    pub area_share: f32,
    /// Angle from upright within which the end of a branch that reaches the floor stands on it, in degrees. Default 45.
    pub standing_degrees: f32,
}

impl Default for DetectSettings {
    fn default() -> Self {
        Self {
            far_share: 0.07,
            persistence_share: 0.03,
            torso_bias: 1.5,
            least_reach_share: 0.10,
            centroid_ratio: 0.40,
            protrusion: 0.75,
            slenderness: 3.0,
            elongation: 1.8,
            length_over_width: 4.0,
            flatness: 4.0,
            off_centre_share: 0.05,
            area_share: 0.35,
            standing_degrees: 45.0,
        }
    }
}
