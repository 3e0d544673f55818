//! Even triangles whose size varies over the body: fine on face and fingers, coarse on the back.
//!
//! Based on: Botsch and Kobbelt, A remeshing approach to multiresolution modeling, 2004 (split, collapse, flip, relax),
//! with the vertices drawn back onto the implicit surface after each round.

use std::collections::BTreeSet;

use glam::Vec3;
use rayon::prelude::*;

use super::{LocalField, Piece};

/// A triangle mesh that can be edited; the triangles around each vertex are known.
struct Editable {
    positions: Vec<Vec3>,
    /// Removed triangles are `[u32::MAX; 3]`.
    triangles: Vec<[u32; 3]>,
    around: Vec<Vec<u32>>,
}

impl Editable {
    fn of(piece: &Piece) -> Self {
        let mut around = vec![Vec::new(); piece.positions.len()];
        for (t, triangle) in piece.triangles.iter().enumerate() {
            for &v in triangle {
                around[v as usize].push(t as u32);
            }
        }
        Self { positions: piece.positions.clone(), triangles: piece.triangles.clone(), around }
    }

    fn at(&self, v: u32) -> Vec3 {
        self.positions[v as usize]
    }

    fn length(&self, a: u32, b: u32) -> f32 {
        self.at(a).distance(self.at(b))
    }

    /// Vertices next to `v`, rising.
    fn ring(&self, v: u32) -> Vec<u32> {
        let mut ring: Vec<u32> = self.around[v as usize]
            .iter()
            .flat_map(|&t| self.triangles[t as usize])
            .filter(|&w| w != v)
            .collect();
        ring.sort_unstable();
        ring.dedup();
        ring
    }

    /// Triangles on the edge a–b.
    fn sides(&self, a: u32, b: u32) -> Vec<u32> {
        let has_b = |t: &&u32| self.triangles[**t as usize].contains(&b);
        self.around[a as usize].iter().filter(has_b).copied().collect()
    }

    fn opposite(&self, t: u32, a: u32, b: u32) -> u32 {
        let triangle = self.triangles[t as usize];
        triangle.into_iter().find(|&v| v != a && v != b).unwrap_or(a)
    }

    fn normal(&self, [a, b, c]: [u32; 3]) -> Vec3 {
        (self.at(b) - self.at(a)).cross(self.at(c) - self.at(a))
    }

