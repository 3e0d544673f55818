//! Cutting a welded piece into the vertices a file has: split at UV seams and at hard edges.

use std::collections::BTreeMap;

use glam::{Vec2, Vec3};

use super::shape::Piece;
use crate::math::ops;

/// Where a piece is to be cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seams {
    /// Edges sharper than this, in radians, get two normals; π for none.
    pub(crate) crease_rad: f32,
    /// Charts of the texture atlas end at this distance, metres; `None` for one chart by face direction alone.
    pub(crate) chart_m: Option<f32>,
    /// Whether there are charts at all.
    pub(crate) has_charts: bool,
}

/// A piece with its seams cut.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cut {
    /// `[V]`: vertex of the piece that each is a copy of.
    pub(crate) source: Vec<u32>,
    /// `[V]`.
    pub(crate) normals: Vec<Vec3>,
    /// `[V]`, or empty.
    pub(crate) uvs: Vec<Vec2>,
    /// `[T]`.
    pub(crate) triangles: Vec<[u32; 3]>,
}

/// Sets that merge.
struct Sets(Vec<u32>);

impl Sets {
    fn new(n: usize) -> Self {
        Self((0..n as u32).collect())
    }

    fn find(&mut self, mut x: u32) -> u32 {
        while self.0[x as usize] != x {
            let up = self.0[self.0[x as usize] as usize];
            self.0[x as usize] = up;
            x = up;
        }
        x
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        // The smaller is the representative: first come, first numbered.
        self.0[a.max(b) as usize] = a.min(b);
    }
}

/// An edge between two triangles.
struct SharedEdge {
    /// Both triangles.
    faces: [u32; 2],
    /// At each end, the corner (3 × triangle + place) in the first and in the second.
    corners: [(u32, u32); 2],
}

fn shared_edges(triangles: &[[u32; 3]]) -> Vec<SharedEdge> {
    let mut open: BTreeMap<(u32, u32), (u32, u32, u32)> = BTreeMap::new();
    let mut shared = Vec::with_capacity(triangles.len() * 3 / 2);
    for (t, triangle) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
            let corner = |k: usize| (t * 3 + k % 3) as u32;
            if let Some((u, at_b, at_a)) = open.remove(&(b, a)) {
                shared.push(SharedEdge {
                    faces: [t as u32, u],
                    corners: [(corner(k), at_a), (corner(k + 1), at_b)],
                });
            } else {
                open.insert((a, b), (t as u32, corner(k), corner(k + 1)));
            }
        }
    }
    shared
}

/// Cuts `piece` at `seams`. Cost: O(T log T).
pub(crate) fn cut(piece: &Piece, seams: Seams) -> Cut {
    let face: Vec<Vec3> = piece
        .triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|v| piece.positions[v as usize]);
            (b - a).cross(c - a)
        })
        .collect();
    let edges = shared_edges(&piece.triangles);
    let charts = if seams.has_charts {
        charts(piece, &face, &edges, seams.chart_m)
    } else {
        vec![0; face.len()]
    };
    let crease = ops::cos(seams.crease_rad);
    let n_corners = face.len() * 3;
    let (mut smooth, mut same) = (Sets::new(n_corners), Sets::new(n_corners));
    let mut is_creased = vec![false; piece.positions.len()];
    for &SharedEdge { faces: [t, u], corners } in &edges {
        let (a, b) = (face[t as usize].normalize_or_zero(), face[u as usize].normalize_or_zero());
        let is_soft = a.dot(b) >= crease || a == Vec3::ZERO || b == Vec3::ZERO;
        for (x, y) in corners {
            if is_soft {
                smooth.join(x, y);
                if charts[t as usize] == charts[u as usize] {
                    same.join(x, y);
                }
            } else {
                is_creased[piece.triangles[t as usize][x as usize % 3] as usize] = true;
            }
        }
    }
    let mut normal = vec![Vec3::ZERO; n_corners];
    for c in 0..n_corners as u32 {
        normal[smooth.find(c) as usize] += face[c as usize / 3];
    }
    let mut result = Cut::default();
    let mut number = vec![u32::MAX; n_corners];
    let mut chart_of = Vec::new();
    for (t, triangle) in piece.triangles.iter().enumerate() {
        let mut out = [0; 3];
        for k in 0..3 {
            let corner = (t * 3 + k) as u32;
            let root = same.find(corner) as usize;
            if number[root] == u32::MAX {
                number[root] = result.source.len() as u32;
                let v = triangle[k] as usize;
                result.source.push(v as u32);
                result.normals.push(if is_creased[v] {
                    normal[smooth.find(corner) as usize].normalize_or(piece.normals[v])
                } else {
                    piece.normals[v]
                });
                chart_of.push((charts[t], t as u32));
            }
            out[k] = number[root];
        }
        result.triangles.push(out);
    }
    if seams.has_charts {
        result.uvs = pack(piece, &face, &result.source, &chart_of);
    }
    result
}

