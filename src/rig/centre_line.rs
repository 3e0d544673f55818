//! Where the joints of a chain stand: the centre line of a region along its geodesic coordinate.
//!
//! Based on: spec 1.7, 8 (D8). What keeps joints of curled tails inside the skin is ours.

use glam::{DVec3, Vec3};

/// One piece of a region's skin: where it is, how far along the region, and how much of it there is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Bind space, metres.
    pub position: Vec3,
    /// g, geodesic distance from the root, metres.
    pub along_m: f32,
    /// Share of the skin's area, m²; 0 counts for nothing.
    pub area: f32,
}

/// K, the number of segments of a chain: one for each tenth of the height, 3 to 8.
pub fn segment_count(length_m: f32, height_m: f32) -> usize {
    let segment_m = 0.1 * height_m;
    if segment_m <= 0.0 || !length_m.is_finite() {
        return 3;
    }
    // A length beyond any count saturates in the conversion and is clamped like any other.
    ((length_m / segment_m).round() as usize).clamp(3, 8)
}

/// Centre and size of a slice of skin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slice {
    pub centroid: Vec3,
    /// Area-weighted mean of g.
    pub along_m: f32,
    /// RMS distance from the centroid across the region, in metres: what the slice's own thickness adds is taken out.
    pub radius_m: f32,
}

/// Samples by rising g, so that slices are found by bisection.
pub(super) fn sorted(mut samples: Vec<Sample>) -> Vec<Sample> {
    samples.sort_by(|a, b| a.along_m.total_cmp(&b.along_m));
    samples
}

/// Those of sorted samples with g from `from_m` to `to_m`.
fn between(sorted: &[Sample], from_m: f32, to_m: f32) -> &[Sample] {
    let start = sorted.partition_point(|s| s.along_m < from_m);
    let end = sorted.partition_point(|s| s.along_m <= to_m);
    sorted.get(start..end).unwrap_or_default()
}

/// The slice of sorted samples with g from `from_m` to `to_m`; `None` where there is no skin.
pub(super) fn slice(sorted: &[Sample], from_m: f32, to_m: f32) -> Option<Slice> {
    let within = between(sorted, from_m, to_m);
    let mut area = 0.0;
    let mut sum = DVec3::ZERO;
    let mut along = 0.0;
    for s in within {
        let a = f64::from(s.area);
        area += a;
        sum += s.position.as_dvec3() * a;
        along += f64::from(s.along_m) * a;
    }
    if area <= 0.0 {
        return None;
    }
    let centroid = sum / area;
    let mean = along / area;
    let spread: f64 = within
        .iter()
        .map(|s| {
            let thickness = f64::from(s.along_m) - mean;
            let off = s.position.as_dvec3().distance_squared(centroid);
            f64::from(s.area) * (off - thickness * thickness)
        })
        .sum();
    Some(Slice {
        centroid: centroid.as_vec3(),
        along_m: mean as f32,
        radius_m: (spread / area).max(0.0).sqrt() as f32,
    })
}

/// J_0 to J_K: `root`, then the centroids of the skin within half a segment of i L / K, evened out by two passes.
///
/// The passes move J_1 to J_{K-1}, all at once: J_i ← ½ J_i + ¼ (J_{i-1} + J_{i+1}). On a curled tail a band as wide
/// as a segment has its centroid off the skin, and the passes pull it further in, so no joint may stray from the
/// middle of the cross-section at its own g by more than a third of its radius; on straight tails this never acts.
///
/// `samples` are the skin of the region in any order, `length_m` is L > 0. The result is `[K + 1]`; a band without
/// skin takes its place between its neighbours. Cost: O(samples log samples).
pub fn centre_line(samples: &[Sample], root: Vec3, length_m: f32, k: usize) -> Vec<Vec3> {
    let k = k.max(1);
    let samples = &sorted(samples.to_vec());
    let segment = length_m / k as f32;
    let mut places: Vec<Option<Vec3>> = vec![Some(root)];
    let mut sections: Vec<Option<Section>> = vec![None];
    for i in 1..=k {
        let at = i as f32 * segment;
        // The last band is one-sided, and takes in the last hundredth of the skin beyond L.
        let end = if i == k { f32::INFINITY } else { at + 0.5 * segment };
        let band = slice(samples, at - 0.5 * segment, end);
        places.push(band.map(|b| b.centroid));
        let centre = if i == k { band.map_or(at, |b| b.along_m) } else { at };
        sections.push(cross_section(samples, centre, segment));
    }
    let mut line = filled(&places);
    for _ in 0..2 {
        let before = line.clone();
        for (joint, around) in line.iter_mut().skip(1).zip(before.windows(3)) {
            *joint = around[1] * 0.5 + (around[0] + around[2]) * 0.25;
        }
    }
    for (joint, section) in line.iter_mut().zip(&sections) {
        if let Some(section) = section {
            *joint = section.held(*joint);
        }
    }
    line
}

