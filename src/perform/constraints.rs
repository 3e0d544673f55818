//! Node constraints on a pose: after the body, before springs, each after whatever it depends on.
//!
//! Based on: VRMC_node_constraint 1.0; @pixiv/three-vrm-node-constraint.

use glam::{Affine3A, Quat, Vec3};

use crate::math::{polar_rotation, rotation};
use crate::model::{Character, ConstraintKind, NodeConstraint, NodeIndex, Pose, Skeleton};

/// One constraint with the rest rotations of its ends.
#[derive(Clone, Copy, Debug)]
struct Ready {
    constraint: NodeConstraint,
    rest: Quat,
    source_rest: Quat,
}

/// A character's constraints in the order in which they are evaluated.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    ready: Vec<Ready>,
}

impl Constraints {
    /// The constraints of `character`. Where they depend on each other in a circle, the file's order decides.
    ///
    /// Cost: O(C × (C + depth)).
    pub fn new(character: &Character) -> Self {
        let skeleton = &character.skeleton;
        let list = &character.constraints;
        let is_known = |n: NodeIndex| n.index() < skeleton.len();
        let mut order = Vec::with_capacity(list.len());
        let mut state = vec![Visit::New; list.len()];
        for i in 0..list.len() {
            visit(i, list, skeleton, &mut state, &mut order);
        }
        let rest = |n: NodeIndex| skeleton.node(n).local.rotation;
        let ready = order
            .into_iter()
            .filter_map(|i| list.get(i).copied())
            .filter(|c| is_known(c.node) && is_known(c.source))
            .map(|constraint| Ready {
                constraint,
                rest: rest(constraint.node),
                source_rest: rest(constraint.source),
            })
            .collect();
        Self { ready }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ready.is_empty()
    }

    /// Nodes that are turned, in the order of evaluation.
    pub fn nodes(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        self.ready.iter().map(|r| r.constraint.node)
    }

    /// Turns the constrained nodes of `pose`. Cost: O(C × depth) for aims, O(C) else.
    pub fn apply(&self, skeleton: &Skeleton, pose: &mut Pose) {
        for ready in &self.ready {
            let NodeConstraint { node, source, kind, weight } = ready.constraint;
            let now = pose.local(source).rotation;
            let target = match kind {
                ConstraintKind::Rotation => ready.rest * ready.source_rest.conjugate() * now,
                ConstraintKind::Roll(axis) => ready.rolled(now, axis),
                ConstraintKind::Aim(axis) => ready.aimed(skeleton, pose, axis),
            };
            if let Some(local) = pose.locals.get_mut(node.index()) {
                local.rotation = ready.rest.slerp(target.normalize(), weight).normalize();
            }
        }
    }
}

impl Ready {
    /// The rest rotation with the source's turn about `axis` alone: what swings the axis away is taken out.
    fn rolled(&self, now: Quat, axis: Vec3) -> Quat {
        let delta = self.rest.conjugate() * now * self.source_rest.conjugate() * self.rest;
        self.rest * rotation::swing(delta * axis, axis) * delta
    }

    /// The rest rotation swung so that `axis` points at the source.
    fn aimed(&self, skeleton: &Skeleton, pose: &Pose, axis: Vec3) -> Quat {
        let NodeConstraint { node, source, .. } = self.constraint;
        let above = skeleton.parent(node).map_or(Affine3A::IDENTITY, |p| model(skeleton, pose, p));
        let parent = polar_rotation(&above);
        let from = above.transform_point3(pose.local(node).translation);
        let to: Vec3 = model(skeleton, pose, source).translation.into();
        let Some(towards) = (to - from).try_normalize() else { return self.rest };
        let before = parent * self.rest * axis;
        parent.conjugate() * rotation::swing(before, towards) * parent * self.rest
    }
}

/// Matrix of a node in the file's scene.
fn model(skeleton: &Skeleton, pose: &Pose, node: NodeIndex) -> Affine3A {
    let own = pose.local(node).to_affine();
    skeleton.ancestors(node).fold(own, |below, n| pose.local(n).to_affine() * below)
}

#[derive(Clone, Copy, PartialEq)]
enum Visit {
    New,
    Open,
    Done,
}

