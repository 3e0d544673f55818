//! Model-space rotations for all keys of a clip, joint by joint.
//!
//! Rows of keys lie one after another, `[rows × K]`: a joint's keys are computed in one run from its parent's.

use glam::Quat;

use super::body::{Body, Motion};
use super::pairing::Origin;
use crate::model::NodeIndex;

/// Unit quaternion; the identity for what has no direction.
fn unit(q: Quat) -> Quat {
    let length = q.length();
    if length > 1e-12 && length.is_finite() { q / length } else { Quat::IDENTITY }
}

/// Turns the local rotations in `motion` into model-space ones.
pub(super) fn accumulate(body: &Body, motion: &mut Motion) {
    let n_keys = motion.n_keys();
    for (i, row) in body.rows.iter().enumerate() {
        let (before, own) = motion.rotations.split_at_mut(i * n_keys);
        let own = own.iter_mut().take(n_keys);
        match row.parent {
            Some(parent) => {
                let parent = &before[parent * n_keys..(parent + 1) * n_keys];
                own.zip(parent).for_each(|(q, &p)| *q = p * *q);
            }
            None => own.for_each(|q| *q = body.root * *q),
        }
    }
}

/// Model-space rotations of the target's rows, `[rows × K]`.
pub(super) fn transfer(target: &Body, motion: &Motion, source: &Body) -> Vec<Quat> {
    let n_keys = motion.n_keys();
    let keys_of = |node: NodeIndex| {
        let row = source.row_of.get(node.index()).copied().unwrap_or(0);
        motion.rotations.get(row * n_keys..(row + 1) * n_keys).unwrap_or_default()
    };
    let mut rotations: Vec<Quat> = Vec::with_capacity(target.rows.len() * n_keys);
    for row in &target.rows {
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
                let local = target.rig.neutral.local(row.node).rotation;
                match row.parent {
                    Some(parent) => {
                        for key in parent * n_keys..(parent + 1) * n_keys {
                            rotations.push(rotations[key] * local);
                        }
                    }
                    None => rotations.extend(std::iter::repeat_n(target.root * local, n_keys)),
                }
            }
        }
    }
    rotations
}

/// Local rotations of one row, `[K]`, unit, with signs that follow on each other.
pub(super) fn locals(row: usize, body: &Body, motion: &Motion) -> Vec<Quat> {
    let n_keys = motion.n_keys();
    let own = &motion.rotations[row * n_keys..(row + 1) * n_keys];
    let mut last = Quat::IDENTITY;
    let mut local = |parent: Quat, own: Quat| {
        let q = unit(parent.conjugate() * own);
        last = if last.dot(q) < 0.0 { -q } else { q };
        last
    };
    match body.rows[row].parent {
        Some(parent) => {
            let parents = &motion.rotations[parent * n_keys..(parent + 1) * n_keys];
            parents.iter().zip(own).map(|(&p, &q)| local(p, q)).collect()
        }
        None => own.iter().map(|&q| local(body.root, q)).collect(),
    }
}
