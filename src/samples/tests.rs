//! What the samples promise.

use super::*;
use crate::geometry::Surface;
use crate::math::eigen::principal_axes;
use crate::math::{closest, rotation};
use crate::model::{BindPose, Role, SurfaceVertex};
use crate::work::Work;

fn surface(sample: &Sample) -> Surface {
    Surface::of(&sample.character, &BindPose::of(&sample.character, None))
}

/// Whole, in range, weights that sum, normals of length one.
fn check(sample: &Sample) {
    let c = &sample.character;
    let n = c.surface_offsets().last().copied().unwrap_or(0);
    for mesh in &c.meshes {
        assert_eq!(mesh.normals.len(), mesh.n_vertices());
        assert_eq!(mesh.colors.len(), mesh.n_vertices());
        assert_eq!(mesh.uvs.len(), mesh.n_vertices());
        assert!(mesh.normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-4));
        assert!(mesh.uvs.iter().all(|uv| uv.min_element() >= 0.0 && uv.max_element() <= 1.0));
        let influences = mesh.influences.as_ref().unwrap();
        for v in 0..mesh.n_vertices() {
            let sum: f32 = influences.of(v).map(|x| x.1).sum();
            assert!((sum - 1.0).abs() < 1e-5 && influences.of(v).len() <= 4);
        }
    }
    for a in &sample.truth.appendages {
        assert!(!a.vertices.is_empty());
        assert!(a.vertices.iter().all(|v| v.0 < n));
        assert!(a.vertices.is_sorted());
    }
}

/// Share of the tail's weight that lies on a role.
fn tail_share(sample: &Sample, role: Role) -> f32 {
    let node = sample.truth.roles.node(role).unwrap();
    let tail = sample.truth.tails().next().unwrap();
    let mut sum = 0.0;
    for &v in &tail.vertices {
        let (i, at) = sample.character.locate(v).unwrap();
        let instance = sample.character.instance(i).unwrap();
        sample.character.for_each_influence(instance, at, |n, w| {
            if n == node {
                sum += w;
            }
        });
    }
    sum / tail.vertices.len() as f32
}

#[test]
fn the_fox_is_as_the_article_says() {
    let sample = generate("fox").unwrap();
    check(&sample);
    let surface = surface(&sample);
    assert!((22_000..24_000).contains(&surface.n_vertices()), "{}", surface.n_vertices());
    assert!((28_000..30_000).contains(&surface.triangles.len()), "{}", surface.triangles.len());
    assert!((surface.height() - 1.91).abs() < 1e-3);
    assert_eq!(sample.character.skins[0].joints.len(), 65);
    let tail = sample.truth.tails().next().unwrap();
    assert!((1_450..1_700).contains(&tail.vertices.len()), "{}", tail.vertices.len());
    let points = surface
        .triangles
        .iter()
        .filter(|t| tail.vertices.binary_search(&SurfaceVertex(t[0])).is_ok())
        .map(|t| {
            let [a, b, c] = t.map(|v| surface.positions[v as usize]);
            ((a + b + c) / 3.0, (b - a).cross(c - a).length())
        });
    let axes = principal_axes(points).unwrap();
    let elongation = (axes.eigenvalues[0] / axes.eigenvalues[1]).sqrt();
    assert!((2.2..3.2).contains(&elongation), "{elongation}");
    let shin = tail_share(&sample, Role::LeftLowerLeg);
    let thighs = tail_share(&sample, Role::LeftUpperLeg) + tail_share(&sample, Role::RightUpperLeg);
    assert!(shin > 0.5 && shin + thighs > 0.99, "{shin} {thighs}");
    assert!(tail_share(&sample, Role::RightUpperLeg) > 0.02);
}

#[test]
fn the_mouse_is_saved_bent_and_its_tail_lies_on_the_floor() {
    let sample = generate("mouse").unwrap();
    check(&sample);
    let bind = BindPose::of(&sample.character, None);
    assert!(bind.residuals.iter().any(|r| r.angle_rad > 0.5));
    let surface = surface(&sample);
    let tail = sample.truth.tails().next().unwrap();
    let at = |v: &SurfaceVertex| surface.positions[v.index()];
    let lowest = tail.vertices.iter().map(|v| at(v).y).fold(f32::MAX, f32::min);
    assert!((0.0..0.01).contains(&lowest), "{lowest}");
    let aside = tail.vertices.iter().map(|v| at(v).x.abs()).fold(0.0, f32::max);
    assert!(aside > 0.3, "curls to one side: {aside}");
}

#[test]
fn the_rigged_mouse_has_a_tail_of_joints_saved_turned() {
    let sample = generate("mouse-rigged").unwrap();
    check(&sample);
    let names = sample.character.skeleton.by_name();
    let last = names["Tail_7"];
    assert!(!names.contains_key("Tail_End") && !names.contains_key("Tail_8"));
    let bind = BindPose::of(&sample.character, None);
    let saved = sample.character.skeleton.node(last).local.rotation;
    let turn = rotation::angle_between(saved, bind.pose.local(last).rotation);
    assert!((turn.to_degrees() - 28.0).abs() < 0.1, "{}", turn.to_degrees());
    assert_eq!(bind.residuals.len(), 1);
}

#[test]
fn every_listed_sample_can_be_made() {
    for info in list() {
        let sample = generate(info.name).unwrap();
        assert_eq!((sample.name.as_str(), sample.about.as_str()), (info.name, info.about));
    }
    assert!(generate("nobody").is_none());
}

