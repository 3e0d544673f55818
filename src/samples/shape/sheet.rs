//! Cloth: sheets over a grid, one layer or a thin slab with a rim.

use glam::{Vec2, Vec3};

use super::Piece;

/// Resolution of a sheet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sheet {
    /// Cells across.
    pub(crate) across: u32,
    /// Cells down.
    pub(crate) down: u32,
    /// Whether the last column meets the first: a skirt, a sleeve.
    pub(crate) is_closed: bool,
    /// Thickness in metres; 0 for one layer.
    pub(crate) thickness: f32,
}

/// The sheet at `place(u, v)`, u across and v down, both 0 to 1; its front is where u × v does not point.
///
/// A slab is closed: front, back and rims share their edges.
pub(crate) fn slab(sheet: Sheet, place: impl Fn(f32, f32) -> Vec3) -> Piece {
    let Sheet { across, down, is_closed, thickness } = sheet;
    let columns = if is_closed { across } else { across + 1 };
    let mut piece = Piece::default();
    for r in 0..=down {
        for c in 0..columns {
            let (u, v) = (c as f32 / across as f32, r as f32 / down as f32);
            piece.positions.push(place(u, v));
            piece.uvs.push(Vec2::new(u, v));
        }
    }
    let at = |c: u32, r: u32| r * columns + c % columns;
    for r in 0..down {
        for c in 0..across {
            let (a, b, d, e) = (at(c, r), at(c + 1, r), at(c, r + 1), at(c + 1, r + 1));
            piece.triangles.extend([[a, d, b], [b, d, e]]);
        }
    }
    piece.smooth_normals();
    if thickness > 0.0 {
        let n = piece.positions.len() as u32;
        let front = piece.triangles.clone();
        for v in 0..n as usize {
            let p = piece.positions[v] - piece.normals[v] * thickness;
            piece.positions.push(p);
            piece.normals.push(-piece.normals[v]);
            piece.uvs.push(piece.uvs[v]);
        }
        piece.triangles.extend(front.iter().map(|&[a, b, c]| [a + n, c + n, b + n]));
        let mut rim = |a: u32, b: u32| piece.triangles.extend([[a, a + n, b], [b, a + n, b + n]]);
        for c in 0..across {
            rim(at(c + 1, 0), at(c, 0));
            rim(at(c, down), at(c + 1, down));
        }
        if !is_closed {
            for r in 0..down {
                rim(at(0, r), at(0, r + 1));
                rim(at(across, r + 1), at(across, r));
            }
        }
    }
    piece
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slab_is_closed_and_a_skirt_too() {
        for is_closed in [false, true] {
            let sheet = Sheet { across: 6, down: 3, is_closed, thickness: 0.02 };
            let piece = slab(sheet, |u, v| {
                if is_closed {
                    let a = u * std::f32::consts::TAU;
                    Vec3::new(crate::math::ops::cos(a), -v, crate::math::ops::sin(a))
                } else {
                    Vec3::new(u, -v, 0.0)
                }
            });
            assert!(piece.is_manifold(), "closed: {is_closed}");
        }
    }
}