    /// All edges, each once, smaller vertex first, in rising order.
    fn edges(&self) -> Vec<(u32, u32)> {
        let mut edges: Vec<(u32, u32)> = self
            .triangles
            .iter()
            .filter(|t| t[0] != u32::MAX)
            .flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)])
            .map(|(a, b)| (a.min(b), a.max(b)))
            .collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Gives triangle `t` new corners.
    fn set(&mut self, t: u32, corners: [u32; 3]) {
        let old = std::mem::replace(&mut self.triangles[t as usize], corners);
        for v in old.into_iter().filter(|v| *v != u32::MAX && !corners.contains(v)) {
            self.around[v as usize].retain(|&x| x != t);
        }
        for v in corners.into_iter().filter(|v| *v != u32::MAX) {
            let list = &mut self.around[v as usize];
            if !list.contains(&t) {
                list.push(t);
            }
        }
    }

    fn split(&mut self, a: u32, b: u32) {
        let sides = self.sides(a, b);
        let middle = self.positions.len() as u32;
        self.positions.push((self.at(a) + self.at(b)) * 0.5);
        self.around.push(Vec::new());
        for t in sides {
            let old = self.triangles[t as usize];
            let with = |gone: u32| old.map(|v| if v == gone { middle } else { v });
            let (first, second) = (with(b), with(a));
            self.set(t, first);
            let new = self.triangles.len() as u32;
            self.triangles.push([u32::MAX; 3]);
            self.set(new, second);
        }
    }

    /// Merges b into a at `place` where that keeps the surface a manifold and turns no triangle over.
    fn collapse(&mut self, a: u32, b: u32, place: Vec3, longest: f32) -> bool {
        let (ring_a, ring_b) = (self.ring(a), self.ring(b));
        let shared = ring_a.iter().filter(|v| ring_b.contains(v)).count();
        let sides = self.sides(a, b);
        if shared != 2 || sides.len() != 2 || ring_a.len() + ring_b.len() < 9 {
            return false;
        }
        let is_long = |v: &u32| self.at(*v).distance(place) > longest;
        if ring_a.iter().chain(&ring_b).any(is_long) {
            return false;
        }
        for (v, list) in [(a, &self.around[a as usize]), (b, &self.around[b as usize])] {
            for &t in list.iter().filter(|t| !sides.contains(t)) {
                let triangle = self.triangles[t as usize];
                let before = self.normal(triangle);
                let [p, q, r] = triangle.map(|w| if w == v { place } else { self.at(w) });
                let after = (q - p).cross(r - p);
                if after.dot(before) < 0.3 * after.length() * before.length() {
                    return false;
                }
            }
        }
        for t in sides {
            self.set(t, [u32::MAX; 3]);
        }
        for t in self.around[b as usize].clone() {
            let moved = self.triangles[t as usize].map(|v| if v == b { a } else { v });
            self.set(t, moved);
        }
        self.positions[a as usize] = place;
        true
    }

    /// Turns the edge a–b within its two triangles where that brings valences nearer to six.
    fn flip(&mut self, a: u32, b: u32) {
        let sides = self.sides(a, b);
        let &[t, u] = sides.as_slice() else { return };
        let (c, d) = (self.opposite(t, a, b), self.opposite(u, a, b));
        if c == d
            || self.around[c as usize].iter().any(|&x| self.triangles[x as usize].contains(&d))
        {
            return;
        }
        let off = |v: u32, change: i32| {
            let n = self.around[v as usize].len() as i32 + change - 6;
            n * n
        };
        let before = off(a, 0) + off(b, 0) + off(c, 0) + off(d, 0);
        let after = off(a, -1) + off(b, -1) + off(c, 1) + off(d, 1);
        if after >= before {
            return;
        }
        // t is (a, b, c) in some rotation, or (b, a, c): keep its winding.
        let triangle = self.triangles[t as usize];
        let forward = (0..3).any(|k| triangle[k] == a && triangle[(k + 1) % 3] == b);
        let (x, y) = if forward { (a, b) } else { (b, a) };
        let (first, second) = ([x, d, c], [d, y, c]);
        let old = self.normal(triangle) + self.normal(self.triangles[u as usize]);
        let good = |n: Vec3| n.dot(old) > 0.5 * n.length() * old.length();
        if good(self.normal(first)) && good(self.normal(second)) {
            self.set(t, first);
            self.set(u, second);
        }
    }
}

/// `piece` with edges about `size(p)` metres long, on the surface of `field`, after `rounds` rounds.
///
/// Cost: O(rounds × V log V).
pub(crate) fn remesh(
    piece: &Piece,
    field: &LocalField<'_>,
    size: impl Fn(Vec3) -> f32 + Sync,
    rounds: u32,
) -> Piece {
    let mut mesh = Editable::of(piece);
    for _ in 0..rounds {
        for (a, b) in mesh.edges() {
            let middle = (mesh.at(a) + mesh.at(b)) * 0.5;
            if mesh.length(a, b) > size(middle) * 4.0 / 3.0 {
                mesh.split(a, b);
            }
        }
        let mut gone = BTreeSet::new();
        for (a, b) in mesh.edges() {
            if gone.contains(&a) || gone.contains(&b) {
                continue;
            }
            let middle = (mesh.at(a) + mesh.at(b)) * 0.5;
            let wanted = size(middle);
            if mesh.length(a, b) < wanted * 0.8 && mesh.collapse(a, b, middle, wanted * 4.0 / 3.0) {
                gone.insert(b);
            }
        }
        for (a, b) in mesh.edges() {
            mesh.flip(a, b);
        }
        relax(&mut mesh, field, &size);
    }
    let used = mesh.triangles.iter().filter(|t| t[0] != u32::MAX).copied().collect();
    let result =
        Piece { positions: mesh.positions, triangles: used, ..Piece::default() }.compacted();
    field.dress(result)
}

/// One step of every vertex towards the middle of its neighbours, along the surface.
fn relax(mesh: &mut Editable, field: &LocalField<'_>, size: impl Fn(Vec3) -> f32 + Sync) {
    let old = &mesh.positions;
    let moved = (0..old.len() as u32)
        .into_par_iter()
        .map(|v| {
            let at = mesh.at(v);
            let ring = mesh.ring(v);
            if ring.is_empty() {
                return at;
            }
            let mean = ring.iter().map(|&w| mesh.at(w)).sum::<Vec3>() / ring.len() as f32;
            let n = field.normal(at);
            let d = mean - at;
            field.project(at + (d - n * d.dot(n)) * 0.7, size(at) * 0.5)
        })
        .collect();
    mesh.positions = moved;
}
