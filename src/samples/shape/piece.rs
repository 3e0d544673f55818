//! A piece of welded mesh while it is being made.

use glam::{Vec2, Vec3};

/// Triangles over vertices that are all different points; seams are cut later.
#[derive(Clone, Debug, Default)]
pub(crate) struct Piece {
    /// `[V]`, metres.
    pub(crate) positions: Vec<Vec3>,
    /// `[V]` unit normals.
    pub(crate) normals: Vec<Vec3>,
    /// `[V]`: what the skin is here: 0 the body, else one more than the index of an appendage of the truth.
    pub(crate) labels: Vec<u16>,
    /// `[V]` linear RGB.
    pub(crate) colors: Vec<Vec3>,
    /// `[V]`, or empty where charts are yet to be made.
    pub(crate) uvs: Vec<Vec2>,
    /// `[T]`.
    pub(crate) triangles: Vec<[u32; 3]>,
}

/// Neighbours of each vertex, rising.
pub(crate) struct Neighbours {
    offsets: Vec<u32>,
    list: Vec<u32>,
}

impl Neighbours {
    /// Neighbours of vertex `v`.
    pub(crate) fn of(&self, v: usize) -> &[u32] {
        &self.list[self.offsets[v] as usize..self.offsets[v + 1] as usize]
    }
}

impl Piece {
    /// Sets one label for all vertices.
    pub(crate) fn labelled(mut self, label: u16) -> Self {
        self.labels = vec![label; self.positions.len()];
        self
    }

    /// Sets one colour for all vertices.
    pub(crate) fn colored(mut self, color: Vec3) -> Self {
        self.colors = vec![color; self.positions.len()];
        self
    }

    /// Sets the colour of every vertex from its place and normal.
    pub(crate) fn painted(mut self, paint: impl Fn(Vec3, Vec3, u16) -> Vec3) -> Self {
        self.colors = (0..self.positions.len())
            .map(|v| paint(self.positions[v], self.normals[v], self.labels[v]))
            .collect();
        self
    }

    /// Appends another piece, unwelded.
    pub(crate) fn append(&mut self, other: &Self) {
        let first = self.positions.len() as u32;
        self.positions.extend(&other.positions);
        self.normals.extend(&other.normals);
        self.labels.extend(&other.labels);
        self.colors.extend(&other.colors);
        self.uvs.extend(&other.uvs);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v + first)));
    }

    /// Vertices that share an edge with each. Cost: O(T log T).
    pub(crate) fn neighbours(&self) -> Neighbours {
        let mut pairs: Vec<(u32, u32)> = self
            .triangles
            .iter()
            .flat_map(|&[a, b, c]| [(a, b), (b, a), (b, c), (c, b), (c, a), (a, c)])
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut offsets = vec![0_u32; self.positions.len() + 1];
        for &(a, _) in &pairs {
            offsets[a as usize + 1] += 1;
        }
        for i in 1..offsets.len() {
            offsets[i] += offsets[i - 1];
        }
        Neighbours { offsets, list: pairs.into_iter().map(|(_, b)| b).collect() }
    }

    /// Normals as the mean of the triangles around, by area.
    pub(crate) fn smooth_normals(&mut self) {
        let mut sums = vec![Vec3::ZERO; self.positions.len()];
        for t in &self.triangles {
            let [a, b, c] = t.map(|v| self.positions[v as usize]);
            let n = (b - a).cross(c - a);
            for v in t {
                sums[*v as usize] += n;
            }
        }
        self.normals = sums.into_iter().map(|n| n.normalize_or(Vec3::Y)).collect();
    }

    /// How often each directed edge occurs.
    #[cfg(test)]
    fn directed_edges(&self) -> std::collections::BTreeMap<(u32, u32), u32> {
        let mut edges = std::collections::BTreeMap::new();
        for &[a, b, c] in &self.triangles {
            for edge in [(a, b), (b, c), (c, a)] {
                *edges.entry(edge).or_insert(0) += 1;
            }
        }
        edges
    }

    /// Whether every edge has one triangle on each side, wound alike, and no triangle is degenerate.
    #[cfg(test)]
    pub(crate) fn is_manifold(&self) -> bool {
        let edges = self.directed_edges();
        self.triangles.iter().all(|&[a, b, c]| a != b && b != c && c != a)
            && edges.iter().all(|(&(a, b), &n)| n == 1 && edges.contains_key(&(b, a)))
    }

    /// Drops vertices that no triangle uses.
    pub(crate) fn compacted(&self) -> Self {
        let mut used = vec![u32::MAX; self.positions.len()];
        let mut kept = Vec::new();
        for t in &self.triangles {
            for &v in t {
                if used[v as usize] == u32::MAX {
                    used[v as usize] = 0;
                }
            }
        }
        for (v, slot) in used.iter_mut().enumerate() {
            if *slot == 0 {
                *slot = kept.len() as u32;
                kept.push(v);
            }
        }
        fn take<T: Copy>(kept: &[usize], list: &[T]) -> Vec<T> {
            kept.iter().filter_map(|&v| list.get(v).copied()).collect()
        }
        Self {
            positions: take(&kept, &self.positions),
            normals: take(&kept, &self.normals),
            labels: take(&kept, &self.labels),
            colors: take(&kept, &self.colors),
            uvs: take(&kept, &self.uvs),
            triangles: self.triangles.iter().map(|t| t.map(|v| used[v as usize])).collect(),
        }
    }
}
