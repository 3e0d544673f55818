//! A field that is asked often: each place of a lattice remembers which primitives matter there.

use std::sync::OnceLock;

use glam::{UVec3, Vec3};
use rayon::prelude::*;

use super::{Field, Piece};

/// A field with its near parts found once for each place.
pub(crate) struct LocalField<'a> {
    field: &'a Field,
    low: Vec3,
    size: f32,
    n: UVec3,
    places: Vec<OnceLock<Field>>,
}

impl<'a> LocalField<'a> {
    /// `field` on a lattice of about `size` metres.
    pub(crate) fn new(field: &'a Field, size: f32) -> Self {
        let (low, high) = field.bounds();
        let n = ((high - low) / size).ceil().as_uvec3().max(UVec3::ONE);
        let places = (0..n.x * n.y * n.z).map(|_| OnceLock::new()).collect();
        Self { field, low, size, n, places }
    }

    fn at(&self, p: Vec3) -> &Field {
        let cell = ((p - self.low) / self.size).max(Vec3::ZERO).as_uvec3().min(self.n - 1);
        let index = ((cell.z * self.n.y + cell.y) * self.n.x + cell.x) as usize;
        let Some(place) = self.places.get(index) else { return self.field };
        place.get_or_init(|| {
            let center = self.low + (cell.as_vec3() + 0.5) * self.size;
            self.field.near(center, self.size)
        })
    }

    /// Unit outward normal at `p`.
    pub(crate) fn normal(&self, p: Vec3) -> Vec3 {
        self.at(p).normal(p)
    }

    /// The surface near `p`; no step is longer than `most`.
    pub(crate) fn project(&self, p: Vec3, most: f32) -> Vec3 {
        self.at(p).project(p, most)
    }

    /// `piece` with the field's normals and labels.
    pub(crate) fn dress(&self, mut piece: Piece) -> Piece {
        piece.normals = piece.positions.par_iter().map(|&p| self.normal(p)).collect();
        piece.labels = piece.positions.par_iter().map(|&p| self.at(p).label(p)).collect();
        piece
    }
}
