//! What the samples promise.

use super::*;
use crate::geometry::Surface;
use crate::math::eigen::principal_axes;
use crate::math::rotation;
use crate::model::{BindPose, Role, SurfaceVertex};

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
