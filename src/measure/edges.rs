//! Which edges are measured: the body's, each region's own, each region's border.
//!
//! Based on: spec 5.1, 8 (D11).

use glam::Vec3;

use super::histogram::Ratios;
use crate::geometry::Surface;
use crate::model::{BindPose, Character, InstanceIndex, SurfaceVertex};

/// Edges of one kind, over a compact list of the vertices they need.
#[derive(Clone, Debug, Default)]
pub struct EdgeSet {
    /// `[E]` ends, places in `Edges::vertices`.
    pub ends: Vec<[u32; 2]>,
    /// `[E]` 1 / (bind length)², 1/m².
    pub inverse_square: Vec<f32>,
}

impl EdgeSet {
    /// Adds the ratios of all edges to `ratios`; `positions` is `[vertices]`, metres. Edges of vertices that are missing
    /// count as torn. Cost: O(E), 2 to 3 ns each.
    pub fn add_to(&self, positions: &[glam::Vec3A], ratios: &mut Ratios) {
        let mut squares = [0.0; Ratios::BLOCK];
        let blocks = self.ends.chunks(Ratios::BLOCK).zip(self.inverse_square.chunks(Ratios::BLOCK));
        for (ends, inverses) in blocks {
            let rows = ends.iter().zip(inverses).zip(&mut squares);
            for ((&[a, b], &inverse), square) in rows {
                *square = match (positions.get(a as usize), positions.get(b as usize)) {
                    (Some(a), Some(b)) => (*a - *b).length_squared() * inverse,
                    _ => f32::NAN,
                };
            }
            ratios.add_squares(&squares[..ends.len()]);
        }
    }
}

/// The edges of a character's visible surface, sorted by what they belong to.
///
/// Unique undirected edges of the triangle list, not welded; those below 1e-5 H are left out. An edge with both ends in
/// a region is the region's, with one end in it it is that region's border, with none in any region the body's.
#[derive(Clone, Debug, Default)]
pub struct Edges {
    /// Surface vertices that any edge needs, sorted.
    pub vertices: Vec<SurfaceVertex>,
    /// Outside all regions.
    pub body: EdgeSet,
    /// `[regions]`.
    pub inner: Vec<EdgeSet>,
    /// `[regions]`.
    pub border: Vec<EdgeSet>,
}

/// No region.
const NONE: u32 = u32::MAX;

