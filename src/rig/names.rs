//! Names of new joints.

use std::collections::BTreeSet;

use crate::model::{RegionKind, Skeleton};

/// What chains of a kind are called.
fn base(kind: RegionKind) -> &'static str {
    match kind {
        RegionKind::Tail => "Tail",
        RegionKind::Worn => "Worn",
        RegionKind::Ear => "Ear",
        RegionKind::Hair => "Hair",
        RegionKind::Garment => "Garment",
        RegionKind::Wing => "Wing",
        RegionKind::Body | RegionKind::Other => "Chain",
    }
}

/// Gives out names that no node of the skeleton has yet.
#[derive(Clone, Debug)]
pub(super) struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    pub fn of(skeleton: &Skeleton) -> Self {
        Self { taken: skeleton.nodes().iter().map(|n| n.name.clone()).collect() }
    }

    /// Name of a new chain (`Tail`, `Tail2`, …) and of its `k` joints and its end: `Tail_1` … `Tail_k`, `Tail_End`.
    pub fn chain(&mut self, kind: RegionKind, k: usize) -> (String, Vec<String>) {
        let base = base(kind);
        let mut n = 1_usize;
        loop {
            let name = if n == 1 { base.to_owned() } else { format!("{base}{n}") };
            let joints: Vec<String> = (1..=k)
                .map(|i| format!("{name}_{i}"))
                .chain(std::iter::once(format!("{name}_End")))
                .collect();
            if joints.iter().all(|j| !self.taken.contains(j)) {
                self.taken.extend(joints.iter().cloned());
                return (name, joints);
            }
            n += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::Node;

    #[test]
    fn names_step_round_what_is_taken() {
        let node = |name: &str| Node {
            name: name.into(),
            parent: None,
            local: Transform::IDENTITY,
            source: None,
        };
        let skeleton =
            Skeleton::new(vec![node("Hips"), node("Tail_2"), node("Tail3_End")]).unwrap();
        let mut names = Names::of(&skeleton);
        let (name, joints) = names.chain(RegionKind::Tail, 2);
        assert_eq!(name, "Tail2");
        assert_eq!(joints, ["Tail2_1", "Tail2_2", "Tail2_End"]);
        assert_eq!(names.chain(RegionKind::Tail, 2).0, "Tail4");
        assert_eq!(names.chain(RegionKind::Worn, 1).1, ["Worn_1", "Worn_End"]);
    }
}
