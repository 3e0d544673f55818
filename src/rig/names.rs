//! Names of new joints.

use std::collections::{BTreeMap, BTreeSet};

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

/// What the user calls a chain and its joints.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChainName {
    /// In place of `Tail` and the like; joints are numbered after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// By place from the root, the end's last: joints with a name that does not come from the chain's.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub joints: BTreeMap<u32, String>,
}

impl ChainName {
    /// Whether nothing has a name of the user's.
    pub fn is_empty(&self) -> bool {
        self.name.is_none() && self.joints.is_empty()
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

    /// Name of a new chain (`Tail`, `Tail2`, …) and of its `k` joints and its end: `Tail_1` … `Tail_k`, `Tail_End`, but
    /// as the user `wants` it. A wanted name that another node has is numbered on, a joint's is left out.
    pub fn chain(
        &mut self,
        kind: RegionKind,
        k: usize,
        wants: &ChainName,
    ) -> (String, Vec<String>) {
        let base = wants.name.as_deref().unwrap_or(base(kind));
        let (name, mut joints) = self.numbered(base, k);
        for (&at, own) in &wants.joints {
            if let Some(slot) = joints.get_mut(at as usize)
                && self.taken.insert(own.clone())
            {
                slot.clone_from(own);
            }
        }
        (name, joints)
    }

    /// `base` or `base2`, `base3`, … and the joints named after it, none of which any node has.
    fn numbered(&mut self, base: &str, k: usize) -> (String, Vec<String>) {
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
        let mut chain = |kind, k| names.chain(kind, k, &ChainName::default());
        let (name, joints) = chain(RegionKind::Tail, 2);
        assert_eq!(name, "Tail2");
        assert_eq!(joints, ["Tail2_1", "Tail2_2", "Tail2_End"]);
        assert_eq!(chain(RegionKind::Tail, 2).0, "Tail4");
        assert_eq!(chain(RegionKind::Worn, 1).1, ["Worn_1", "Worn_End"]);
    }

    #[test]
    fn a_name_of_the_users_is_the_joints_too_and_one_joint_may_have_its_own() {
        let mut names = Names::of(&Skeleton::default(), JointNaming::Plain);
        let joints = BTreeMap::from([(1, "Bend".to_owned()), (9, "Nobody".to_owned())]);
        let wants = ChainName { name: Some("Fluff".into()), joints };
        let (name, joints) = names.chain(RegionKind::Tail, 2, &wants);
        assert_eq!(
            (name.as_str(), joints.as_slice()),
            ("Fluff", &["Fluff_1", "Bend", "Fluff_End"].map(String::from)[..])
        );
        let (name, joints) = names.chain(RegionKind::Ear, 2, &wants);
        assert_eq!(name, "Fluff2");
        assert_eq!(joints, ["Fluff2_1", "Fluff2_2", "Fluff2_End"], "Bend is taken");
    }

    #[test]
    fn each_naming_numbers_in_its_own_way() {
        let chain = |naming| {
            let mut names = Names::of(&Skeleton::default(), naming);
            names.chain(RegionKind::Tail, 2, &ChainName::default()).1
        };
        assert_eq!(chain(JointNaming::Padded), ["tail_01", "tail_02", "tail_end"]);
        assert_eq!(chain(JointNaming::Dotted), ["Tail.001", "Tail.002", "Tail.End"]);
    }
}
