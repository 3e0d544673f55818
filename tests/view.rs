//! Pictures without a window: what the graphics card makes of a scene, against what the numbers say.
#![cfg(feature = "app")]
#![allow(clippy::unwrap_used, reason = "tests stop where something is missing")]

use std::sync::Arc;

use glam::{Quat, Vec2, Vec3};
use image::RgbaImage;
use tailbone::model::{
    AlphaMode, BindPose, Character, Finish, Image, Material, Mesh, MeshIndex, MeshInstance,
    MorphTarget, Node, NodeIndex, RegionKind, Rigged, Rim, Role, ShadingEffect, ShadingPicture,
    Skeleton, TextureUse, Toon, WorldPose, Wrap,
};
use tailbone::samples::{Sample, family, generate, glb};
use tailbone::studio::scene::{
    Accent, BoneMark, Bounds, Heat, HeatScale, MorphWeights, Paint, RegionMark, Scene, Shading,
    posed_positions,
};
use tailbone::view::{Look, OrbitCamera, Picture, ViewDirection, pick_skin, render};
use tailbone::work::Work;

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
    let mark = RegionMark { kind: Some(RegionKind::Tail), is_selected: true, is_marked: false };
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

/// A square metre that faces +Z, its upper left corner at the picture's.
fn square(material: Material, picture: &RgbaImage) -> Scene {
    let corners = [(-0.5, 0.5), (0.5, 0.5), (0.5, -0.5), (-0.5, -0.5)];
    let positions = corners.map(|(x, y)| Vec3::new(x, y, 0.0)).to_vec();
    let uvs = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(Vec2::from).to_vec();
    let mut png = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut png, image::ImageFormat::Png).unwrap();
    let mut skeleton = Skeleton::default();
    let local = tailbone::math::Transform::default();
    skeleton.push(Node { name: String::new(), parent: None, local, source: None }).unwrap();
    let mesh = Mesh {
        positions: Arc::new(positions),
        triangles: Arc::new(vec![[0, 3, 1], [1, 3, 2]]),
        uvs: Arc::new(uvs),
        material: Some(0),
        ..Mesh::default()
    };
    let instance =
        MeshInstance { mesh: MeshIndex(0), node: NodeIndex(0), skin: None, is_visible: true };
    let image = Image { name: "test".into(), bytes: png.into_inner().into() };
    let character = Character {
        skeleton,
        meshes: vec![mesh],
        instances: vec![instance],
        materials: Arc::new(vec![material]),
        images: Arc::new(vec![image]),
        ..Character::default()
    };
    let world = Arc::new(character.loaded_world());
    let bounds = Some(Bounds { low: Vec3::splat(-0.5), high: Vec3::splat(0.5) });
    Scene { character: Arc::new(character), world, bounds, floor_m: -9.0, ..Scene::default() }
}

/// The square's picture, as it is.
fn texture() -> TextureUse {
    let picture_from_uv = Default::default();
    TextureUse { image: 0, wrap: [Wrap::Clamp; 2], is_pixelated: true, picture_from_uv }
}

fn shown_as_it_is(alpha: AlphaMode) -> Material {
    let (texture, finish) = (Some(texture()), Finish::Unlit);
    Material { texture, finish, alpha, ..Material::default() }
}

/// Red, green / blue, white with the alpha of `white`.
fn four(white: u8) -> RgbaImage {
    let colors = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 255, white]];
    RgbaImage::from_fn(2, 2, |x, y| image::Rgba(colors[(x + 2 * y) as usize]))
}

