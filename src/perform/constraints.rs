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
    /// Cost: O(C + nodes), on the heap alone: a file may chain as many as it likes.
    pub fn new(character: &Character) -> Self {
        let skeleton = &character.skeleton;
        let is_known = |n: NodeIndex| n.index() < skeleton.len();
        let list: Vec<NodeConstraint> = character
            .constraints
            .iter()
            .filter(|c| is_known(c.node) && is_known(c.source))
            .copied()
            .collect();
        let rest = |n: NodeIndex| skeleton.node(n).local.rotation;
        let ready = in_order(&list, skeleton)
            .into_iter()
            .filter_map(|i| list.get(i).copied())
            .map(|constraint| Ready {
                constraint,
                rest: rest(constraint.node),
                source_rest: rest(constraint.source),
            })
            .collect();
        Self { ready }
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

/// A step of the walk through what depends on what.
#[derive(Clone, Copy)]
enum Step {
    /// A node stands as it will: all that turns it, or what is above it, is evaluated.
    Node(NodeIndex),
    /// A constraint is evaluated, once all that it depends on is.
    Constraint(usize),
    /// All that this constraint depends on was looked at.
    Ready(usize),
}

/// Notes that something is begun; false where it was before. In a circle what is begun counts as done.
fn is_first(seen: &mut [bool], at: usize) -> bool {
    seen.get_mut(at).is_some_and(|slot| !std::mem::replace(slot, true))
}

/// Each constraint behind those that turn its source, what is above its source, and for aims what is above itself.
///
/// Depth first over nodes and constraints, each once, with a stack of its own.
fn in_order(list: &[NodeConstraint], skeleton: &Skeleton) -> Vec<usize> {
    if list.is_empty() {
        return Vec::new();
    }
    let mut turned_by: Vec<Vec<usize>> = vec![Vec::new(); skeleton.len()];
    for (i, constraint) in list.iter().enumerate() {
        if let Some(row) = turned_by.get_mut(constraint.node.index()) {
            row.push(i);
        }
    }
    let mut seen_nodes = vec![false; skeleton.len()];
    let mut seen = vec![false; list.len()];
    let mut order = Vec::with_capacity(list.len());
    // Last in, first out: what is to be looked at first is pushed last.
    let mut open: Vec<Step> = (0..list.len()).rev().map(Step::Constraint).collect();
    while let Some(step) = open.pop() {
        match step {
            Step::Node(node) if is_first(&mut seen_nodes, node.index()) => {
                let own = turned_by.get(node.index()).map_or(&[][..], Vec::as_slice);
                open.extend(own.iter().rev().copied().map(Step::Constraint));
                open.extend(skeleton.parent(node).map(Step::Node));
            }
            Step::Constraint(i) if is_first(&mut seen, i) => {
                let Some(constraint) = list.get(i) else { continue };
                open.push(Step::Ready(i));
                if matches!(constraint.kind, ConstraintKind::Aim(_)) {
                    open.extend(skeleton.parent(constraint.node).map(Step::Node));
                }
                open.push(Step::Node(constraint.source));
            }
            Step::Ready(i) => order.push(i),
            Step::Node(_) | Step::Constraint(_) => {}
        }
    }
    order
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

    #[test]
    fn an_aim_waits_for_what_turns_its_parent_and_its_source_s() {
        // a carries d, which aims at e, which c carries; a and c follow b.
        let (kind, aim) = (ConstraintKind::Rotation, ConstraintKind::Aim(Vec3::Y));
        let mut c =
            character(vec![constraint(4, 5, aim), constraint(3, 2, kind), constraint(1, 2, kind)]);
        for (name, parent) in [("d", 1), ("e", 3)] {
            let (name, parent) = (name.to_owned(), Some(NodeIndex(parent)));
            let local = Transform::from_translation(Vec3::X);
            c.skeleton.push(Node { name, parent, local, source: None }).unwrap();
        }
        let order: Vec<u32> = Constraints::new(&c).nodes().map(|n| n.0).collect();
        assert_eq!(order, [3, 1, 4]);
    }

    #[test]
    fn fifty_thousand_constraints_in_a_chain_are_evaluated_in_order_and_a_circle_of_them_ends() {
        let n = 50_000_u32;
        let node = |parent: Option<u32>| Node {
            name: String::new(),
            parent: parent.map(NodeIndex),
            local: Transform::IDENTITY,
            source: None,
        };
        // Side by side under one root, and each the parent of the next.
        let parents: [fn(u32) -> u32; 2] = [|_| 0, |i| i - 1];
        for parent in parents {
            let nodes = std::iter::once(None).chain((1..=n).map(|i| Some(parent(i)))).map(node);
            let mut c = character(Vec::new());
            c.skeleton = Skeleton::new(nodes.collect()).unwrap();
            // Node i + 1 follows node i; the file has the last one first.
            let kind = ConstraintKind::Rotation;
            c.constraints = (1..n).rev().map(|i| constraint(i + 1, i, kind)).collect();
            let order: Vec<u32> = Constraints::new(&c).nodes().map(|n| n.0).collect();
            assert!(order.iter().copied().eq(2..=n));
            c.constraints.push(constraint(1, n, kind));
            assert_eq!(Constraints::new(&c).nodes().count(), n as usize);
        }
    }
}
