//! Joints that a hand has put elsewhere on a chain: where its skin is handed on from one to the next then.
//!
//! ```text
//!   by the program   J0────J1────J2────J3     skin at g of each third follows its own joint
//!   moved            J0──────P1──J2────J3     P1 lies farther along the line: its joint takes over later
//! ```

use glam::Vec3;

use crate::math::closest;

/// Least part of an even segment that is left between two joints, so that their order on the line stands.
const LEAST_SEGMENT: f32 = 0.1;

/// Distances along a chain at which its joints take over, where they are not evenly spread.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Moved {
    /// `[K + 1]`, rising, metres along the skin.
    bounds: Vec<f32>,
    length_m: f32,
}

impl Moved {
    /// Joints of an even `line` over `length_m`, moved to `places`; both `[K + 1]`.
    ///
    /// A joint takes over where the line passes nearest to it.
    pub(super) fn of(line: &[Vec3], places: &[Vec3], length_m: f32) -> Self {
        let k = line.len().saturating_sub(1).max(1);
        let segment = length_m / k as f32;
        let mut bounds: Vec<f32> = Vec::with_capacity(k + 1);
        for (i, &place) in places.iter().enumerate() {
            let low = bounds.last().map_or(0.0, |b| b + LEAST_SEGMENT * segment);
            let high = length_m - (k - i.min(k)) as f32 * LEAST_SEGMENT * segment;
            // The end carries no skin; where it stands does not matter to it.
            let at = if i == k { length_m } else { nearest(line, place) * segment };
            bounds.push(at.clamp(low.min(high), high));
        }
        Self { bounds, length_m }
    }

    /// Where on the even chain skin at `g` belongs.
    pub(super) fn along(&self, g: f32) -> f32 {
        let k = self.bounds.len().saturating_sub(1);
        let segment = self.length_m / k.max(1) as f32;
        let i = self.bounds.partition_point(|&b| b <= g);
        if i == 0 {
            return 0.0;
        }
        let from = self.bounds.get(i - 1).copied().unwrap_or(0.0);
        let Some(&to) = self.bounds.get(i) else { return self.length_m };
        ((i - 1) as f32 + (g - from) / (to - from).max(f32::MIN_POSITIVE)) * segment
    }
}

/// The place on a line that lies nearest to `p`, in corners from its start.
fn nearest(line: &[Vec3], p: Vec3) -> f32 {
    let of_segment = |(i, ends): (usize, &[Vec3])| {
        let [a, b] = ends else { return (f32::INFINITY, 0.0) };
        let t = closest::parameter_on_segment(p, *a, *b).clamp(0.0, 1.0);
        (p.distance_squared(a.lerp(*b, t)), i as f32 + t)
    };
    line.windows(2)
        .enumerate()
        .map(of_segment)
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map_or(0.0, |(_, at)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> Vec<Vec3> {
        (0..4).map(|i| Vec3::new(0.0, 0.0, -0.2 * i as f32)).collect()
    }

    #[test]
    fn joints_that_did_not_move_change_nothing() {
        let moved = Moved::of(&line(), &line(), 0.6);
        for g in [0.0, 0.1, 0.2, 0.35, 0.5, 0.6] {
            assert!((moved.along(g) - g).abs() < 1e-5, "{g}");
        }
    }

    #[test]
    fn a_joint_takes_over_where_it_stands() {
        let mut places = line();
        places[1] = Vec3::new(0.05, 0.0, -0.3);
        let moved = Moved::of(&line(), &places, 0.6);
        assert!((moved.along(0.3) - 0.2).abs() < 1e-5, "the second joint begins at 0.3");
        assert!((moved.along(0.15) - 0.1).abs() < 1e-5, "the first has the way up to there");
        assert!((moved.along(0.5) - 0.5).abs() < 1e-5, "beyond the next joint nothing differs");
    }

    #[test]
    fn joints_never_change_places() {
        let mut places = line();
        places[1] = Vec3::new(0.0, 0.0, -0.9);
        let moved = Moved::of(&line(), &places, 0.6);
        assert!(moved.bounds.windows(2).all(|b| b[1] > b[0]), "{:?}", moved.bounds);
        assert!(moved.along(0.0) >= 0.0 && moved.along(9.0) <= 0.6 + 1e-6);
    }
}