/// Axis (0 to 5) that a face looks along most.
fn direction(normal: Vec3) -> u32 {
    let a = normal.abs();
    let (axis, value) = if a.x >= a.y && a.x >= a.z {
        (0, normal.x)
    } else if a.y >= a.z {
        (1, normal.y)
    } else {
        (2, normal.z)
    };
    axis * 2 + u32::from(value < 0.0)
}

/// Chart of each triangle: faces that look one way, touch, carry one label and lie in one cell of `size` metres.
fn charts(piece: &Piece, face: &[Vec3], edges: &[SharedEdge], size: Option<f32>) -> Vec<u32> {
    let key = |t: usize| {
        let triangle = piece.triangles[t];
        let cell = size.map_or(glam::IVec3::ZERO, |s| {
            let sum: Vec3 = triangle.iter().map(|&v| piece.positions[v as usize]).sum();
            (sum / (3.0 * s)).floor().as_ivec3()
        });
        (direction(face[t]), piece.labels[triangle[0] as usize], cell.to_array())
    };
    let keys: Vec<_> = (0..face.len()).map(key).collect();
    let mut sets = Sets::new(face.len());
    for &SharedEdge { faces: [t, u], .. } in edges {
        if keys[t as usize] == keys[u as usize] {
            sets.join(t, u);
        }
    }
    (0..face.len() as u32).map(|t| sets.find(t)).collect()
}

/// Charts laid flat along their direction and packed on shelves in the unit square.
fn pack(piece: &Piece, face: &[Vec3], source: &[u32], chart_of: &[(u32, u32)]) -> Vec<Vec2> {
    let flat = |v: usize| {
        let p = piece.positions[source[v] as usize];
        match direction(face[chart_of[v].0 as usize]) / 2 {
            0 => Vec2::new(p.z, p.y),
            1 => Vec2::new(p.x, p.z),
            _ => Vec2::new(p.x, p.y),
        }
    };
    let mut boxes: BTreeMap<u32, (Vec2, Vec2)> = BTreeMap::new();
    for (v, &(chart, _)) in chart_of.iter().enumerate() {
        let p = flat(v);
        let entry = boxes.entry(chart).or_insert((p, p));
        *entry = (entry.0.min(p), entry.1.max(p));
    }
    let gap = 0.002;
    let area: f32 = boxes.values().map(|(a, b)| (b.x - a.x + gap) * (b.y - a.y + gap)).sum();
    let width = (area * 1.15).sqrt().max(1e-6);
    let mut order: Vec<(u32, Vec2)> = boxes.iter().map(|(c, (a, b))| (*c, *b - *a)).collect();
    order.sort_by(|a, b| b.1.y.total_cmp(&a.1.y).then(a.0.cmp(&b.0)));
    let mut places: BTreeMap<u32, Vec2> = BTreeMap::new();
    let (mut at, mut shelf) = (Vec2::ZERO, 0.0_f32);
    for (chart, size) in order {
        if at.x > 0.0 && at.x + size.x > width {
            at = Vec2::new(0.0, at.y + shelf);
            shelf = 0.0;
        }
        places.insert(chart, at);
        at.x += size.x + gap;
        shelf = shelf.max(size.y + gap);
    }
    let side = width.max(at.y + shelf);
    (0..source.len())
        .map(|v| {
            let chart = chart_of[v].0;
            let corner = boxes.get(&chart).map_or(Vec2::ZERO, |b| b.0);
            let place = places.get(&chart).copied().unwrap_or_default();
            (flat(v) - corner + place) / side
        })
        .collect()
}
