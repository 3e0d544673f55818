//! Which joints move a mesh, and by how much.

use std::ops::Range;

use glam::Mat4;
use rayon::prelude::*;
use smallvec::SmallVec;

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

/// Place of an influence among those of its vertex, in one number: less is stronger, then of a joint with less index.
///
/// Sorting numbers needs no guess of which is less; where weights come in any order, guessing wrong was half the time
/// of reading them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank(u64);

impl Rank {
    const SIGN: u32 = 1 << 31;

    fn of(joint: JointIndex, weight: f32) -> Self {
        let bits = weight.to_bits();
        // Bits that rise with the number they stand for.
        let rising = if bits & Self::SIGN == 0 { bits | Self::SIGN } else { !bits };
        Self(u64::from(!rising) << 32 | u64::from(joint.0))
    }

    fn joint(self) -> JointIndex {
        JointIndex(self.0 as u32)
    }

    fn weight(self) -> f32 {
        let rising = !((self.0 >> 32) as u32);
        let bits = if rising & Self::SIGN == 0 { !rising } else { rising ^ Self::SIGN };
        f32::from_bits(bits)
    }
}

/// Sorts the ranks of one vertex; four, the usual number, without a branch.
fn sort(ranks: &mut [Rank]) {
    let [a, b, c, d] = ranks else { return ranks.sort_unstable() };
    let (ab, cd) = ((*a.min(b), *a.max(b)), (*c.min(d), *c.max(d)));
    let (low, middle) = (ab.0.min(cd.0), ab.0.max(cd.0));
    let (other, high) = (ab.1.min(cd.1), ab.1.max(cd.1));
    (*a, *b, *c, *d) = (low, middle.min(other), middle.max(other), high);
}

/// Slices one after another; filling fresh memory takes longer than the copy, so all cores do.
fn joined<T: Copy + Default + Send + Sync>(parts: Vec<&[T]>) -> Vec<T> {
    let mut all = vec![T::default(); parts.iter().map(|p| p.len()).sum()];
    let mut rest = all.as_mut_slice();
    let mut places = Vec::with_capacity(parts.len());
    for part in parts {
        let (own, others) = rest.split_at_mut(part.len());
        places.push((own, part));
        rest = others;
    }
    places.into_par_iter().for_each(|(own, part)| own.copy_from_slice(part));
    all
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
        let mut entries = SmallVec::<[(JointIndex, f32); 8]>::new();
        for (joint, weight) in influences {
            if weight == 0.0 || !weight.is_finite() {
                continue;
            }
            match entries.iter_mut().find(|e| e.0 == joint) {
                Some((_, sum)) => *sum += weight,
                None => entries.push((joint, weight)),
            }
        }
        let mut ranks: SmallVec<[Rank; 8]> = entries.iter().map(|&(j, w)| Rank::of(j, w)).collect();
        sort(&mut ranks);
        self.joints.extend(ranks.iter().map(|r| r.joint()));
        self.weights.extend(ranks.iter().map(|r| r.weight()));
        self.offsets.push(self.joints.len() as u32);
    }

    /// The vertices of all `parts`, one after another. Cost: a copy on all cores.
    pub fn concat(parts: &[Self]) -> Self {
        let starts = parts.iter().scan(0, |start, part| {
            let own = *start;
            *start += part.joints.len() as u32;
            Some(own)
        });
        let mut offsets = Vec::with_capacity(parts.iter().map(Self::len).sum::<usize>() + 1);
        offsets.push(0);
        for (start, part) in starts.zip(parts) {
            offsets.extend(part.offsets.iter().skip(1).map(|end| start + end));
        }
        let (joints, weights) = rayon::join(
            || joined(parts.iter().map(|p| p.joints.as_slice()).collect()),
            || joined(parts.iter().map(|p| p.weights.as_slice()).collect()),
        );
        Self { offsets, joints, weights }
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
    fn joined_parts_are_as_if_pushed() {
        let vertex = |v: u32| [(JointIndex(v), 0.75), (JointIndex(v + 1), 0.25)];
        let mut parts = [0; 3].map(Influences::with_capacity);
        let mut all = Influences::with_capacity(5);
        for v in 0..5 {
            parts[v as usize / 2].push(vertex(v).into_iter().take(v as usize));
            all.push(vertex(v).into_iter().take(v as usize));
        }
        assert_eq!(Influences::concat(&parts), all);
        assert_eq!(Influences::concat(&[]).len(), 0);
    }

    #[test]
    fn any_order_of_the_entries_of_a_vertex_is_stored_as_one() {
        let entries =
            [(5, -0.25), (2, 0.25), (9, 0.25), (0, 1e-9)].map(|(j, w)| (JointIndex(j), w));
        let sorted = [(2, 0.25), (9, 0.25), (0, 1e-9), (5, -0.25)].map(|(j, w)| (JointIndex(j), w));
        for i in 0..256 {
            let order = [i & 3, i >> 2 & 3, i >> 4 & 3, i >> 6 & 3];
            if (0..4).any(|k| !order.contains(&k)) {
                continue;
            }
            let mut influences = Influences::default();
            influences.push(order.map(|k| entries[k]));
            assert_eq!(influences.joints, sorted.map(|e| e.0), "{order:?}");
            assert_eq!(influences.weights, sorted.map(|e| e.1), "{order:?}");
        }
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
