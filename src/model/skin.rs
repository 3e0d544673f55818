//! Which joints move a mesh, and by how much.

use std::ops::Range;

use glam::Mat4;

use super::{JointIndex, NodeIndex};

/// A list of joints and the matrices that take the mesh into each of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    /// Name in the file, or empty.
    pub name: String,
    /// Nodes of the skeleton, `[J]`. Influences name places in this list.
    pub joints: Vec<NodeIndex>,
    /// glTF's inverse bind matrices, `[J]`, exactly as in the file (identity where it has none); may be singular.
    pub joint_from_mesh: Vec<Mat4>,
    /// Whether the file carries inverse bind matrices at all.
    pub has_binds: bool,
    /// Index in the file's `skins`; `None` for a skin that an edit made.
    pub source: Option<u32>,
}

/// Influences of a mesh's vertices, any number for each, strongest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Influences {
    /// `[V + 1]`: vertex v owns entries `offsets[v]..offsets[v + 1]`.
    offsets: Vec<u32>,
    joints: Vec<JointIndex>,
    weights: Vec<f32>,
}

impl Influences {
    /// No vertices yet; room for `n_vertices` of four influences.
    pub fn with_capacity(n_vertices: usize) -> Self {
        let mut offsets = Vec::with_capacity(n_vertices + 1);
        offsets.push(0);
        Self {
            offsets,
            joints: Vec::with_capacity(n_vertices * 4),
            weights: Vec::with_capacity(n_vertices * 4),
        }
    }

    /// Appends a vertex. Entries of weight 0 are dropped, entries of one joint are added up, the rest is sorted by
    /// falling weight (then by joint); weights are kept as they are, whatever they sum to.
    pub fn push(&mut self, influences: impl IntoIterator<Item = (JointIndex, f32)>) {
        let start = self.joints.len();
        for (joint, weight) in influences {
            if weight == 0.0 || !weight.is_finite() {
                continue;
            }
            match self.joints.iter().skip(start).position(|&j| j == joint) {
                Some(at) => {
                    if let Some(w) = self.weights.get_mut(start + at) {
                        *w += weight;
                    }
                }
                None => {
                    self.joints.push(joint);
                    self.weights.push(weight);
                }
            }
        }
        self.sort_from(start);
        self.offsets.push(self.joints.len() as u32);
    }

    /// Appends the vertices of `other`.
    pub fn append(&mut self, other: &Self) {
        let before = self.joints.len() as u32;
        self.offsets.extend(other.offsets.iter().skip(1).map(|end| before + end));
        self.joints.extend_from_slice(&other.joints);
        self.weights.extend_from_slice(&other.weights);
    }

    /// Insertion sort of the last vertex: it has a handful of entries, mostly sorted already.
    fn sort_from(&mut self, start: usize) {
        for i in start + 1..self.joints.len() {
            let mut k = i;
            while k > start
                && (self.weights[k - 1] < self.weights[k]
                    || (self.weights[k - 1] == self.weights[k]
                        && self.joints[k - 1] > self.joints[k]))
            {
                self.weights.swap(k - 1, k);
                self.joints.swap(k - 1, k);
                k -= 1;
            }
        }
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there is no vertex.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn range(&self, vertex: usize) -> Range<usize> {
        match (self.offsets.get(vertex), self.offsets.get(vertex + 1)) {
            (Some(&a), Some(&b)) => a as usize..b as usize,
            _ => 0..0,
        }
    }

    /// Influences of a vertex, strongest first; none for a vertex out of range.
    pub fn of(&self, vertex: usize) -> impl ExactSizeIterator<Item = (JointIndex, f32)> + '_ {
        let range = self.range(vertex);
        let joints = self.joints.get(range.clone()).unwrap_or_default();
        let weights = self.weights.get(range).unwrap_or_default();
        joints.iter().copied().zip(weights.iter().copied())
    }

    /// The strongest influence of a vertex.
    pub fn strongest(&self, vertex: usize) -> Option<(JointIndex, f32)> {
        self.of(vertex).next()
    }

    /// A copy in which the vertices that `replace` answers for carry its influences instead. Cost: O(V).
    #[must_use]
    pub fn with_replaced<I>(&self, mut replace: impl FnMut(usize) -> Option<I>) -> Self
    where
        I: IntoIterator<Item = (JointIndex, f32)>,
    {
        let mut result = Self::with_capacity(self.len());
        for vertex in 0..self.len() {
            match replace(vertex) {
                Some(influences) => result.push(influences),
                None => result.push(self.of(vertex)),
            }
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn appended_vertices_are_as_if_pushed() {
        let vertex = |v: u32| [(JointIndex(v), 0.75), (JointIndex(v + 1), 0.25)];
        let [mut first, mut second, mut all] = [0; 3].map(Influences::with_capacity);
        for v in 0..5 {
            if v < 2 { &mut first } else { &mut second }.push(vertex(v));
            all.push(vertex(v));
        }
        first.append(&second);
        assert_eq!(first, all);
    }

    #[test]
    fn influences_are_merged_and_sorted_by_weight() {
        let mut influences = Influences::with_capacity(2);
        let j = JointIndex;
        influences.push([(j(3), 0.2), (j(1), 0.0), (j(2), 0.5), (j(3), 0.25), (j(0), f32::NAN)]);
        influences.push([]);
        assert_eq!(influences.of(0).collect::<Vec<_>>(), [(j(2), 0.5), (j(3), 0.45)]);
        assert_eq!(influences.of(1).count(), 0);
        assert_eq!(influences.of(7).count(), 0);
        assert_eq!(influences.len(), 2);
    }

    #[test]
    fn replacing_leaves_the_others_as_they_were() {
        let mut influences = Influences::with_capacity(2);
        influences.push([(JointIndex(0), 0.9)]);
        influences.push([(JointIndex(1), 1.0)]);
        let edited = influences.with_replaced(|v| (v == 1).then_some([(JointIndex(5), 1.0)]));
        assert_eq!(edited.strongest(0), Some((JointIndex(0), 0.9)));
        assert_eq!(edited.strongest(1), Some((JointIndex(5), 1.0)));
        assert_eq!(influences.strongest(1), Some((JointIndex(1), 1.0)), "the input is not changed");
    }
}
