//! The surface of an implicit body as triangles, manifold and well shaped.
//!
//! Based on: Nielson, Dual marching cubes, 2004: one vertex for each sheet of surface that passes a cell, one quad for
//! each grid edge that changes sign; and Wenger, Isosurfaces, 2013, for what that leaves pinched. Evaluated block by block where the surface can be; vertices then move along
//! the gradient onto the surface.

use glam::{UVec3, Vec3};
use rayon::prelude::*;

use super::{Field, LocalField, Piece};

/// Cells of a block, along each axis.
const BLOCK: u32 = 4;

struct Grid {
    low: Vec3,
    cell: f32,
    /// Points along each axis.
    n: UVec3,
    /// `[points]`, x fastest.
    values: Vec<f32>,
}

impl Grid {
    fn index(&self, p: UVec3) -> usize {
        ((p.z * self.n.y + p.y) * self.n.x + p.x) as usize
    }

    fn place(&self, p: UVec3) -> Vec3 {
        self.low + p.as_vec3() * self.cell
    }

    /// Values at all points; away from the surface only their sign holds.
    fn of(field: &Field, cell: f32) -> Self {
        let (low, high) = field.bounds();
        let low = low - cell * 1.5;
        let n = ((high + cell * 1.5 - low) / cell).ceil().as_uvec3() + 1;
        let mut grid = Self { low, cell, n, values: vec![0.0; (n.x * n.y * n.z) as usize] };
        let radius = cell * BLOCK as f32 * 0.5 * 1.733;
        let blocks = n / BLOCK + 1;
        let plane = (n.x * n.y * BLOCK) as usize;
        let mut values = std::mem::take(&mut grid.values);
        // One layer of blocks for each chunk, so that threads never meet.
        values.par_chunks_mut(plane).enumerate().for_each(|(bz, layer)| {
            for by in 0..blocks.y {
                for bx in 0..blocks.x {
                    let first = UVec3::new(bx, by, bz as u32) * BLOCK;
                    let center = grid.place(first) + cell * BLOCK as f32 * 0.5;
                    let middle = field.value(center);
                    // Slopes reach 1/flat at most in flattened parts, hence the room of two.
                    let is_far = middle.abs() > radius * 2.0;
                    let near = if is_far { Field::default() } else { field.near(center, radius) };
                    let last = (first + BLOCK).min(n);
                    for z in first.z..last.z {
                        for y in first.y..last.y {
                            for x in first.x..last.x {
                                let p = UVec3::new(x, y, z);
                                let at = grid.index(UVec3::new(x, y, z - first.z));
                                if let Some(slot) = layer.get_mut(at) {
                                    *slot = if is_far { middle } else { near.value(grid.place(p)) };
                                }
                            }
                        }
                    }
                }
            }
        });
        grid.values = values;
        grid
    }
}

/// Number of a cell's edge along `axis`, at the offsets `o` (that along the axis itself does not matter).
fn edge_id(axis: usize, o: [u32; 3]) -> usize {
    axis * 4 + (o[(axis + 1) % 3] + 2 * o[(axis + 2) % 3]) as usize
}

/// Both corners of an edge, as offsets.
fn edge_ends(id: usize) -> [UVec3; 2] {
    let axis = id / 4;
    let mut o = [0; 3];
    o[(axis + 1) % 3] = (id % 2) as u32;
    o[(axis + 2) % 3] = (id % 4 / 2) as u32;
    let a = UVec3::from_array(o);
    o[axis] = 1;
    [a, UVec3::from_array(o)]
}

/// The four edges round a cell's face at `side` (0 or 1) across axis `face`.
fn face_edges(face: usize, side: u32) -> [usize; 4] {
    let (a1, a2) = ((face + 1) % 3, (face + 2) % 3);
    let at = |o1: u32, o2: u32| {
        let mut o = [0; 3];
        (o[face], o[a1], o[a2]) = (side, o1, o2);
        o
    };
    [edge_id(a1, at(0, 0)), edge_id(a1, at(0, 1)), edge_id(a2, at(0, 0)), edge_id(a2, at(1, 0))]
}

