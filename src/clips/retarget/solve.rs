//! Model-space rotations for all keys of a clip, joint by joint.
//!
//! Rows of keys lie one after another, `[nodes × K]`: a joint's keys are computed in one run from its parent's.

use glam::Quat;

use super::pairing::Origin;
use super::{RetargetRig, Row};

/// Unit quaternion; the identity for what has no direction.
pub(super) fn unit(q: Quat) -> Quat {
    let length = q.length();
    if length > 1e-12 && length.is_finite() { q / length } else { Quat::IDENTITY }
}

/// Turns local rotations into model-space ones, in place. `rows` names each row's parent row.
pub(super) fn accumulate(rows: &[Row], root: Quat, n_keys: usize, rotations: &mut [Quat]) {
    for (i, row) in rows.iter().enumerate() {
        let (before, own) = rotations.split_at_mut(i * n_keys);
        let own = own.iter_mut().take(n_keys);
        match row.parent {
            Some(parent) => {
                let parent = &before[parent * n_keys..(parent + 1) * n_keys];
                own.zip(parent).for_each(|(q, &p)| *q = p * *q);
            }
            None => own.for_each(|q| *q = root * *q),
        }
    }
}

/// Model-space rotations of the target's rows, `[rows × K]`, from the source's.
///
/// `row_of_source` is the row of a source node in `source`.
pub(super) fn transfer(
    rows: &[Row],
    target: &RetargetRig,
    root: Quat,
    source: &[Quat],
    n_keys: usize,
    row_of_source: &[usize],
) -> Vec<Quat> {
    let keys_of = |node: crate::model::NodeIndex| {
        let row = row_of_source.get(node.index()).copied().unwrap_or(0);
        source.get(row * n_keys..(row + 1) * n_keys).unwrap_or_default()
    };
    let mut rotations: Vec<Quat> = Vec::with_capacity(rows.len() * n_keys);
    for row in rows {
        match row.origin {
            Some(Origin::One { node, target_from_source }) => {
                rotations.extend(keys_of(node).iter().map(|&g| g * target_from_source));
            }
            Some(Origin::Two { nodes, from_reference, share, reference }) => {
                let [a, b] = nodes.map(keys_of);
                rotations.extend(a.iter().zip(b).map(|(&a, &b)| {
                    let (a, b) = (unit(a * from_reference[0]), unit(b * from_reference[1]));
                    a.slerp(b, share) * reference
                }));
            }
            None => {
                let local = target.neutral.local(row.node).rotation;
                match row.parent {
                    Some(parent) => {
                        let parent = parent * n_keys..(parent + 1) * n_keys;
                        for key in parent {
                            rotations.push(rotations[key] * local);
                        }
                    }
                    None => rotations.extend(std::iter::repeat_n(root * local, n_keys)),
                }
            }
        }
    }
    rotations
}

/// Local rotations of one row, unit, with signs that follow on each other.
pub(super) fn locals(
    row: usize,
    rows: &[Row],
    root: Quat,
    n_keys: usize,
    rotations: &[Quat],
) -> Vec<Quat> {
    let own = &rotations[row * n_keys..(row + 1) * n_keys];
    let mut last = Quat::IDENTITY;
    let mut local = |parent: Quat, own: Quat| {
        let q = unit(parent.conjugate() * own);
        last = if last.dot(q) < 0.0 { -q } else { q };
        last
    };
    match rows[row].parent {
        Some(parent) => {
            let parents = &rotations[parent * n_keys..(parent + 1) * n_keys];
            parents.iter().zip(own).map(|(&p, &q)| local(p, q)).collect()
        }
        None => own.iter().map(|&q| local(root, q)).collect(),
    }
}
