//! JOINTS_n and WEIGHTS_n, any n, into influences; what is odd about them is counted.

use rayon::prelude::*;

use super::accessor::{AccessorFault, Accessors, Component, Elements};
use super::decode::Notes;
use crate::model::{FindingCode, Influences, JointIndex};

/// Weights in 8 bits miss a sum of one by up to half a step each: 4 × 0.5 / 255, and less than this.
const SUM_TOLERANCE: f32 = 0.009;

/// Numbers of vertices with odd weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct WeightFaults {
    pub n_vertices: usize,
    pub n_no_sum: usize,
    pub n_zero: usize,
    pub n_negative: usize,
    pub n_duplicate: usize,
    pub n_out_of_range: usize,
}

impl WeightFaults {
    /// Counts the faults of other vertices too.
    fn add(&mut self, other: &Self) {
        self.n_no_sum += other.n_no_sum;
        self.n_zero += other.n_zero;
        self.n_negative += other.n_negative;
        self.n_duplicate += other.n_duplicate;
        self.n_out_of_range += other.n_out_of_range;
    }

    /// One note for each kind of fault there is.
    pub(super) fn note(&self, notes: &mut Notes) {
        for (code, n) in [
            (FindingCode::WeightsDoNotSum, self.n_no_sum),
            (FindingCode::WeightsAllZero, self.n_zero),
            (FindingCode::WeightsNegative, self.n_negative),
            (FindingCode::WeightsDuplicateJoint, self.n_duplicate),
            (FindingCode::JointIndexOutOfRange, self.n_out_of_range),
        ] {
            if n > 0 {
                notes.push((code, format!("{n} of {} vertices", self.n_vertices)));
            }
        }
    }
}

/// Reads the influences of one primitive. Negative weights and joints from `n_joints` on are left out.
pub(super) fn read(
    accessors: &Accessors<'_>,
    joints: &[usize],
    weights: &[usize],
    n_joints: usize,
    faults: &mut WeightFaults,
) -> Result<Influences, AccessorFault> {
    let mut sets = Vec::with_capacity(joints.len());
    for (&j, &w) in joints.iter().zip(weights) {
        let joint_elements = accessors.elements(j)?;
        let mut weight_elements = accessors.elements(w)?;
        for (index, lanes) in [(j, joint_elements.shape.lanes), (w, weight_elements.shape.lanes)] {
            if lanes != 4 {
                let found = format!("{lanes} numbers wide");
                return Err(AccessorFault::Kind { index, found, wanted: "VEC4" });
            }
        }
        // Integer weights cannot mean anything else.
        weight_elements.shape.normalized = weight_elements.shape.component != Component::F32;
        sets.push((joint_elements, weight_elements));
    }
    let n = sets.first().map_or(0, |s| s.0.shape.count);
    for ((&j, &w), set) in joints.iter().zip(weights).zip(&sets) {
        for (index, found) in [(j, set.0.shape.count), (w, set.1.shape.count)] {
            if found != n {
                return Err(AccessorFault::Count { index, found, wanted: n });
            }
        }
    }
    faults.n_vertices = n;
    let quads = |vertex: usize| {
        sets.iter()
            .map(move |(j, w): &(Elements<'_>, Elements<'_>)| (j.quad(vertex), w.vec4(vertex)))
    };
    Ok(gather(quads, n, n_joints, faults))
}

/// Influences of `n` vertices; `sets` gives JOINTS_n and WEIGHTS_n of one. Chunks are gathered on all cores.
fn gather<I>(
    sets: impl Fn(usize) -> I + Sync,
    n: usize,
    n_joints: usize,
    faults: &mut WeightFaults,
) -> Influences
where
    I: Iterator<Item = ([u32; 4], [f32; 4])>,
{
    const CHUNK: usize = 1 << 15;
    let chunk = |i: usize| gather_range(&sets, i * CHUNK..((i + 1) * CHUNK).min(n), n_joints);
    let (parts, found): (Vec<_>, Vec<_>) =
        (0..n.div_ceil(CHUNK)).into_par_iter().map(chunk).unzip();
    found.iter().for_each(|f| faults.add(f));
    match <[_; 1]>::try_from(parts) {
        Ok([all]) => all,
        Err(parts) => Influences::concat(&parts),
    }
}

fn gather_range<I>(
    sets: impl Fn(usize) -> I,
    range: std::ops::Range<usize>,
    n_joints: usize,
) -> (Influences, WeightFaults)
where
    I: Iterator<Item = ([u32; 4], [f32; 4])>,
{
    let mut faults = WeightFaults::default();
    let mut influences = Influences::with_capacity(range.len());
    let mut entries: Vec<(JointIndex, f32)> = Vec::with_capacity(16);
    for vertex in range {
        entries.clear();
        let (mut sum, mut is_negative, mut is_double, mut is_outside) = (0.0, false, false, false);
        for (joints, weights) in sets(vertex) {
            for (joint, weight) in joints.into_iter().zip(weights) {
                if weight == 0.0 {
                    continue;
                }
                if !(weight > 0.0 && weight.is_finite()) {
                    is_negative = true;
                    continue;
                }
                sum += weight;
                if joint as usize >= n_joints {
                    is_outside = true;
                    continue;
                }
                let joint = JointIndex(joint);
                is_double |= entries.iter().any(|e| e.0 == joint);
                entries.push((joint, weight));
            }
        }
        faults.n_negative += usize::from(is_negative);
        faults.n_duplicate += usize::from(is_double);
        faults.n_out_of_range += usize::from(is_outside);
        faults.n_zero += usize::from(sum == 0.0);
        faults.n_no_sum += usize::from(sum != 0.0 && (sum - 1.0).abs() > SUM_TOLERANCE);
        influences.push(entries.iter().copied());
    }
    (influences, faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_weights_are_counted_and_what_is_usable_kept() {
        let joints = [[0, 1, 0, 0], [1, 1, 0, 0], [0, 9, 0, 0], [0; 4], [0, 1, 0, 0], [0, 1, 2, 0]];
        let weights = [
            [0.5, 0.5, 0.0, 0.0],
            [0.5, 0.5, 0.0, 0.0],
            [0.5, 0.5, 0.0, 0.0],
            [0.0; 4],
            [0.49, 0.49, 0.0, 0.0],
            [0.7, 0.5, -0.2, f32::NAN],
        ];
        let sets = |v: usize| std::iter::once((joints[v], weights[v]));
        let mut faults = WeightFaults { n_vertices: 6, ..Default::default() };
        let influences = gather(sets, 6, 3, &mut faults);
        assert_eq!(
            faults,
            WeightFaults {
                n_vertices: 6,
                n_no_sum: 2,
                n_zero: 1,
                n_negative: 1,
                n_duplicate: 1,
                n_out_of_range: 1
            }
        );
        assert_eq!(influences.of(1).collect::<Vec<_>>(), [(JointIndex(1), 1.0)], "added up");
        assert_eq!(influences.of(2).collect::<Vec<_>>(), [(JointIndex(0), 0.5)]);
        assert_eq!(influences.of(3).count(), 0);
        assert_eq!(influences.of(5).count(), 2);
    }
}