/// Sheet of surface that each of a cell's twelve edges belongs to, numbered from 0; `u8::MAX` where no sign changes.
///
/// Of a face whose corners alternate, the inside ones stay apart; where `joins` says so of a face, the outside ones do.
fn sheets(inside: impl Fn(UVec3) -> bool, joins: impl Fn(usize, u32) -> bool) -> ([u8; 12], u8) {
    let mut link = [usize::MAX; 12];
    for (id, slot) in link.iter_mut().enumerate() {
        let [a, b] = edge_ends(id);
        if inside(a) != inside(b) {
            *slot = id;
        }
    }
    let find = |link: &[usize; 12], mut x: usize| {
        while link[x] != x {
            x = link[x];
        }
        x
    };
    for face in 0..3 {
        let (a1, a2) = ((face + 1) % 3, (face + 2) % 3);
        for side in 0..2 {
            let at = |o1: u32, o2: u32| {
                let mut o = [0; 3];
                o[face] = side;
                o[a1] = o1;
                o[a2] = o2;
                o
            };
            let corners = [(0, 0), (1, 0), (0, 1), (1, 1)];
            let edges = face_edges(face, side).into_iter();
            let active: Vec<usize> = edges.filter(|&e| link[e] != usize::MAX).collect();
            if active.len() == 2 {
                let (x, y) = (find(&link, active[0]), find(&link, active[1]));
                link[x] = y;
            } else if active.len() == 4 {
                // The neighbour across this face decides alike.
                let apart = !joins(face, side);
                for (o1, o2) in corners {
                    if inside(UVec3::from_array(at(o1, o2))) == apart {
                        let x = find(&link, edge_id(a1, at(0, o2)));
                        let y = find(&link, edge_id(a2, at(o1, 0)));
                        link[x] = y;
                    }
                }
            }
        }
    }
    let mut sheet = [u8::MAX; 12];
    let mut roots: Vec<usize> = Vec::new();
    for id in 0..12 {
        if link[id] != usize::MAX {
            let root = find(&link, id);
            let n = roots.iter().position(|&r| r == root).unwrap_or_else(|| {
                roots.push(root);
                roots.len() - 1
            });
            sheet[id] = n as u8;
        }
    }
    (sheet, roots.len() as u8)
}

/// The surface of `field` in cells of `cell` metres, after `rounds` of relaxing along the surface.
///
/// Every vertex carries the label of the nearest group. Cost: O(points near the surface × primitives near them).
pub(crate) fn contour(field: &Field, cell: f32, rounds: u32) -> Piece {
    let grid = Grid::of(field, cell);
    let mut piece = Piece::default();
    let (crossed, cell_at) = crossed_cells(&grid);
    // First vertex and sheets of each of them.
    let mut cells: Vec<(u32, [u8; 12])> = Vec::with_capacity(crossed.len());
    for &Crossed { p, sheet, n_sheets } in &crossed {
        let value = |o: UVec3| grid.values[grid.index(p + o)];
        cells.push((piece.positions.len() as u32, sheet));
        for wanted in 0..n_sheets {
            let (mut sum, mut count) = (Vec3::ZERO, 0.0);
            for (id, _) in sheet.iter().enumerate().filter(|(_, s)| **s == wanted) {
                let [a, b] = edge_ends(id);
                let (va, vb) = (value(a), value(b));
                sum += (a.as_vec3()).lerp(b.as_vec3(), va / (va - vb));
                count += 1.0;
            }
            piece.positions.push(grid.place(p) + sum / count * cell);
        }
    }
    quads(&grid, &cells, &cell_at, &mut piece);
    settle(field, piece, cell, rounds)
}

/// A cell that the surface passes.
struct Crossed {
    p: UVec3,
    sheet: [u8; 12],
    n_sheets: u8,
}

/// The cells that the surface passes, x fastest, and where each grid point's cell stands among them.
///
/// Where two cells share a face whose corners alternate, and in each both lines across that face belong to one sheet, two
/// edges of the surface would join the same two vertices, with four faces round them. Such a face is joined the other way.
fn crossed_cells(grid: &Grid) -> (Vec<Crossed>, Vec<u32>) {
    let mut crossed = Vec::new();
    let mut cell_at = vec![u32::MAX; grid.values.len()];
    let is_inside = |p: UVec3| grid.values[grid.index(p)] < 0.0;
    for z in 0..grid.n.z - 1 {
        for y in 0..grid.n.y - 1 {
            for x in 0..grid.n.x - 1 {
                let p = UVec3::new(x, y, z);
                let first = is_inside(p);
                let same = (1..8_u32)
                    .all(|c| is_inside(p + UVec3::new(c & 1, c >> 1 & 1, c >> 2)) == first);
                if !same {
                    let (sheet, n_sheets) = sheets(|o| is_inside(p + o), |_, _| false);
                    cell_at[grid.index(p)] = crossed.len() as u32;
                    crossed.push(Crossed { p, sheet, n_sheets });
                }
            }
        }
    }
    let neighbour = |p: UVec3, face: usize| {
        let mut step = [0; 3];
        step[face] = 1;
        let at = cell_at[grid.index(p + UVec3::from_array(step))];
        (at != u32::MAX).then_some(at as usize)
    };
    // Cells on both sides of each pinched face, with the face as that cell has it.
    let mut pinched: Vec<(usize, usize, u32)> = Vec::new();
    for (i, cell) in crossed.iter().enumerate() {
        for face in 0..3 {
            let is_one_sheet = |sheet: &[u8; 12], side: u32| {
                let [a, b, c, d] = face_edges(face, side).map(|e| sheet[e]);
                a != u8::MAX && a == b && b == c && c == d
            };
            if is_one_sheet(&cell.sheet, 1)
                && let Some(j) = neighbour(cell.p, face)
                && is_one_sheet(&crossed[j].sheet, 0)
            {
                pinched.extend([(i, face, 1), (j, face, 0)]);
            }
        }
    }
    pinched.sort_unstable();
    for faces in pinched.chunk_by(|a, b| a.0 == b.0) {
        let cell = &mut crossed[faces[0].0];
        let joins = |face: usize, side: u32| faces.iter().any(|f| (f.1, f.2) == (face, side));
        (cell.sheet, cell.n_sheets) = sheets(|o| is_inside(cell.p + o), joins);
    }
    (crossed, cell_at)
}