/// Puts constraint `i` behind those that turn its source, what is above its source, and for aims what is above itself.
fn visit(
    i: usize,
    list: &[NodeConstraint],
    skeleton: &Skeleton,
    state: &mut [Visit],
    order: &mut Vec<usize>,
) {
    if state.get(i) != Some(&Visit::New) {
        return;
    }
    if let Some(slot) = state.get_mut(i) {
        *slot = Visit::Open;
    }
    let Some(constraint) = list.get(i) else { return };
    let depends_on = |node: NodeIndex| {
        let aims = matches!(constraint.kind, ConstraintKind::Aim(_));
        skeleton.is_within(constraint.source, node)
            || (aims && node != constraint.node && skeleton.is_within(constraint.node, node))
    };
    for (j, other) in list.iter().enumerate() {
        if j != i && depends_on(other.node) {
            visit(j, list, skeleton, state, order);
        }
    }
    if let Some(slot) = state.get_mut(i) {
        *slot = Visit::Done;
    }
    order.push(i);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::Node;

    /// root with children a, b, c, each a unit from it along its own axis.
    fn character(constraints: Vec<NodeConstraint>) -> Character {
        let node = |name: &str, parent: Option<u32>, at: Vec3| Node {
            name: name.into(),
            parent: parent.map(NodeIndex),
            local: Transform::from_rotation_translation(Quat::from_rotation_z(0.3), at),
            source: None,
        };
        let skeleton = Skeleton::new(vec![
            node("root", None, Vec3::ZERO),
            node("a", Some(0), Vec3::X),
            node("b", Some(0), Vec3::Y),
            node("c", Some(0), Vec3::Z),
        ])
        .unwrap();
        Character { skeleton, constraints, ..Character::default() }
    }

    fn constraint(node: u32, source: u32, kind: ConstraintKind) -> NodeConstraint {
        NodeConstraint { node: NodeIndex(node), source: NodeIndex(source), kind, weight: 1.0 }
    }

    /// The pose with a turned by `turn` after its rest rotation, constraints applied.
    fn posed(character: &Character, turn: Quat) -> Pose {
        let mut pose = Pose::loaded(&character.skeleton);
        pose.locals[1].rotation *= turn;
        Constraints::new(character).apply(&character.skeleton, &mut pose);
        pose
    }

    #[test]
    fn a_rotation_constraint_takes_the_turn_over_by_its_weight() {
        let turn = Quat::from_rotation_y(0.8);
        let mut c = character(vec![constraint(2, 1, ConstraintKind::Rotation)]);
        let rest = c.skeleton.node(NodeIndex(2)).local.rotation;
        let found = posed(&c, turn).locals[2].rotation;
        assert!(rotation::angle_between(found, rest * turn) < 1e-5);
        c.constraints[0].weight = 0.25;
        let found = posed(&c, turn).locals[2].rotation;
        assert!(rotation::angle_between(found, rest * Quat::from_rotation_y(0.2)) < 1e-5);
    }

    #[test]
    fn a_roll_constraint_takes_over_the_twist_alone() {
        let c = character(vec![constraint(2, 1, ConstraintKind::Roll(Vec3::X))]);
        let rest = c.skeleton.node(NodeIndex(2)).local.rotation;
        let twist = Quat::from_rotation_x(0.7);
        let found = posed(&c, twist).locals[2].rotation;
        assert!(rotation::angle_between(found, rest * twist) < 1e-5);
        let found = posed(&c, Quat::from_rotation_y(0.7)).locals[2].rotation;
        assert!(rotation::angle_between(found, rest) < 1e-5, "a swing is no twist");
    }

    #[test]
    fn an_aim_constraint_points_its_axis_at_the_source() {
        let c = character(vec![constraint(2, 3, ConstraintKind::Aim(Vec3::NEG_Z))]);
        let pose = posed(&c, Quat::IDENTITY);
        let b = model(&c.skeleton, &pose, NodeIndex(2));
        let to = Vec3::from(model(&c.skeleton, &pose, NodeIndex(3)).translation - b.translation);
        let axis = b.transform_vector3(Vec3::NEG_Z);
        assert!(axis.distance(to.normalize()) < 1e-5);
    }

    #[test]
    fn a_chain_of_constraints_is_evaluated_from_its_source_on() {
        // c follows b, which follows a; the file has them the other way round.
        let kind = ConstraintKind::Rotation;
        let c = character(vec![constraint(3, 2, kind), constraint(2, 1, kind)]);
        let turn = Quat::from_rotation_x(1.1);
        let pose = posed(&c, turn);
        let rest = c.skeleton.node(NodeIndex(3)).local.rotation;
        assert!(rotation::angle_between(pose.locals[3].rotation, rest * turn) < 1e-5);
        // A circle ends all the same.
        let circle = character(vec![constraint(2, 3, kind), constraint(3, 2, kind)]);
        assert_eq!(Constraints::new(&circle).nodes().count(), 2);
    }
}
