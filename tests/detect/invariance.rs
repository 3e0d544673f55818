//! The answer turns, scales and is mirrored with the character, and does not depend on how vertices are numbered or
//! how finely the skin is cut.

use std::sync::Arc;

use glam::{DVec3, Mat4, Quat, Vec3};
use tailbone::math::Similarity;
use tailbone::model::{
    Character, HumanoidMap, Influences, Mesh, Node, Role, Skeleton, SurfaceVertex, Verdict,
};
use tailbone::samples::family;

use super::{Match, chains, find};

/// Seeds with tails of different forms and joins, capes, scabbards, sashes.
const SEEDS: [u64; 6] = [1, 5, 6, 12, 27, 30];

/// Verdict and vertices of every region that is not body.
fn answer(character: &Character) -> Vec<(Verdict, Vec<SurfaceVertex>)> {
    find(character).regions.iter().map(|r| (r.verdict, r.vertices.clone())).collect()
}

/// Every region of `a` that is edited has its like in `b`, but for a few vertices that rounding decides.
fn assert_alike(
    a: &[(Verdict, Vec<SurfaceVertex>)],
    b: &[(Verdict, Vec<SurfaceVertex>)],
    what: &str,
) {
    let edited = |list: &[(Verdict, Vec<SurfaceVertex>)]| {
        list.iter().filter(|(v, _)| *v != Verdict::Leave).count()
    };
    assert_eq!(edited(a), edited(b), "{what}");
    for (verdict, vertices) in a.iter().filter(|(v, _)| *v != Verdict::Leave) {
        let best = b
            .iter()
            .filter(|(v, _)| v == verdict)
            .map(|(_, other)| Match::of(other, vertices).f1())
            .fold(0.0, f32::max);
        assert!(best > 0.97, "{what}: {verdict:?} {best}");
    }
}

fn moved(character: &Character, by: Similarity) -> Character {
    let old = character.world_from_file;
    let rotation = by.rotation * old.rotation;
    let translation = by.rotation * old.translation * by.scale + by.translation;
    let world_from_file = Similarity { rotation, scale: by.scale * old.scale, translation };
    Character { world_from_file, ..character.clone() }
}

#[test]
fn turning_moving_and_scaling_change_nothing() {
    for seed in SEEDS {
        let character = family(seed).character;
        let before = answer(&character);
        for (what, by) in [
            (
                "turned",
                Similarity { rotation: Quat::from_rotation_y(2.1), ..Similarity::default() },
            ),
            ("scaled", Similarity { scale: 0.13, ..Similarity::default() }),
            (
                "moved",
                Similarity { translation: Vec3::new(3.0, -1.0, 2.0), ..Similarity::default() },
            ),
        ] {
            assert_alike(&before, &answer(&moved(&character, by)), &format!("seed {seed} {what}"));
        }
    }
}

/// The same character in a mirror: positions, joints and binds over x, left and right exchanged.
fn mirrored(character: &Character) -> Character {
    let flip = Mat4::from_scale(Vec3::new(-1.0, 1.0, 1.0));
    let over_x = |p: Vec3| Vec3::new(-p.x, p.y, p.z);
    let nodes = character.skeleton.nodes().iter().map(|node| {
        let mut node: Node = node.clone();
        let q = node.local.rotation;
        node.local.translation = over_x(node.local.translation);
        node.local.rotation = Quat::from_xyzw(q.x, -q.y, -q.z, q.w);
        node
    });
    let mut result = character.clone();
    result.skeleton = Skeleton::new(nodes.collect()).unwrap();
    for skin in &mut result.skins {
        for bind in &mut skin.joint_from_mesh {
            *bind = flip * *bind * flip;
        }
    }
    for mesh in &mut result.meshes {
        mesh.positions = Arc::new(mesh.positions.iter().map(|&p| over_x(p)).collect());
        mesh.triangles = Arc::new(mesh.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect());
    }
    let q = result.world_from_file.rotation;
    result.world_from_file.rotation = Quat::from_xyzw(q.x, -q.y, -q.z, q.w);
    result.world_from_file.translation = over_x(result.world_from_file.translation);
    let map = tailbone::detect::roles::humanoid(character);
    let other = |role: Role| {
        let name = role.name();
        let swapped = match (name.strip_prefix("left"), name.strip_prefix("right")) {
            (Some(rest), _) => format!("right{rest}"),
            (_, Some(rest)) => format!("left{rest}"),
            _ => name.to_string(),
        };
        Role::from_name(&swapped).unwrap()
    };
    result.stated_humanoid = Some(HumanoidMap {
        roles: map.roles.iter().map(|(&role, &node)| (other(role), node)).collect(),
        convention: map.convention,
    });
    result
}