/// Two triangles for each grid edge that changes sign, split along the shorter diagonal.
fn quads(grid: &Grid, cells: &[(u32, [u8; 12])], cell_at: &[u32], piece: &mut Piece) {
    for z in 1..grid.n.z - 1 {
        for y in 1..grid.n.y - 1 {
            for x in 1..grid.n.x - 1 {
                let p = UVec3::new(x, y, z);
                let here = grid.values[grid.index(p)] < 0.0;
                for axis in 0..3 {
                    let mut step = [0; 3];
                    step[axis] = 1;
                    if (grid.values[grid.index(p + UVec3::from_array(step))] < 0.0) == here {
                        continue;
                    }
                    let corner = |du: u32, dv: u32| {
                        let mut o = [0; 3];
                        o[(axis + 1) % 3] = du;
                        o[(axis + 2) % 3] = dv;
                        let at = cell_at[grid.index(p - UVec3::from_array(o))];
                        let (first, sheet) = cells[at as usize];
                        first + u32::from(sheet[edge_id(axis, o)])
                    };
                    let mut q = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                    if !here {
                        q.reverse();
                    }
                    let at = |i: usize| piece.positions[q[i] as usize];
                    if at(0).distance_squared(at(2)) <= at(1).distance_squared(at(3)) {
                        piece.triangles.extend([[q[0], q[1], q[2]], [q[0], q[2], q[3]]]);
                    } else {
                        piece.triangles.extend([[q[0], q[1], q[3]], [q[1], q[2], q[3]]]);
                    }
                }
            }
        }
    }
}

/// Onto the surface, evened out along it, with normals and labels.
fn settle(field: &Field, mut piece: Piece, cell: f32, rounds: u32) -> Piece {
    let local = LocalField::new(field, cell * 3.0);
    piece.positions.par_iter_mut().for_each(|p| *p = local.project(*p, cell * 0.5));
    let ring = piece.neighbours();
    for _ in 0..rounds {
        let old = piece.positions.clone();
        piece.positions.par_iter_mut().enumerate().for_each(|(v, p)| {
            let list = ring.of(v);
            let mean =
                list.iter().map(|&n| old[n as usize]).sum::<Vec3>() / list.len().max(1) as f32;
            // Only a little off the surface afterwards: projecting takes back what was normal to it.
            *p = local.project(old[v].lerp(mean, 0.6), cell * 0.5);
        });
    }
    local.dress(piece)
}

#[cfg(test)]
mod tests {
    use super::super::Shape;
    use super::*;

    #[test]
    fn a_ball_is_closed_and_lies_on_its_surface() {
        let mut field = Field::default();
        field.add(3, 0.1, 0.1, vec![Shape::ball(Vec3::ONE, Vec3::splat(0.5))]);
        let piece = contour(&field, 0.1, 2);
        let v = piece.positions.len() as i64;
        let t = piece.triangles.len() as i64;
        assert_eq!(v - t * 3 / 2 + t, 2, "Euler's formula for a sphere");
        assert!(piece.is_manifold());
        for (p, n) in piece.positions.iter().zip(&piece.normals) {
            assert!((p.distance(Vec3::ONE) - 0.5).abs() < 1e-3);
            assert!(n.dot((*p - Vec3::ONE).normalize()) > 0.999);
        }
        let volume: f32 = piece
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|v| piece.positions[v as usize] - Vec3::ONE);
                a.dot(b.cross(c)) / 6.0
            })
            .sum();
        assert!(
            (volume / std::f32::consts::FRAC_PI_6 - 1.0).abs() < 0.05,
            "outward triangles: {volume}"
        );
    }

    #[test]
    fn no_arrangement_of_blobs_pinches_the_surface() {
        // Balls about as large as the cells: every configuration of corners comes up.
        for seed in 0..40 {
            let mut random = crate::samples::random::Random::new(seed);
            let mut field = Field::default();
            let mut at = || Vec3::new(random.unit(), random.unit(), random.unit());
            for _ in 0..60 {
                let (center, size) = (at(), Vec3::splat(0.03) + at() * 0.06);
                field.add(0, 1e-3, 1e-3, vec![Shape::ball(center, size)]);
            }
            let piece = contour(&field, 0.07, 0);
            assert!(piece.is_manifold(), "seed {seed}");
        }
    }
}