impl Edges {
    /// The edges of `character`, for regions given as lists of surface vertices. Cost: O(E log E).
    ///
    /// A vertex in several regions belongs to the first.
    pub fn of(
        character: &Character,
        bind: &BindPose,
        height_m: f32,
        regions: &[&[SurfaceVertex]],
    ) -> Self {
        let surface = Surface::of(character, bind);
        let mut region_of = vec![NONE; surface.n_vertices()];
        for (r, vertices) in regions.iter().enumerate() {
            for v in *vertices {
                if let Some(slot) = region_of.get_mut(v.0 as usize)
                    && *slot == NONE
                {
                    *slot = r as u32;
                }
            }
        }
        let mut pairs: Vec<u64> = Vec::with_capacity(surface.triangles.len() * 3);
        for &[a, b, c] in &surface.triangles {
            for (a, b) in [(a, b), (b, c), (c, a)] {
                let (low, high) = (a.min(b), a.max(b));
                pairs.push(u64::from(low) << 32 | u64::from(high));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut edges = Self {
            inner: vec![EdgeSet::default(); regions.len()],
            border: vec![EdgeSet::default(); regions.len()],
            ..Self::default()
        };
        let lengths = BindLengths::new(character, bind, &surface);
        let least = 1e-5 * height_m;
        for pair in pairs {
            let (a, b) = ((pair >> 32) as u32, pair as u32);
            let length = lengths.of(a, b);
            // A NaN is not long enough either.
            if a != b && length > least {
                edges.push([a, b], 1.0 / (length * length), &region_of);
            }
        }
        edges.compact(surface.n_vertices());
        edges
    }

    fn push(&mut self, ends: [u32; 2], inverse_square: f32, region_of: &[u32]) {
        let [a, b] = ends.map(|v| region_of.get(v as usize).copied().unwrap_or(NONE));
        let add = |set: Option<&mut EdgeSet>| {
            if let Some(set) = set {
                set.ends.push(ends);
                set.inverse_square.push(inverse_square);
            }
        };
        match (a, b) {
            (NONE, NONE) => add(Some(&mut self.body)),
            (a, b) if a == b => add(self.inner.get_mut(a as usize)),
            (a, b) => {
                add(self.border.get_mut(a as usize));
                add(self.border.get_mut(b as usize));
            }
        }
    }

    /// Renumbers the ends into the list of vertices that are needed.
    fn compact(&mut self, n_vertices: usize) {
        let mut place = vec![NONE; n_vertices];
        for set in self.sets() {
            for v in set.ends.iter().flatten() {
                if let Some(slot) = place.get_mut(*v as usize) {
                    *slot = 0;
                }
            }
        }
        for (v, slot) in place.iter_mut().enumerate() {
            if *slot == 0 {
                *slot = self.vertices.len() as u32;
                self.vertices.push(SurfaceVertex(v as u32));
            }
        }
        let sets = std::iter::once(&mut self.body).chain(&mut self.inner).chain(&mut self.border);
        for set in sets {
            for v in set.ends.iter_mut().flatten() {
                *v = place.get(*v as usize).copied().unwrap_or(0);
            }
        }
    }

    /// The same without the body's edges, over fewer vertices.
    #[must_use]
    pub fn of_regions(&self) -> Self {
        let mut regions =
            Self { inner: self.inner.clone(), border: self.border.clone(), ..Self::default() };
        regions.compact(self.vertices.len());
        regions.name_vertices(&self.vertices);
        regions
    }

    /// The same with about `most` of the body's edges, over fewer vertices.
    ///
    /// Picked by a hash of their place: even steps would keep step with the rings of a regular mesh.
    #[must_use]
    pub fn with_body_share(&self, most: usize) -> Self {
        let share = (most as u64 * (1 << 32) / self.body.ends.len().max(1) as u64).min(1 << 32);
        let is_picked = |i: &usize| {
            let mixed = (*i as u32).wrapping_mul(0x9E37_79B1);
            u64::from((mixed ^ mixed >> 15).wrapping_mul(0x85EB_CA6B)) < share
        };
        let picked = (0..self.body.ends.len()).filter(is_picked);
        let (ends, inverse_square) = picked
            .filter_map(|i| Some((*self.body.ends.get(i)?, *self.body.inverse_square.get(i)?)))
            .unzip();
        let mut share = Self {
            body: EdgeSet { ends, inverse_square },
            inner: self.inner.clone(),
            border: self.border.clone(),
            ..Self::default()
        };
        share.compact(self.vertices.len());
        share.name_vertices(&self.vertices);
        share
    }

    /// From places in another list of vertices to those vertices.
    fn name_vertices(&mut self, names: &[SurfaceVertex]) {
        for v in &mut self.vertices {
            *v = names.get(v.0 as usize).copied().unwrap_or(*v);
        }
    }

    /// The body's, each region's, each region's border's.
    pub(super) fn sets(&self) -> impl Iterator<Item = &EdgeSet> {
        std::iter::once(&self.body).chain(&self.inner).chain(&self.border)
    }

    /// Number of edges of all kinds.
    pub fn len(&self) -> usize {
        self.sets().map(|s| s.ends.len()).sum()
    }

    /// Whether there is no edge.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Bind lengths from differences taken in mesh space, where they are exact: positions in metres would lose 1e-4 of a
/// millimetre's edge.
struct BindLengths<'a> {
    surface: &'a Surface,
    /// `[instances]`: positions and the linear part of the way to bind space.
    instances: Vec<(&'a [Vec3], glam::Mat3)>,
}

impl<'a> BindLengths<'a> {
    fn new(character: &'a Character, bind: &BindPose, surface: &'a Surface) -> Self {
        let instances = character
            .instances()
            .map(|(index, instance)| {
                let positions = character.mesh_of(instance).map(|m| m.positions.as_slice());
                let matrix = bind.bind_from_instance(character, index);
                (positions.unwrap_or_default(), glam::Mat3::from(matrix.matrix3))
            })
            .collect();
        Self { surface, instances }
    }

    /// Both ends of an edge lie in one instance.
    fn of(&self, a: u32, b: u32) -> f32 {
        let (InstanceIndex(instance), first) = self.surface.locate(SurfaceVertex(a));
        let second = first + (b - a);
        let Some((positions, linear)) = self.instances.get(instance as usize) else { return 0.0 };
        match (positions.get(first as usize), positions.get(second as usize)) {
            (Some(&p), Some(&q)) => (*linear * (p - q)).length(),
            _ => 0.0,
        }
    }
}
