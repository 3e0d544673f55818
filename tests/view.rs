//! Pictures without a window: what the graphics card makes of a scene, against what the numbers say.
#![cfg(feature = "app")]
#![allow(clippy::unwrap_used, reason = "tests stop where something is missing")]

use std::sync::Arc;

use glam::{Quat, Vec2, Vec3};
use image::RgbaImage;
use tailbone::model::{BindPose, NodeIndex, RegionKind, Rigged, Role, WorldPose};
use tailbone::samples::{Sample, family};
use tailbone::studio::scene::{
    Accent, BoneMark, Bounds, Paint, RegionMark, Scene, Shading, posed_positions,
};
use tailbone::view::{Look, OrbitCamera, Picture, ViewDirection, pick_skin, render};

const SIDE: u32 = 192;

fn picture(scene: &Scene) -> RgbaImage {
    let look = Look::parse(include_str!("../assets/theme/dark.ron")).unwrap();
    let picture = Picture { size: [SIDE, SIDE], direction: ViewDirection::Front, look };
    render(scene, &picture).unwrap()
}

/// A member of the family with the left arm raised, all its skin painted as one selected tail.
fn painted() -> (Sample, Scene) {
    let sample = family(1);
    let bind = BindPose::of(&sample.character, None);
    let mut pose = bind.pose.clone();
    let arm = sample.truth.roles.node(Role::LeftUpperArm).unwrap();
    let local = &mut pose.locals[arm.index()];
    local.rotation = Quat::from_rotation_z(0.9) * local.rotation;
    let mut world = WorldPose::default();
    pose.to_world(&sample.character.skeleton, &sample.character.root_matrix(), &mut world);
    let rigged = Rigged { character: sample.character.clone(), bind, ..Rigged::default() };
    let mut scene = Scene::of(&rigged, world);
    let n = sample.character.surface_offsets().last().copied().unwrap() as usize;
    let mark = RegionMark { kind: Some(RegionKind::Tail), is_selected: true };
    scene.paint = Arc::new(Paint::Regions(vec![mark; n]));
    (sample, scene)
}

/// The box, in pixels from the top left, around what is orange as the colour of tails.
fn orange(image: &RgbaImage) -> Option<(Vec2, Vec2)> {
    let found = image.enumerate_pixels().filter(|(_, _, p)| p[0] > p[2].saturating_add(35));
    let points = found.map(|(x, y, _)| Vec3::new(x as f32 + 0.5, y as f32 + 0.5, 0.0));
    Bounds::of(points).map(|b| (b.low.truncate(), b.high.truncate()))
}

fn front_camera(scene: &Scene) -> OrbitCamera {
    OrbitCamera::framing(&scene.bounds.unwrap(), ViewDirection::Front, 1.0)
}

#[test]
fn the_graphics_card_skins_as_the_numbers_say() {
    let (sample, scene) = painted();
    let (low, high) = orange(&picture(&scene)).unwrap();
    let eye = front_camera(&scene).eye(1.0, scene.bounds.unwrap().radius());
    let projected =
        sample.character.instances().filter(|(_, i)| i.is_visible).flat_map(|(i, _)| {
            posed_positions(&sample.character, &scene.world, i)
                .map(|p| eye.clip_from_world.project_point3(p))
                .map(|p| (Vec3::new(p.x, -p.y, 0.0) * 0.5 + 0.5) * SIDE as f32)
                .collect::<Vec<_>>()
        });
    let expected = Bounds::of(projected).unwrap();
    let off = (low - expected.low.truncate()).abs().max((high - expected.high.truncate()).abs());
    assert!(off.max_element() < 2.0, "{low} {high} against {expected:?}");
}

#[test]
fn a_hidden_mesh_is_not_drawn() {
    let (sample, mut scene) = painted();
    scene.hidden = sample.character.instances().map(|(i, _)| i).collect();
    assert_eq!(orange(&picture(&scene)), None);
}

#[test]
fn joints_shine_through_the_skin() {
    let (_, mut scene) = painted();
    scene.paint = Arc::default();
    scene.shading = Shading::XRay;
    let center = scene.bounds.unwrap().center();
    let bone = |accent| BoneMark {
        node: NodeIndex(0),
        head: center - Vec3::Y * 0.4,
        tail: center + Vec3::Y * 0.4,
        accent,
    };
    scene.bones = vec![bone(Accent::Chain)];
    let (low, high) = orange(&picture(&scene)).unwrap();
    assert!(high.y - low.y > 10.0, "the joint is drawn from head to tail: {low} {high}");
}

#[test]
fn a_click_finds_the_skin_that_is_seen_there() {
    let (sample, scene) = painted();
    let camera = front_camera(&scene);
    let ray = camera.ray(Vec2::ZERO, 1.0);
    let hit = pick_skin(&scene, &ray).expect("the belly is in the middle of the picture");
    let (instance, vertex) = sample.character.locate(hit.vertex).unwrap();
    assert_eq!(instance, hit.instance);
    let position = posed_positions(&sample.character, &scene.world, instance).nth(vertex).unwrap();
    assert!(position.distance(hit.position) < 0.1);
    let behind = posed_positions(&sample.character, &scene.world, instance)
        .filter(|p| p.truncate().distance(hit.position.truncate()) < 0.02)
        .all(|p| p.z < hit.position.z + 0.03);
    assert!(behind, "it is the nearest skin, not the back");
}