/// The colours in the middles of the square's quarters: upper left, upper right, lower left, lower right.
fn quarters(scene: &Scene, direction: ViewDirection) -> [[u8; 3]; 4] {
    let look = Look::parse(include_str!("../assets/theme/dark.ron")).unwrap();
    let bounds = Bounds { low: Vec3::splat(-0.5), high: Vec3::splat(0.5) };
    let mut scene = scene.clone();
    scene.bounds = Some(bounds);
    let image = render(&scene, &Picture { size: [SIDE, SIDE], direction, look }).unwrap();
    let mut camera = OrbitCamera::framing(&bounds, direction, 1.0);
    camera.look_from(direction);
    let eye = camera.eye(1.0, bounds.radius());
    let mirrored = if direction == ViewDirection::Back { -1.0 } else { 1.0 };
    [(-0.25, 0.25), (0.25, 0.25), (-0.25, -0.25), (0.25, -0.25)].map(|(x, y)| {
        let p = eye.pixel(Vec3::new(x * mirrored, y, 0.0), Vec2::splat(SIDE as f32)).unwrap();
        let pixel = image.get_pixel(p.x as u32, SIDE - 1 - p.y as u32).0;
        [pixel[0], pixel[1], pixel[2]]
    })
}

fn near(a: [u8; 3], b: [u8; 3]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= 3)
}

#[test]
fn a_picture_stands_upright_and_keeps_its_colours_where_no_light_falls() {
    let scene = square(shown_as_it_is(AlphaMode::Opaque), &four(255));
    let expected = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]];
    let seen = quarters(&scene, ViewDirection::Front);
    for (seen, expected) in seen.into_iter().zip(expected) {
        assert!(near(seen, expected), "{seen:?} {expected:?}");
    }
}

#[test]
fn alpha_cuts_blends_or_counts_for_nothing_as_the_material_says() {
    let white = |alpha: AlphaMode, of: u8| {
        let [_, _, blue, white] =
            quarters(&square(shown_as_it_is(alpha), &four(of)), ViewDirection::Front);
        assert!(near(blue, [0, 0, 255]), "what is solid stays: {blue:?}");
        white
    };
    assert!(near(white(AlphaMode::Opaque, 100), [255; 3]));
    assert!(near(white(AlphaMode::Mask(0.3), 100), [255; 3]));
    let behind = white(AlphaMode::Mask(0.5), 100);
    assert!(behind.iter().all(|c| *c < 90), "a hole shows the backdrop: {behind:?}");
    let mixed = white(AlphaMode::Blend, 100);
    for (mixed, behind) in mixed.into_iter().zip(behind) {
        let expected = f32::from(behind) + (255.0 - f32::from(behind)) * 100.0 / 255.0;
        assert!((f32::from(mixed) - expected).abs() < 4.0, "{mixed} {expected}");
    }
}

#[test]
fn a_surface_of_one_side_is_not_seen_from_behind() {
    let mut material = shown_as_it_is(AlphaMode::Opaque);
    let seen = |material: &Material| {
        quarters(&square(material.clone(), &four(255)), ViewDirection::Back)[0]
    };
    assert!(seen(&material).iter().all(|c| *c < 90), "{:?}", seen(&material));
    material.is_double_sided = true;
    assert!(near(seen(&material), [0, 255, 0]), "{:?}", seen(&material));
}

#[test]
fn a_picture_that_cannot_be_read_leaves_clay() {
    let scene = broken(square(shown_as_it_is(AlphaMode::Opaque), &four(255)));
    let [r, g, b] = quarters(&scene, ViewDirection::Front)[0];
    assert!(r > 120 && r.abs_diff(b) < 20 && r.abs_diff(g) < 20, "{r} {g} {b}");
}

#[test]
fn a_morph_target_moves_what_is_drawn() {
    let mut scene = square(shown_as_it_is(AlphaMode::Opaque), &four(255));
    let mut character = (*scene.character).clone();
    // The right edge swings over to the left: nothing is left of the square.
    let positions = [0.0, -1.0, -1.0, 0.0].map(|x| Vec3::new(x, 0.0, 0.0)).to_vec();
    let target = MorphTarget { positions, ..MorphTarget::default() };
    character.meshes[0].morphs = Arc::new(vec![target]);
    scene.character = Arc::new(character);
    let red = |scene: &Scene| near(quarters(scene, ViewDirection::Front)[0], [255, 0, 0]);
    assert!(red(&scene), "without weights the mesh is as it is");
    scene.morphs = Arc::new(MorphWeights(vec![(NodeIndex(0), vec![1.0])]));
    assert!(!red(&scene));
}

