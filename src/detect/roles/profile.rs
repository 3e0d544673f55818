//! Roles by hand: a table of joints that names, topology and geometry do not tell, kept as a file for the next
//! character of that kind, with the poses that retargeting measures its rotations from and the roles of clip files.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::model::{Character, HumanoidMap, NodeIndex, RetargetPose, RetargetPoses, Role};

use super::humanoid;

/// A mapping by hand: VRM's name of a role → the joint's name. An empty name says that no joint has the role.
///
/// A file is that table alone, `{"hips": "Pelvis"}`, or, with poses and the roles of the skeletons that clips come from,
/// `(roles: {"hips": "Pelvis"}, pose: (base: bind, turns: {leftUpperArm: (0, 0, 45)}), sources: {"walks.bvh": (…)},
/// source_roles: {"walks.bvh": {"hips": "Bone"}}, reach_hands: true)`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoleProfile {
    roles: BTreeMap<Role, String>,
    /// Poses that rotations are measured from, and roles of clip files; the defaults where the file says nothing of them.
    pub poses: RetargetPoses,
}

/// A file with poses.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WithPoses {
    #[serde(default)]
    roles: BTreeMap<String, String>,
    #[serde(default)]
    pose: RetargetPose,
    #[serde(default)]
    sources: BTreeMap<String, RetargetPose>,
    #[serde(default)]
    source_roles: BTreeMap<String, BTreeMap<String, String>>,
    #[serde(default)]
    reach_hands: bool,
}

