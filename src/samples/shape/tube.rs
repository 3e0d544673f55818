//! Tubes swept along a path, with open roots that can be sewn to a body, and forks.

use glam::Vec3;

use super::Piece;
use super::stitch::zip;
use crate::math::ops;

/// A tube: its rings run right-handed about the path.
#[derive(Clone, Debug)]
pub(crate) struct Tube {
    /// At least two points, root first.
    pub(crate) path: Vec<Vec3>,
    /// Half width beside and above the path at each point.
    pub(crate) radii: Vec<[f32; 2]>,
    /// Corners of each ring.
    pub(crate) n_sides: u32,
    /// What `above` is at the root.
    pub(crate) up: Vec3,
    /// Whether the root is closed by a cap; open ones are for sewing.
    pub(crate) is_capped: bool,
}

impl Tube {
    /// A round tube whose radius is `radius(t)`, t from 0 at the root to 1 at the tip, by index.
    pub(crate) fn round(path: Vec<Vec3>, n_sides: u32, radius: impl Fn(f32) -> f32) -> Self {
        let last = (path.len().max(2) - 1) as f32;
        let radii = (0..path.len()).map(|i| [radius(i as f32 / last); 2]).collect();
        Self { path, radii, n_sides, up: Vec3::Y, is_capped: false }
    }

    /// The same tube with a closed root.
    pub(crate) fn capped(mut self) -> Self {
        self.is_capped = true;
        self
    }

    /// Side and up at each point, carried along without twist.
    fn frames(&self) -> Vec<[Vec3; 3]> {
        let n = self.path.len();
        let direction = |i: usize| {
            let (a, b) = (i.saturating_sub(1), (i + 1).min(n - 1));
            (self.path[b] - self.path[a]).normalize_or(Vec3::NEG_Z)
        };
        let mut frames = Vec::with_capacity(n);
        let mut up = self.up;
        for i in 0..n {
            let d = direction(i);
            up = up - d * up.dot(d);
            up = up.try_normalize().unwrap_or_else(|| d.any_orthonormal_vector());
            frames.push([up.cross(d), up, d]);
        }
        frames
    }

    fn ring(&self, frame: &[Vec3; 3], center: Vec3, radii: [f32; 2]) -> impl Iterator<Item = Vec3> {
        let n = self.n_sides;
        let [side, up, _] = *frame;
        (0..n).map(move |i| {
            let a = std::f32::consts::TAU * i as f32 / n as f32;
            center + side * (radii[0] * ops::cos(a)) + up * (radii[1] * ops::sin(a))
        })
    }

    /// The tube as a piece, tip closed; its first `n_sides` vertices are the root ring.
    pub(crate) fn build(&self) -> Piece {
        let mut piece = self.open();
        let n = self.n_sides;
        let last = piece.positions.len() as u32 - n;
        let frames = self.frames();
        let (Some(&[_, _, d]), Some(&end), Some(&[rx, ry])) =
            (frames.last(), self.path.last(), self.radii.last())
        else {
            return piece;
        };
        let tip = piece.positions.len() as u32;
        piece.positions.push(end + d * (rx.min(ry) * 0.7));
        piece.triangles.extend((0..n).map(|i| [last + i, last + (i + 1) % n, tip]));
        if self.is_capped {
            let root = piece.positions.len() as u32;
            let (center, [_, _, d]) = (self.path[0], frames[0]);
            piece.positions.push(center - d * (self.radii[0][0].min(self.radii[0][1]) * 0.5));
            piece.triangles.extend((0..n).map(|i| [(i + 1) % n, i, root]));
        }
        piece.smooth_normals();
        piece
    }

    /// Rings and walls only.
    fn open(&self) -> Piece {
        let mut piece = Piece::default();
        let n = self.n_sides;
        for ((frame, &center), &radii) in self.frames().iter().zip(&self.path).zip(&self.radii) {
            let first = piece.positions.len() as u32;
            piece.positions.extend(self.ring(frame, center, radii));
            if first > 0 {
                let below = first - n;
                for i in 0..n {
                    let j = (i + 1) % n;
                    piece.triangles.push([below + i, below + j, first + j]);
                    piece.triangles.push([below + i, first + j, first + i]);
                }
            }
        }
        piece
    }
}

/// A trunk that ends in two branches, all one skin. Each branch starts at the trunk's end.
pub(crate) fn forked(trunk: &Tube, branches: &[Tube; 2]) -> Piece {
    let mut piece = trunk.open();
    let n = trunk.n_sides;
    let last = piece.positions.len() as u32 - n;
    let end = trunk.path.last().copied().unwrap_or_default();
    let saddle = piece.positions.len() as u32;
    let d = trunk.frames().last().map_or(Vec3::NEG_Z, |f| f[2]);
    piece.positions.push(end + d * trunk.radii.last().map_or(0.0, |r| r[0] * 0.5));
    let half = n / 2;
    for (b, branch) in branches.iter().enumerate() {
        let start = b as u32 * half;
        let mut base: Vec<u32> = (0..=half).map(|i| last + (start + i) % n).collect();
        base.push(saddle);
        let grown = branch.build();
        let first = piece.positions.len() as u32;
        let ring: Vec<u32> = (first..first + branch.n_sides).collect();
        piece.positions.extend(&grown.positions);
        piece.triangles.extend(grown.triangles.iter().map(|t| t.map(|v| v + first)));
        let strip = zip(&piece.positions, &base, &ring);
        piece.triangles.extend(strip);
    }
    if trunk.is_capped {
        let root = piece.positions.len() as u32;
        piece.positions.push(trunk.path[0]);
        piece.triangles.extend((0..n).map(|i| [(i + 1) % n, i, root]));
    }
    piece.smooth_normals();
    piece
}

#[cfg(test)]
mod tests {
    use super::*;

    fn straight(n: usize, from: Vec3, to: Vec3, sides: u32) -> Tube {
        let path = (0..n).map(|i| from.lerp(to, i as f32 / (n - 1) as f32)).collect();
        Tube::round(path, sides, |t| 0.1 - 0.05 * t)
    }

    #[test]
    fn a_capped_tube_is_closed() {
        let piece = straight(5, Vec3::ZERO, Vec3::NEG_Z, 8).capped().build();
        assert!(piece.is_manifold());
        let v = piece.positions.iter().position(|p| p.x > 0.05 && p.z < -0.2).unwrap();
        assert!(piece.normals[v].x > 0.5, "normals point outward");
    }

    #[test]
    fn a_fork_is_one_closed_skin() {
        let trunk = straight(4, Vec3::ZERO, Vec3::NEG_Z, 8).capped();
        let left = straight(4, Vec3::new(0.06, 0.0, -1.1), Vec3::new(0.4, 0.0, -2.0), 6);
        let right = straight(4, Vec3::new(-0.06, 0.0, -1.1), Vec3::new(-0.4, 0.0, -2.0), 6);
        let piece = forked(&trunk, &[left, right]);
        assert!(piece.is_manifold());
    }
}