#[test]
fn a_heat_is_the_ramps_colour_and_nothing_of_the_picture() {
    let mut scene = square(shown_as_it_is(AlphaMode::Opaque), &four(255));
    let scale =
        HeatScale { title: "test", unit: "", low: 2.0, high: 4.0, decimals: 1, threshold: None };
    for (value, share) in [(2.0, 0.0), (3.0, 0.5), (9.0, 1.0)] {
        scene.paint = Arc::new(Paint::Heat(Heat { values: vec![value; 4], scale }));
        let ramp = tailbone::view::heat(share);
        let seen = quarters(&scene, ViewDirection::Front)[0].map(|c| f32::from(c) / 255.0);
        let seen = Vec3::from(seen);
        // Light and shade may change the brightness a little, never the hue.
        let cos = seen.normalize().dot(ramp.normalize());
        assert!(cos > 0.985, "{value}: {seen} {ramp}");
    }
}

#[test]
fn mtoon_has_two_tones_and_its_shift_moves_the_edge_between_them() {
    // The key light meets the square at 60°: its cosine is 0.5.
    let seen = |toony: f32, shift: f32| {
        let toon = Toon { shade_color: Vec3::Z, toony, shift, ..Toon::default() };
        quarters(&drawn(Vec3::X, toon), ViewDirection::Front)[0]
    };
    assert!(near(seen(0.9, 0.0), [255, 0, 0]), "lit: {:?}", seen(0.9, 0.0));
    assert!(near(seen(0.9, -0.9), [0, 0, 255]), "in the shade: {:?}", seen(0.9, -0.9));
    // Half of each in linear light is 188 of 255.
    assert!(near(seen(0.0, -0.5), [188, 0, 188]), "between: {:?}", seen(0.0, -0.5));
}

/// A square without a picture of its own, drawn so.
fn drawn(base_color: Vec3, toon: Toon) -> Scene {
    let (base_color, finish) = (base_color.extend(1.0), Finish::Toon(toon));
    square(Material { base_color, finish, ..Material::default() }, &four(255))
}

/// The same with a picture that cannot be read.
fn broken(mut scene: Scene) -> Scene {
    let mut character = (*scene.character).clone();
    character.images = Arc::new(vec![Image { name: "x".into(), bytes: vec![1, 2, 3].into() }]);
    scene.character = Arc::new(character);
    scene
}

#[test]
fn a_picture_moves_the_edge_between_the_tones_of_mtoon() {
    // The cosine of the light is 0.5, and the share of the light half of one more than what comes of that.
    let scene = |shift: f32, effect| {
        let shading = Some(ShadingPicture { picture: texture(), effect });
        let toon = Toon { shade_color: Vec3::Z, toony: 0.0, shift, shading, ..Toon::default() };
        drawn(Vec3::X, toon)
    };
    // Red is full in the first and the last quarter, and lacks in the others.
    let (full, lacking) = ([0, 3], [1, 2]);
    let check = |scene: &Scene, places: [usize; 2], expected: [u8; 3]| {
        let seen = quarters(scene, ViewDirection::Front);
        for place in places {
            assert!(near(seen[place], expected), "{place}: {:?} {expected:?}", seen[place]);
        }
    };
    // Three quarters and one quarter in linear light are 225 and 137 of 255.
    let shifted = scene(-1.0, ShadingEffect::Shift(1.0));
    check(&shifted, full, [225, 0, 137]);
    check(&shifted, lacking, [137, 0, 225]);
    // Half of 1.5 is a cosine of -0.25: three eighths and five eighths are 165 and 207.
    let graded = scene(0.0, ShadingEffect::Grade(0.5));
    check(&graded, full, [225, 0, 137]);
    check(&graded, lacking, [165, 0, 207]);
    let broken = broken(graded);
    check(&broken, full, [225, 0, 137]);
    check(&broken, lacking, [225, 0, 137]);
}

