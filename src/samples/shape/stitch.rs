//! Sewing an open tube to a body: a hole is cut where it stands and its rim is zipped to the tube's root ring.

use std::collections::BTreeMap;

use glam::Vec3;

use super::Piece;

/// Triangles between two loops that run the same way round, `outer` kept in its direction, `inner` against its own.
pub(super) fn zip(positions: &[Vec3], outer: &[u32], inner: &[u32]) -> Vec<[u32; 3]> {
    let at = |v: u32| positions[v as usize];
    let (n, m) = (outer.len(), inner.len());
    // Both loops are matched about their own centres, so that one far away does not fold the strip.
    let center = |list: &[u32]| list.iter().map(|&v| at(v)).sum::<Vec3>() / list.len() as f32;
    let (co, ci) = (center(outer), center(inner));
    let apart = |o: u32, i: u32| {
        ((at(o) - co).normalize_or_zero() - (at(i) - ci).normalize_or_zero()).length_squared()
    };
    let start = (0..m)
        .min_by(|&a, &b| apart(outer[0], inner[a]).total_cmp(&apart(outer[0], inner[b])))
        .unwrap_or(0);
    let o = |k: usize| outer[k % n];
    let i = |k: usize| inner[(start + k) % m];
    let (mut a, mut b) = (0, 0);
    let mut triangles = Vec::with_capacity(n + m);
    while a < n || b < m {
        let along_outer = b == m || (a < n && apart(o(a + 1), i(b)) <= apart(o(a), i(b + 1)));
        if along_outer {
            triangles.push([o(a), o(a + 1), i(b)]);
            a += 1;
        } else {
            triangles.push([o(a), i(b + 1), i(b)]);
            b += 1;
        }
    }
    triangles
}

/// The rim of the patch of `triangles` that touch `inside`, in their direction; `None` unless it is one simple loop.
fn rim(triangles: &[[u32; 3]], inside: &[bool]) -> Option<Vec<u32>> {
    let removed = |t: &&[u32; 3]| t.iter().any(|&v| inside[v as usize]);
    let mut edges = BTreeMap::new();
    let mut n_directed = 0;
    for &[a, b, c] in triangles.iter().filter(removed) {
        for (x, y) in [(a, b), (b, c), (c, a)] {
            if !inside[x as usize] && !inside[y as usize] {
                n_directed += 1;
                edges.insert(x, y);
            }
        }
    }
    // Two edges from one vertex, or a chord within the patch: no simple loop.
    if edges.len() != n_directed || edges.len() < 3 {
        return None;
    }
    let &first = edges.keys().next()?;
    let mut rim = vec![first];
    let mut at = *edges.get(&first)?;
    while at != first {
        rim.push(at);
        at = *edges.get(&at)?;
        if rim.len() > edges.len() {
            return None;
        }
    }
    (rim.len() == edges.len()).then_some(rim)
}

/// `body` with `tube` sewn to it where `tube`'s root ring (its first `n_ring` vertices) stands, about `radius` wide.
///
/// The tube must leave the body there. Where no clean hole can be cut the tube stays a shell of its own.
pub(crate) fn stitch(body: &Piece, tube: &Piece, n_ring: u32, radius: f32) -> Piece {
    let ring_center = tube.positions[..n_ring as usize].iter().sum::<Vec3>() / n_ring as f32;
    let nearest = |a: &usize, b: &usize| {
        let d = |v: usize| body.positions[v].distance_squared(ring_center);
        d(*a).total_cmp(&d(*b))
    };
    let Some(seed) = (0..body.positions.len()).min_by(nearest) else { return tube.clone() };
    let ring = body.neighbours();
    let hole = |radius: f32| {
        let mut inside = vec![false; body.positions.len()];
        inside[seed] = true;
        let mut open = vec![seed];
        while let Some(v) = open.pop() {
            for &n in ring.of(v) {
                let n = n as usize;
                if !inside[n] && body.positions[n].distance(body.positions[seed]) < radius {
                    inside[n] = true;
                    open.push(n);
                }
            }
        }
        rim(&body.triangles, &inside).map(|rim| (inside, rim))
    };
    let mut joined = body.clone();
    let first = joined.positions.len() as u32;
    joined.append(tube);
    let Some((inside, rim)) = hole(radius).or_else(|| hole(0.0)) else { return joined };
    joined.triangles.retain(|t| !t.iter().any(|&v| inside.get(v as usize) == Some(&true)));
    let root: Vec<u32> = (first..first + n_ring).collect();
    joined.triangles.extend(zip(&joined.positions, &rim, &root));
    joined.compacted()
}

#[cfg(test)]
mod tests {
    use super::super::{Field, Shape, Tube, contour};
    use super::*;

    #[test]
    fn a_tail_sewn_to_a_ball_is_one_closed_skin() {
        let mut field = Field::default();
        field.add(0, 0.1, 0.1, vec![Shape::ball(Vec3::ZERO, Vec3::splat(0.5))]);
        let body = contour(&field, 0.1, 1).colored(Vec3::ONE);
        for radius in [0.0, 0.1, 0.2] {
            let path = (0..5).map(|i| Vec3::new(0.0, 0.0, -0.52 - 0.1 * i as f32)).collect();
            let tube = Tube::round(path, 8, |_| 0.08).build().labelled(1).colored(Vec3::X);
            let joined = stitch(&body, &tube, 8, radius);
            assert!(joined.is_manifold(), "radius {radius}");
            assert_eq!(joined.labels.iter().filter(|l| **l == 1).count(), 5 * 8 + 1);
        }
    }
}