/// The cross-section about `at_m`: a thin slice at equal g, then cut anew, four times, at right angles to where it
/// leads.
///
/// Lines of equal g lean where a tail curls (the way round the inside is shorter), so their centroid lies off the
/// middle. Samples near in g, and within a slab across the tangent, are the section itself, as long as they lie no
/// farther off than skin of this radius can: the slab through a tightly rolled tail meets its next turn as well.
fn cross_section(samples: &[Sample], at_m: f32, segment_m: f32) -> Option<Section> {
    const ROUNDS: usize = 4;
    // In RMS radii. The ends of a ribbon lie at 1.7 of its own, those of a 3 : 1 oval at 1.4.
    const FARTHEST: f32 = 1.6;
    let mut found = thin_slice(samples, at_m, segment_m)?;
    let mut along = Vec3::ZERO;
    for _ in 0..ROUNDS {
        let r = found.radius_m;
        let (behind, ahead) = (thin_slice(samples, at_m - r, r), thin_slice(samples, at_m + r, r));
        let Some(tangent) =
            behind.zip(ahead).and_then(|(a, b)| (b.centroid - a.centroid).try_normalize())
        else {
            break;
        };
        along = tangent;
        let section: Vec<Sample> = between(samples, at_m - 2.0 * r, at_m + 2.0 * r)
            .iter()
            .filter(|s| {
                let off = s.position - found.centroid;
                off.dot(tangent).abs() <= 0.4 * r && off.length() <= FARTHEST * r
            })
            // Flattened along g, so that the radius is the section's.
            .map(|s| Sample { along_m: at_m, ..*s })
            .collect();
        if section.len() < LEAST_SAMPLES {
            break;
        }
        let Some(next) = slice(&section, at_m, at_m) else { break };
        found = next;
    }
    Some(Section { centre: found.centroid, tangent: along, radius_m: found.radius_m })
}

/// A cut across a region.
#[derive(Clone, Copy, Debug)]
struct Section {
    centre: Vec3,
    /// Unit, or zero where the skin does not say.
    tangent: Vec3,
    radius_m: f32,
}

impl Section {
    /// `joint`, moved to within a third of the radius of the centre where it lies further off across the tangent.
    fn held(&self, joint: Vec3) -> Vec3 {
        let off = joint - self.centre;
        let across = off - self.tangent * off.dot(self.tangent);
        let most = self.radius_m / 3.0;
        if across.length() <= most {
            return joint;
        }
        let along = (off - across).clamp_length_max(most);
        self.centre + across.clamp_length_max(most) + along
    }
}

/// Fewer points are no ring: their centroid would lie on the skin, not in its middle.
const LEAST_SAMPLES: usize = 12;

/// The slice about `at_m`, as thin as the skin is dense: an eighth of a segment, wider where nothing lies in it.
fn thin_slice(samples: &[Sample], at_m: f32, segment_m: f32) -> Option<Slice> {
    [0.0625, 0.125, 0.25, 0.5].into_iter().find_map(|half| {
        let (from, to) = (at_m - half * segment_m, at_m + half * segment_m);
        let n = between(samples, from, to).len();
        if n < LEAST_SAMPLES && half < 0.5 { None } else { slice(samples, from, to) }
    })
}