/// A profile that cannot be read, or does not fit a character.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RoleProfileError {
    /// The text is no table of names.
    #[error(
        "this is no table of roles: {0}; it should read {{\"hips\": \"Pelvis\", \"head\": \"Skull\"}} or \
         (roles: {{…}}, pose: (base: bind, turns: {{leftUpperArm: (0, 0, 45)}}))"
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
        let syntax = |error: ron::de::SpannedError| RoleProfileError::Syntax(error.to_string());
        let (table, poses) = match ron::from_str::<BTreeMap<String, String>>(text) {
            Ok(table) => (table, RetargetPoses::default()),
            Err(error) => {
                // The older form's fault is of use only where the text is of that form.
                let is_table = text.trim_start().starts_with('{');
                let file: WithPoses =
                    ron::from_str(text).map_err(|e| syntax(if is_table { error } else { e }))?;
                let tables = file.source_roles.into_iter();
                let roles = tables.map(|(file, table)| Ok((file, read_table(table)?)));
                let roles = roles.collect::<Result<_, RoleProfileError>>()?;
                let (own, sources, reach_hands) = (file.pose, file.sources, file.reach_hands);
                (file.roles, RetargetPoses { own, sources, roles, reach_hands })
            }
        };
        Ok(Self { roles: read_table(table)?, poses })
    }

    /// The roles of `humanoid` on a character, and those that no joint of it has.
    pub fn new(
        character: &Character,
        humanoid: &HumanoidMap,
        nobody: impl IntoIterator<Item = Role>,
    ) -> Self {
        let named = |(&role, &node)| (role, character.skeleton.name(node).to_owned());
        let mut roles: BTreeMap<Role, String> = humanoid.roles.iter().map(named).collect();
        for role in nobody {
            roles.entry(role).or_default();
        }
        Self { roles, poses: RetargetPoses::default() }
    }

    /// The text of a profile, in the order of the body.
    pub fn write(&self) -> String {
        let table = written_table(&self.roles);
        if self.poses.is_default() {
            return table + "\n";
        }
        // Numbers, names and plain maps are all that could fail, and do not.
        let pose = ron::to_string(&self.poses.own).unwrap_or_else(|_| "()".to_owned());
        let sources = ron::to_string(&self.poses.sources).unwrap_or_else(|_| "{}".to_owned());
        let reach = if self.poses.reach_hands { "reach_hands: true,\n" } else { "" };
        let own = format!("roles: {table},\npose: {pose},\nsources: {sources},\n{reach}");
        let files = self.poses.roles.iter();
        let tables = files.map(|(file, roles)| format!("{file:?}: {},\n", written_table(roles)));
        let theirs = match tables.collect::<String>() {
            tables if tables.is_empty() => tables,
            tables => format!("source_roles: {{\n{tables}}},\n"),
        };
        format!("(\n{own}{theirs})\n")
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
        for (&role, name) in &self.roles {
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

/// A table with its roles read.
fn read_table(table: BTreeMap<String, String>) -> Result<BTreeMap<Role, String>, RoleProfileError> {
    let read = |(name, joint): (String, String)| match Role::from_name(&name) {
        Some(role) => Ok((role, joint)),
        None => Err(RoleProfileError::NoSuchRole { nearest: nearest(&name), name }),
    };
    table.into_iter().map(read).collect()
}

/// A table as text, in the order of the body.
fn written_table(roles: &BTreeMap<Role, String>) -> String {
    let lines = Role::ALL.iter().filter_map(|role| {
        let joint = roles.get(role)?;
        Some(format!("    {:?}: {joint:?},\n", role.name()))
    });
    format!("{{\n{}}}", lines.collect::<String>())
}

fn nearest(name: &str) -> &'static str {
    let score = |role: &&Role| strsim::jaro_winkler(role.name(), name);
    let best = Role::ALL.iter().max_by(|a, b| score(a).total_cmp(&score(b)));
    best.map_or("hips", |role| role.name())
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::model::{BodySide, Node, PoseBase, Skeleton};

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
        let figure = character(&["Hips", "Spine", "Head"]);
        let profile = RoleProfile::new(&figure, &humanoid(&figure), []);
        assert!(!profile.roles.is_empty());
        assert!(profile.write().starts_with('{'), "as earlier versions read it");
        assert_eq!(RoleProfile::read(&profile.write()), Ok(profile));
    }

    #[test]
    fn poses_are_kept_with_the_roles() {
        let figure = character(&["Hips", "Spine", "Head"]);
        let mut profile = RoleProfile::new(&figure, &humanoid(&figure), [Role::Neck]);
        let own = RetargetPose { base: PoseBase::Bind, ..RetargetPose::default() }
            .with_turn(Role::LeftUpperArm, Vec3::new(0.5, 0.0, 45.0));
        profile.poses = RetargetPoses::default()
            .with(None, own.clone())
            .with(Some("walks \"slow\".bvh"), own.mirrored(BodySide::Left));
        let text = profile.write();
        assert_eq!(RoleProfile::read(&text), Ok(profile.clone()), "{text}");
        let table = [(Role::Hips, "Bone \"1\""), (Role::Chest, "")];
        let table = table.map(|(role, joint)| (role, joint.to_owned())).into();
        profile.poses.roles.insert("walks \"slow\".bvh".into(), table);
        profile.poses.reach_hands = true;
        let text = profile.write();
        assert_eq!(RoleProfile::read(&text), Ok(profile), "{text}");
        let wrong = "(source_roles: {\"a.bvh\": {\"hip\": \"Bone\"}})";
        let wrong = RoleProfile::read(wrong).unwrap_err();
        assert!(matches!(wrong, RoleProfileError::NoSuchRole { nearest: "hips", .. }), "{wrong}");
        // By hand, with as little as is needed.
        let short = "(pose: (turns: {leftUpperArm: (0, 0, 45)}))";
        let read = RoleProfile::read(short).unwrap();
        assert_eq!(read.poses.own.turn(Role::LeftUpperArm), Vec3::Z * 45.0);
        assert_eq!(read.resolve(&figure), Ok(BTreeMap::new()));
        let wrong = RoleProfile::read("(pose: (turns: {leftUperArm: (0, 0, 45)}))").unwrap_err();
        assert!(wrong.to_string().contains("leftUperArm"), "{wrong}");
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
