//! How far apart the two farthest of many points are.

use glam::Vec3;

use crate::math::ops;

/// Points up to which all pairs are compared.
const MOST_POINTS: usize = 4096;

/// Largest distance between two of `points`; of more than 4096 up to 1 % less. Cost: O(N²), O(N) beyond 4096.
pub(super) fn extent_of(points: &[Vec3]) -> f32 {
    if points.len() > MOST_POINTS { all_pairs(&outermost(points)) } else { all_pairs(points) }
}

fn all_pairs(points: &[Vec3]) -> f32 {
    let mut largest = 0.0_f32;
    for (i, a) in points.iter().enumerate() {
        for b in points.iter().skip(i + 1) {
            largest = largest.max(a.distance_squared(*b));
        }
    }
    largest.sqrt()
}

/// The points that lie farthest out in directions all round, some 9° apart: one is at most half of that beside the way
/// from one of the two farthest to the other, and what it finds is at least cos 4.5° of it.
fn outermost(points: &[Vec3]) -> Vec<Vec3> {
    const DIRECTIONS: usize = 512;
    let golden = std::f32::consts::PI * (3.0 - 5.0_f32.sqrt());
    let directions = (0..DIRECTIONS).map(|i| {
        // A spiral over the whole sphere: the far side is met by directions of its own.
        let y = 1.0 - 2.0 * (i as f32 + 0.5) / DIRECTIONS as f32;
        let (r, turn) = ((1.0 - y * y).max(0.0).sqrt(), golden * i as f32);
        Vec3::new(r * ops::cos(turn), y, r * ops::sin(turn))
    });
    let farthest = |d: Vec3| points.iter().copied().max_by(|a, b| a.dot(d).total_cmp(&b.dot(d)));
    directions.filter_map(farthest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_farthest_of_many_are_found_as_those_of_few_are() {
        // A tip that swings for minutes, never twice through one place.
        let tip = |n: usize| {
            let t = n as f32 * 0.0137;
            Vec3::new(0.4 * ops::sin(t), 0.1 * ops::cos(1.7 * t), 0.2 * ops::sin(2.3 * t + 1.0))
        };
        let points: Vec<Vec3> = (0..3 * MOST_POINTS).map(tip).collect();
        let (exact, found) = (all_pairs(&points), extent_of(&points));
        assert!(found <= exact && found > 0.99 * exact, "{found} of {exact}");
        assert_eq!(extent_of(&points[..100]), all_pairs(&points[..100]));
        assert_eq!(extent_of(&[]), 0.0);
        assert_eq!(extent_of(&[Vec3::ONE; 2 * MOST_POINTS]), 0.0);
    }
}