/// Places that are missing, put evenly between the nearest ones that are there.
fn filled(places: &[Option<Vec3>]) -> Vec<Vec3> {
    let known: Vec<(usize, Vec3)> =
        places.iter().enumerate().filter_map(|(i, p)| p.map(|p| (i, p))).collect();
    (0..places.len())
        .map(|i| {
            let before = known.iter().rev().find(|(at, _)| *at <= i);
            let after = known.iter().find(|(at, _)| *at >= i);
            match (before, after) {
                (Some(&(a, p)), Some(&(b, q))) if b > a => {
                    p.lerp(q, (i - a) as f32 / (b - a) as f32)
                }
                (Some(&(_, p)), _) | (_, Some(&(_, p))) => p,
                (None, None) => Vec3::ZERO,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::f32::consts::TAU;

    use super::*;
    use crate::math::ops;

    /// A tube round a curve `place(t)`, t from 0 to 1, with g measured along the curve.
    fn tube(place: impl Fn(f32) -> Vec3, radius: impl Fn(f32) -> f32) -> (Vec<Sample>, f32) {
        let (rings, around) = (200, 12);
        let mut samples = Vec::new();
        let mut g = 0.0;
        let mut last = place(0.0);
        for ring in 0..=rings {
            let t = ring as f32 / rings as f32;
            let centre = place(t);
            g += centre.distance(last);
            last = centre;
            let tangent = (place(t + 1e-3) - place(t - 1e-3)).normalize();
            let (side, up) = tangent.any_orthonormal_pair();
            for step in 0..around {
                let angle = TAU * step as f32 / around as f32;
                let offset = (side * ops::cos(angle) + up * ops::sin(angle)) * radius(t);
                samples.push(Sample {
                    position: centre + offset,
                    along_m: g,
                    area: radius(t).max(1e-6),
                });
            }
        }
        (samples, g)
    }

    #[test]
    fn a_segment_is_a_tenth_of_the_height_between_three_and_eight() {
        assert_eq!(segment_count(0.81, 1.91), 4, "the article's fox");
        assert_eq!(segment_count(0.1, 1.91), 3);
        assert_eq!(segment_count(5.0, 1.91), 8);
        assert_eq!(segment_count(0.55, 1.0), 6, "5.5 rounds away from zero");
        assert_eq!(segment_count(1.0, 0.0), 3);
        assert_eq!(segment_count(f32::NAN, 1.0), 3);
    }

    #[test]
    fn joints_of_a_straight_tube_stand_evenly_on_its_axis() {
        let (samples, length) = tube(|t| Vec3::new(0.0, 0.0, -0.8 * t), |_| 0.05);
        let line = centre_line(&samples, Vec3::ZERO, length, 4);
        assert_eq!(line.len(), 5);
        // Tail_End is the centroid of the last half segment, a quarter of a segment (d = 5 cm) before the tip. The
        // passes hand d/4 + d/8 of that to J_3 and d/16 to J_2.
        let d = 0.05;
        let expected = [0.0, -0.2, -0.4 + d / 16.0, -0.6 + d * 0.375, -0.8 + d];
        for (i, (joint, z)) in line.iter().zip(expected).enumerate() {
            assert!(joint.distance(Vec3::new(0.0, 0.0, z)) < 2e-3, "{i}: {joint}");
        }
    }

    #[test]
    fn smoothing_halves_a_zigzag_and_keeps_the_ends() {
        // One lone point for each joint: the bands' centroids are the points themselves.
        let zigzag: Vec<Sample> = (1..=4)
            .map(|i| Sample {
                position: Vec3::new(if i % 2 == 0 { -1.0 } else { 1.0 }, -(i as f32), 0.0),
                along_m: i as f32,
                area: 1.0,
            })
            .collect();
        let places: Vec<Option<Vec3>> = std::iter::once(Some(Vec3::ZERO))
            .chain(zigzag.iter().map(|s| Some(s.position)))
            .collect();
        let raw = filled(&places);
        let mut once = raw.clone();
        for (joint, around) in once.iter_mut().skip(1).zip(raw.windows(3)) {
            *joint = around[1] * 0.5 + (around[0] + around[2]) * 0.25;
        }
        // x: 0 1 -1 1 -1 → 0 ¼ 0 0 -1.
        assert_eq!(once.iter().map(|p| p.x).collect::<Vec<_>>(), [0.0, 0.25, 0.0, 0.0, -1.0]);
    }

    #[test]
    fn joints_of_spirals_stay_inside_the_skin() {
        // The last is rolled up so that its turns lie in each other, two of its radii from the middle of the roll.
        for (turns, from, to, radius) in [
            (0.75, 0.2, 0.08, 0.02),
            (1.5, 0.2, 0.08, 0.02),
            (2.5, 0.2, 0.08, 0.02),
            (1.5, 0.07, 0.066, 0.035),
        ] {
            let place = |t: f32| {
                let angle = TAU * turns * t;
                let r = from + (to - from) * t;
                Vec3::new(0.0, r * ops::cos(angle), r * ops::sin(angle))
            };
            let (samples, length) = tube(place, |_| radius);
            for k in [3, 5, 8] {
                let line = centre_line(&samples, place(0.0), length, k);
                for (i, joint) in line.iter().enumerate() {
                    let nearest = (0..=2000)
                        .map(|n| place(n as f32 / 2000.0).distance(*joint))
                        .fold(f32::INFINITY, f32::min);
                    assert!(nearest < radius, "{turns} turns, joint {i} of {k}: {nearest}");
                }
            }
        }
    }

    #[test]
    fn bands_without_skin_are_filled_from_their_neighbours() {
        let sample =
            |z: f32, along_m: f32| Sample { position: Vec3::new(0.0, 0.0, z), along_m, area: 1.0 };
        let line = centre_line(&[sample(4.0, 4.0)], Vec3::ZERO, 4.0, 4);
        for (i, joint) in line.iter().enumerate() {
            assert!(joint.is_finite() && joint.z <= 4.0 && joint.z >= i as f32 * 0.5, "{joint}");
        }
        assert!(centre_line(&[], Vec3::X, 1.0, 3).iter().all(|j| j.is_finite()));
    }
}