#[test]
fn a_mirrored_character_has_the_same_answer() {
    for seed in SEEDS {
        let character = family(seed).character;
        assert_alike(&answer(&character), &answer(&mirrored(&character)), &format!("seed {seed}"));
    }
}

/// A permutation of 0..n that leaves nothing in its place: i → i k mod n with k prime to n, reversed.
fn shuffle(n: usize) -> Vec<u32> {
    let gcd = |mut a: usize, mut b: usize| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let step = (n / 2 + 1..).find(|&k| gcd(k, n) == 1).unwrap_or(1);
    (0..n).map(|i| ((n - 1 - i) * step % n) as u32).collect()
}

#[test]
fn numbering_of_vertices_does_not_matter() {
    for seed in SEEDS {
        let character = family(seed).character;
        let offsets = character.surface_offsets();
        let mut renumbered = character.clone();
        // New place of each surface vertex.
        let mut place: Vec<u32> = (0..*offsets.last().unwrap()).collect();
        for (m, mesh) in renumbered.meshes.iter_mut().enumerate() {
            let order = shuffle(mesh.n_vertices());
            let mut new_of = vec![0; order.len()];
            for (new, &old) in order.iter().enumerate() {
                new_of[old as usize] = new as u32;
            }
            let mut triangles: Vec<[u32; 3]> =
                mesh.triangles.iter().map(|t| t.map(|v| new_of[v as usize])).collect();
            triangles.reverse();
            let influences = mesh.influences.as_ref().map(|old| {
                let mut new = Influences::with_capacity(order.len());
                for &v in &order {
                    new.push(old.of(v as usize));
                }
                Arc::new(new)
            });
            *mesh = Mesh {
                positions: Arc::new(order.iter().map(|&v| mesh.positions[v as usize]).collect()),
                triangles: Arc::new(triangles),
                influences,
                name: mesh.name.clone(),
                ..Mesh::default()
            };
            for (i, instance) in character.instances.iter().enumerate() {
                if instance.mesh.index() == m {
                    for (old, &new) in new_of.iter().enumerate() {
                        place[offsets[i] as usize + old] = offsets[i] + new;
                    }
                }
            }
        }
        let mut before = answer(&character);
        for (_, vertices) in &mut before {
            for v in vertices.iter_mut() {
                v.0 = place[v.index()];
            }
        }
        assert_alike(&before, &answer(&renumbered), &format!("seed {seed}"));
    }
}

/// Every triangle cut in four at the middles of its sides.
fn subdivided(mesh: &Mesh) -> Mesh {
    let mut positions = mesh.positions.to_vec();
    let mut influences = Influences::with_capacity(positions.len() * 4);
    let old = mesh.influences.as_ref().unwrap();
    for v in 0..old.len() {
        influences.push(old.of(v));
    }
    let mut triangles = Vec::new();
    for &[a, b, c] in mesh.triangles.iter() {
        // The middle of an edge must come out the same from both sides, to the bit, or it would not weld.
        let mut middle = |a: u32, b: u32| {
            let sum: DVec3 =
                mesh.positions[a as usize].as_dvec3() + mesh.positions[b as usize].as_dvec3();
            positions.push((sum * 0.5).as_vec3());
            influences.push(old.of(a as usize));
            positions.len() as u32 - 1
        };
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    Mesh {
        positions: Arc::new(positions),
        triangles: Arc::new(triangles),
        influences: Some(Arc::new(influences)),
        name: mesh.name.clone(),
        ..Mesh::default()
    }
}

#[test]
fn a_finer_mesh_of_the_same_shape_has_the_same_tails() {
    for seed in [0, 1, 2, 3] {
        let sample = family(seed);
        let mut fine = sample.character.clone();
        let offsets = sample.character.surface_offsets();
        for mesh in fine.meshes.iter_mut().filter(|m| m.influences.is_some()) {
            *mesh = subdivided(mesh);
        }
        let fine_offsets = fine.surface_offsets();
        let found = find(&fine);
        for tail in sample.truth.tails() {
            // Old vertices stand first in each mesh.
            let truth: Vec<SurfaceVertex> = tail
                .vertices
                .iter()
                .map(|v| {
                    let i = offsets.partition_point(|&o| o <= v.0) - 1;
                    SurfaceVertex(v.0 - offsets[i] + fine_offsets[i])
                })
                .collect();
            let recall = chains(&found)
                .iter()
                .map(|r| Match::of(&r.vertices, &truth).recall)
                .fold(0.0, f32::max);
            assert!(recall > 0.9, "seed {seed}: {recall}");
        }
    }
}
