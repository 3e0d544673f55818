//! Roles by hand: a table of joints that names, topology and geometry do not tell, kept as a file for the next
//! character of that kind.

use std::collections::BTreeMap;

use crate::model::{Character, HumanoidMap, NodeIndex, Role};

use super::humanoid;

/// A mapping by hand: VRM's name of a role → the joint's name. An empty name says that no joint has the role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoleProfile(BTreeMap<Role, String>);

/// A profile that cannot be read, or does not fit a character.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RoleProfileError {
    /// The text is no table of names.
    #[error(
        "this is no table of roles: {0}; it should read {{\"hips\": \"Pelvis\", \"head\": \"Skull\"}}"
    )]
    Syntax(String),
    /// A role that there is not.
    #[error("there is no role \"{name}\"; did you mean \"{nearest}\"?")]
    NoSuchRole {
        /// As written.
        name: String,
        /// The role spelled most like it.
        nearest: &'static str,
    },
    /// Joints that the character has not.
    #[error("the character has no joint named {}", names.join(", "))]
    NoSuchJoint {
        /// As written, each with its role.
        names: Vec<String>,
    },
    /// A joint that is given two roles.
    #[error("the joint \"{joint}\" is given two roles, {first} and {second}; a joint has one")]
    JointTwice {
        /// As written.
        joint: String,
        /// One role.
        first: &'static str,
        /// The other.
        second: &'static str,
    },
}

impl RoleProfile {
    /// Reads a profile.
    ///
    /// # Errors
    /// [`RoleProfileError::Syntax`] and [`RoleProfileError::NoSuchRole`].
    pub fn read(text: &str) -> Result<Self, RoleProfileError> {
        let table: BTreeMap<String, String> =
            ron::from_str(text).map_err(|error| RoleProfileError::Syntax(error.to_string()))?;
        let roles = table.into_iter().map(|(name, joint)| match Role::from_name(&name) {
            Some(role) => Ok((role, joint)),
            None => Err(RoleProfileError::NoSuchRole { nearest: nearest(&name), name }),
        });
        Ok(Self(roles.collect::<Result<_, _>>()?))
    }

    /// The roles that a character is found to have.
    pub fn of(character: &Character) -> Self {
        let roles = humanoid(character).roles;
        let named = |(role, node)| (role, character.skeleton.name(node).to_owned());
        Self(roles.into_iter().map(named).collect())
    }

    /// The text of a profile, in the order of the body.
    pub fn write(&self) -> String {
        let lines = Role::ALL.iter().filter_map(|role| {
            let joint = self.0.get(role)?;
            Some(format!("    {:?}: {joint:?},\n", role.name()))
        });
        format!("{{\n{}}}\n", lines.collect::<String>())
    }

    /// Who the table's joints are in `character`; `None` where it says that no joint has the role.
    ///
    /// # Errors
    /// [`RoleProfileError::NoSuchJoint`] and [`RoleProfileError::JointTwice`].
    pub fn resolve(
        &self,
        character: &Character,
    ) -> Result<BTreeMap<Role, Option<NodeIndex>>, RoleProfileError> {
        let skeleton = &character.skeleton;
        let node = |name: &str| skeleton.indices().find(|&node| skeleton.name(node) == name);
        let mut given = BTreeMap::new();
        let mut role_of: BTreeMap<NodeIndex, Role> = BTreeMap::new();
        let mut missing = Vec::new();
        for (&role, name) in &self.0 {
            let joint = if name.is_empty() { None } else { node(name) };
            if joint.is_none() && !name.is_empty() {
                missing.push(format!("\"{name}\" ({})", role.name()));
            }
            if let Some(first) = joint.and_then(|joint| role_of.insert(joint, role)) {
                let (first, second) = (first.name(), role.name());
                return Err(RoleProfileError::JointTwice { joint: name.clone(), first, second });
            }
            given.insert(role, joint);
        }
        if !missing.is_empty() {
            return Err(RoleProfileError::NoSuchJoint { names: missing });
        }
        Ok(given)
    }

    /// Gives the character these roles; those it does not speak of stay as they are found.
    ///
    /// # Errors
    /// As for [`Self::resolve`]; the character stays as it was.
    pub fn apply(&self, character: &mut Character) -> Result<(), RoleProfileError> {
        character.stated_humanoid = Some(given(character, self.resolve(character)?));
        Ok(())
    }
}

/// The roles of `character` with those that were given out by hand; `None` says that no joint has the role. A joint has
/// one role: it gives up the one it had.
pub fn given(
    character: &Character,
    by_hand: impl IntoIterator<Item = (Role, Option<NodeIndex>)>,
) -> HumanoidMap {
    let mut map = humanoid(character);
    for (role, joint) in by_hand {
        match joint {
            Some(joint) => {
                map.roles.retain(|_, other| *other != joint);
                map.roles.insert(role, joint);
            }
            None => {
                map.roles.remove(&role);
            }
        }
    }
    map
}

fn nearest(name: &str) -> &'static str {
    let score = |role: &&Role| strsim::jaro_winkler(role.name(), name);
    let best = Role::ALL.iter().max_by(|a, b| score(a).total_cmp(&score(b)));
    best.map_or("hips", |role| role.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Node, Skeleton};

    fn character(names: &[&str]) -> Character {
        let mut skeleton = Skeleton::default();
        let mut parent = None;
        for name in names {
            let node =
                Node { name: (*name).to_owned(), parent, local: Default::default(), source: None };
            parent = Some(skeleton.push(node).unwrap());
        }
        Character { skeleton, ..Character::default() }
    }

    #[test]
    fn a_table_wins_over_what_names_say_and_leaves_the_rest() {
        let mut figure = character(&["Hips", "Spine", "Bone.7", "Head"]);
        let found = humanoid(&figure);
        assert_eq!(found.node(Role::Head), Some(NodeIndex(3)));
        let profile = RoleProfile::read("{\"head\": \"Bone.7\", \"spine\": \"\"}").unwrap();
        profile.apply(&mut figure).unwrap();
        let map = humanoid(&figure);
        assert_eq!(map.node(Role::Head), Some(NodeIndex(2)));
        assert_eq!(map.node(Role::Spine), None);
        assert_eq!(map.node(Role::Hips), found.node(Role::Hips));
    }

    #[test]
    fn what_is_written_reads_as_itself() {
        let profile = RoleProfile::of(&character(&["Hips", "Spine", "Head"]));
        assert!(!profile.0.is_empty());
        assert_eq!(RoleProfile::read(&profile.write()), Ok(profile));
    }

    #[test]
    fn a_wrong_role_and_a_wrong_joint_are_named() {
        let error = RoleProfile::read("{\"leftHnad\": \"a\"}").unwrap_err().to_string();
        assert!(error.contains("leftHnad") && error.contains("leftHand\"?"), "{error}");
        let profile = RoleProfile::read("{\"head\": \"Skull\"}").unwrap();
        let mut figure = character(&["Hips", "Head"]);
        let error = profile.apply(&mut figure).unwrap_err().to_string();
        assert!(error.contains("\"Skull\" (head)"), "{error}");
        assert_eq!(figure.stated_humanoid, None);
        let twice = RoleProfile::read("{\"head\": \"Head\", \"neck\": \"Head\"}").unwrap();
        let error = twice.apply(&mut figure).unwrap_err().to_string();
        assert!(error.contains("two roles") && error.contains("neck"), "{error}");
        assert_eq!(figure.stated_humanoid, None);
        assert!(RoleProfile::read("hips = 3").unwrap_err().to_string().contains("table of roles"));
    }
}
