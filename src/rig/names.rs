//! Names of new joints.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::model::{RegionKind, Skeleton};

/// How the joints of new chains are named.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum JointNaming {
    /// `Tail_1` … `Tail_End`: the article's, and what chains of ours are known by in files that lost our marks.
    #[default]
    Plain,
    /// `tail_01` … `tail_end`, as Unreal's skeletons have it.
    Padded,
    /// `Tail.001` … `Tail.End`, as Blender numbers.
    Dotted,
}

impl JointNaming {
    /// Name of joint `i`, from 1.
    fn joint(self, chain: &str, i: usize) -> String {
        match self {
            Self::Plain => format!("{chain}_{i}"),
            Self::Padded => format!("{}_{i:02}", chain.to_lowercase()),
            Self::Dotted => format!("{chain}.{i:03}"),
        }
    }

    fn end(self, chain: &str) -> String {
        match self {
            Self::Plain => format!("{chain}_End"),
            Self::Padded => format!("{}_end", chain.to_lowercase()),
            Self::Dotted => format!("{chain}.End"),
        }
    }
}

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
    naming: JointNaming,
}

impl Names {
    pub fn of(skeleton: &Skeleton, naming: JointNaming) -> Self {
        Self { taken: skeleton.nodes().iter().map(|n| n.name.clone()).collect(), naming }
    }

    /// Name of a new chain (`Tail`, `Tail2`, …) and of its `k` joints and its end: `Tail_1` … `Tail_k`, `Tail_End`.
    pub fn chain(&mut self, kind: RegionKind, k: usize) -> (String, Vec<String>) {
        let base = base(kind);
        let mut n = 1_usize;
        loop {
            let name = if n == 1 { base.to_owned() } else { format!("{base}{n}") };
            let joints: Vec<String> = (1..=k)
                .map(|i| self.naming.joint(&name, i))
                .chain(std::iter::once(self.naming.end(&name)))
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
        let mut names = Names::of(&skeleton, JointNaming::Plain);
        let (name, joints) = names.chain(RegionKind::Tail, 2);
        assert_eq!(name, "Tail2");
        assert_eq!(joints, ["Tail2_1", "Tail2_2", "Tail2_End"]);
        assert_eq!(names.chain(RegionKind::Tail, 2).0, "Tail4");
        assert_eq!(names.chain(RegionKind::Worn, 1).1, ["Worn_1", "Worn_End"]);
    }

    #[test]
    fn each_naming_numbers_in_its_own_way() {
        let chain = |naming| Names::of(&Skeleton::default(), naming).chain(RegionKind::Tail, 2).1;
        assert_eq!(chain(JointNaming::Padded), ["tail_01", "tail_02", "tail_end"]);
        assert_eq!(chain(JointNaming::Dotted), ["Tail.001", "Tail.002", "Tail.End"]);
    }
}