#[test]
fn a_picture_multiplies_the_rim_of_mtoon() {
    // Lifted to the full, a white rim shines all over.
    let picture = Some(texture());
    let rim = Rim { color: Vec3::ONE, power: 1.0, lift: 1.0, lighting_mix: 0.0, picture };
    let scene = drawn(Vec3::ZERO, Toon { rim, ..Toon::default() });
    let expected = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]];
    for (seen, expected) in quarters(&scene, ViewDirection::Front).into_iter().zip(expected) {
        assert!(near(seen, expected), "{seen:?} {expected:?}");
    }
    let white = quarters(&broken(scene), ViewDirection::Front);
    assert!(white.into_iter().all(|c| near(c, [255; 3])), "{white:?}");
}

/// The head of the woman with layered hair, which is drawn with lines 1.5 mm wide.
fn layered() -> Scene {
    let bytes = glb(&generate("layered").unwrap());
    let loaded = tailbone::io::read_bytes(bytes, "layered", None, &Work::default()).unwrap();
    let character = loaded.characters.into_iter().next().unwrap();
    let bind = BindPose::of(&character, None);
    let world = bind.world.clone();
    let mut scene = Scene::of(&Rigged { character, bind, ..Rigged::default() }, world);
    let top = scene.bounds.unwrap().high.y;
    let (low, high) = (Vec3::new(-0.2, top - 0.45, -0.2), Vec3::new(0.2, top, 0.2));
    scene.bounds = Some(Bounds { low, high });
    scene
}

/// A picture on a light ground, in which dark lines are seen.
fn on_light(scene: &Scene) -> RgbaImage {
    let look = Look::parse(include_str!("../assets/theme/light.ron")).unwrap();
    render(scene, &Picture { size: [2 * SIDE; 2], direction: ViewDirection::Front, look }).unwrap()
}

#[test]
fn outlines_darken_the_edges_of_what_is_drawn_and_off_it_is_as_without_them() {
    let mut scene = layered();
    let on = on_light(&scene);
    let all = scene.character.instances().map(|(i, _)| i);
    scene.without_outline = all.collect();
    let off = on_light(&scene);
    let brightness = |p: &image::Rgba<u8>| p.0[..3].iter().map(|c| i32::from(*c)).sum::<i32>();
    let change = || on.pixels().zip(off.pixels()).map(|(a, b)| brightness(a) - brightness(b));
    let darker = change().filter(|d| *d < -75).count();
    let brighter = change().filter(|d| *d > 75).count();
    assert!(darker > 400, "{darker} pixels are darker");
    assert!(brighter * 20 < darker, "{brighter} are brighter, {darker} darker");
    // The same materials without a line.
    let mut character = (*scene.character).clone();
    let mut materials = character.materials.to_vec();
    for material in &mut materials {
        if let Finish::Toon(toon) = &mut material.finish {
            assert!(toon.outline.take().is_some());
        }
    }
    character.materials = Arc::new(materials);
    scene.character = Arc::new(character);
    scene.without_outline.clear();
    assert!(on_light(&scene) == off, "a switch that is off leaves nothing behind");
}

#[test]
fn numbers_and_x_ray_are_shown_without_outlines() {
    let mut scene = layered();
    let n = scene.character.surface_offsets().last().copied().unwrap() as usize;
    let scale =
        HeatScale { title: "test", unit: "", low: 0.0, high: 1.0, decimals: 1, threshold: None };
    for heats in [true, false] {
        let paint = Paint::Heat(Heat { values: vec![0.5; n], scale });
        scene.paint = if heats { Arc::new(paint) } else { Arc::default() };
        scene.shading = if heats { Shading::Lit } else { Shading::XRay };
        scene.without_outline.clear();
        let on = on_light(&scene);
        scene.without_outline = scene.character.instances().map(|(i, _)| i).collect();
        assert!(on == on_light(&scene), "numbers: {heats}");
    }
}