/// Mean over the tail of weight times distance to the nearest segment that starts at the joint (spec 8, D9).
fn joint_distance(sample: &Sample) -> f32 {
    let c = &sample.character;
    let bind = BindPose::of(c, None);
    let surface = surface(sample);
    let children = c.skeleton.children();
    let tail = sample.truth.tails().next().unwrap();
    let mut sum = 0.0;
    for &v in &tail.vertices {
        let p = surface.positions[v.index()];
        let (i, at) = c.locate(v).unwrap();
        c.for_each_influence(c.instance(i).unwrap(), at, |node, w| {
            let a = bind.position(node);
            let ends = children[node.index()].iter().map(|&n| bind.position(n));
            let d = ends.map(|b| closest::distance_to_segment(p, a, b)).fold(f32::MAX, f32::min);
            sum += w * d.min(p.distance(a));
        });
    }
    sum / tail.vertices.len() as f32
}

#[test]
fn the_foxs_tail_is_driven_from_far_away() {
    let distance = joint_distance(&generate("fox").unwrap());
    assert!((0.40..0.55).contains(&distance), "the article: 0.47 m; here {distance}");
}

#[test]
fn the_knight_wears_much_and_nothing_of_it_is_a_tail() {
    let sample = generate("knight").unwrap();
    check(&sample);
    assert!((surface(&sample).height() - 1.88).abs() < 1e-3);
    assert_eq!(sample.truth.tails().count(), 0);
    for a in &sample.truth.appendages {
        let is_prop = matches!(a.kind, TruthKind::Scabbard | TruthKind::Quiver);
        assert_eq!(a.should_edit, is_prop, "{:?}", a.kind);
    }
}

#[test]
fn welded_bodies_are_closed_skins() {
    for name in ["fox", "mouse"] {
        let sample = generate(name).unwrap();
        let surface = surface(&sample);
        let mut places = std::collections::BTreeMap::new();
        let weld: Vec<u32> = (surface.positions.iter().enumerate())
            .map(|(i, p)| *places.entry(p.to_array().map(f32::to_bits)).or_insert(i as u32))
            .collect();
        let mut edges = std::collections::BTreeMap::new();
        for t in &surface.triangles {
            for k in 0..3 {
                let (a, b) = (weld[t[k] as usize], weld[t[(k + 1) % 3] as usize]);
                *edges.entry((a, b)).or_insert(0) += 1;
            }
        }
        for (&(a, b), n) in &edges {
            assert_eq!(edges.get(&(b, a)), Some(n), "{name}: edge {a} to {b} is open");
        }
        let n_pinched = edges.values().filter(|n| **n != 1).count();
        assert_eq!(n_pinched, 0, "{name}: edges with more than two faces");
    }
}

#[test]
fn every_sample_carries_five_clips() {
    for info in list() {
        let clips = generate(info.name).unwrap().character.clips;
        let names: Vec<_> = clips.iter().map(|c| c.name.as_str()).collect();
        let wanted = ["Idle_Loop", "Walk_Loop", "Sprint_Loop", "Crouch_Bwd_Loop", "BackFlip"];
        assert_eq!(names, wanted, "{}", info.name);
        assert!(clips.iter().all(|c| c.tracks.iter().all(|t| t.times.len() > 1)));
    }
}

/// Largest difference of two lists of numbers.
fn apart<'a>(a: impl IntoIterator<Item = &'a f32>, b: impl IntoIterator<Item = &'a f32>) -> f32 {
    let (a, b): (Vec<_>, Vec<_>) = (a.into_iter().collect(), b.into_iter().collect());
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(x, y)| (**x - y).abs()).fold(0.0, f32::max)
}

#[test]
fn embedded_files_are_what_the_generator_makes() {
    for info in list() {
        let read = |bytes: Vec<u8>| {
            let loaded = crate::io::read_bytes(bytes, info.name, None, &Work::default()).unwrap();
            loaded.characters.into_iter().next().unwrap()
        };
        let bytes = embedded(info.name).unwrap();
        assert!(bytes.len() < 2_100_000, "{} has {} bytes", info.name, bytes.len());
        let (old, new) = (read(bytes.to_vec()), read(glb(&generate(info.name).unwrap())));
        assert_eq!(old.meshes.len(), new.meshes.len());
        for (a, b) in old.meshes.iter().zip(&new.meshes) {
            assert_eq!(a.triangles, b.triangles, "{}", info.name);
            let numbers = |m: &crate::model::Mesh| -> Vec<f32> {
                let points = m.positions.iter().chain(m.normals.iter()).flat_map(|p| p.to_array());
                points.chain(m.uvs.iter().flat_map(|p| p.to_array())).collect()
            };
            assert!(apart(&numbers(a), &numbers(b)) < 1e-6, "{}", info.name);
        }
        let stale = "make them anew: tailbone samples -o assets --regenerate --force";
        assert_eq!(old.clips.len(), new.clips.len(), "{}: {stale}", info.name);
        for (a, b) in old.clips.iter().zip(&new.clips) {
            assert_eq!((&a.name, a.tracks.len()), (&b.name, b.tracks.len()), "{stale}");
            for (x, y) in a.tracks.iter().zip(&b.tracks) {
                let place = format!("{}, {}, node {:?}: {stale}", info.name, a.name, x.node);
                assert_eq!(x.node, y.node, "{place}");
                assert!(apart(&x.times, &y.times) < 1e-6, "{place}");
                assert!(apart(&values(x), &values(y)) < 1e-5, "{place}");
            }
        }
    }
}

/// A track's values as numbers.
fn values(track: &crate::model::Track) -> Vec<f32> {
    use crate::model::TrackValues;
    match &track.values {
        TrackValues::Rotation(q) => q.iter().flat_map(|q| q.to_array()).collect(),
        TrackValues::Translation(v) | TrackValues::Scale(v) => {
            v.iter().flat_map(|v| v.to_array()).collect()
        }
        TrackValues::Morph { values, .. } => values.clone(),
    }
}
