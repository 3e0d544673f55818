//! Contact sheets: every clip as a row of small pictures, from the front and from the left.
//!
//! The body is drawn as balls along its bones, left limbs blue, right ones orange, so that a person sees at a glance
//! what the motion is and where it breaks.

use std::path::Path;
use std::sync::Arc;

use glam::{Quat, Vec3};
use tailbone::model::{Clip, Role};

use crate::shots::{Shot, shots};

const TILE: (usize, usize) = (100, 118);
const PIXELS_PER_METRE: f32 = 48.0;
const BACKGROUND: [u8; 3] = [236, 236, 232];
const LEFT: [f32; 3] = [0.35, 0.55, 0.95];
const RIGHT: [f32; 3] = [0.95, 0.55, 0.3];
const TRUNK: [f32; 3] = [0.7, 0.7, 0.7];
const SKIN: [f32; 3] = [0.85, 0.8, 0.7];

/// Bones that are drawn: from, to, radius at either end, colour.
const BONES: &[(Role, Role, f32, f32, [f32; 3])] = &[
    (Role::Hips, Role::Spine, 0.115, 0.105, TRUNK),
    (Role::Spine, Role::Chest, 0.105, 0.11, TRUNK),
    (Role::Chest, Role::UpperChest, 0.11, 0.12, TRUNK),
    (Role::UpperChest, Role::Neck, 0.11, 0.06, TRUNK),
    (Role::Neck, Role::Head, 0.05, 0.05, TRUNK),
    (Role::LeftUpperArm, Role::LeftLowerArm, 0.05, 0.04, LEFT),
    (Role::LeftLowerArm, Role::LeftHand, 0.04, 0.03, LEFT),
    (Role::LeftHand, Role::LeftMiddleDistal, 0.035, 0.025, LEFT),
    (Role::LeftUpperLeg, Role::LeftLowerLeg, 0.08, 0.06, LEFT),
    (Role::LeftLowerLeg, Role::LeftFoot, 0.055, 0.04, LEFT),
    (Role::LeftFoot, Role::LeftToes, 0.04, 0.03, LEFT),
    (Role::RightUpperArm, Role::RightLowerArm, 0.05, 0.04, RIGHT),
    (Role::RightLowerArm, Role::RightHand, 0.04, 0.03, RIGHT),
    (Role::RightHand, Role::RightMiddleDistal, 0.035, 0.025, RIGHT),
    (Role::RightUpperLeg, Role::RightLowerLeg, 0.08, 0.06, RIGHT),
    (Role::RightLowerLeg, Role::RightFoot, 0.055, 0.04, RIGHT),
    (Role::RightFoot, Role::RightToes, 0.04, 0.03, RIGHT),
];

/// A picture with depth.
struct Canvas {
    image: image::RgbImage,
    depth: Vec<f32>,
}

/// Where a tile lies and how the camera of its row looks.
struct View {
    x: usize,
    y: usize,
    turn: Quat,
    about: Vec3,
}

impl View {
    fn project(&self, p: Vec3) -> Vec3 {
        let q = self.turn * (p - self.about) * PIXELS_PER_METRE;
        let (centre, floor) = (self.x + TILE.0 / 2, self.y + TILE.1 - 14);
        Vec3::new(centre as f32 + q.x, floor as f32 - q.y, q.z)
    }
}

impl Canvas {
    fn new(width: usize, height: usize) -> Self {
        let image =
            image::RgbImage::from_pixel(width as u32, height as u32, image::Rgb(BACKGROUND));
        Self { image, depth: vec![f32::MIN; width * height] }
    }

    fn ball(&mut self, view: &View, centre: Vec3, radius: f32, colour: [f32; 3]) {
        let c = view.project(centre);
        let r = radius * PIXELS_PER_METRE;
        let width = self.image.width() as usize;
        let span = |middle: f32, from: usize, size: usize| {
            let low = (middle - r).floor().max(from as f32) as usize;
            low..(((middle + r).ceil() + 1.0).min((from + size) as f32).max(0.0) as usize)
        };
        for y in span(c.y, view.y, TILE.1) {
            for x in span(c.x, view.x, TILE.0) {
                let (dx, dy) = (x as f32 - c.x, y as f32 - c.y);
                let inside = r * r - dx * dx - dy * dy;
                if inside < 0.0 || c.z + inside.sqrt() <= self.depth[y * width + x] {
                    continue;
                }
                self.depth[y * width + x] = c.z + inside.sqrt();
                let normal = Vec3::new(dx, -dy, inside.sqrt()) / r;
                let light = 0.45 + 0.55 * normal.dot(Vec3::new(-0.4, 0.7, 0.6)).max(0.0);
                let pixel = colour.map(|v| (v * light * 255.0).min(255.0) as u8);
                self.image.put_pixel(x as u32, y as u32, image::Rgb(pixel));
            }
        }
    }

    fn rod(&mut self, view: &View, ends: [Vec3; 2], radii: [f32; 2], colour: [f32; 3]) {
        let n = ((ends[1] - ends[0]).length() * PIXELS_PER_METRE / 1.6).ceil().max(1.0) as usize;
        for k in 0..=n {
            let t = k as f32 / n as f32;
            let radius = radii[0] + (radii[1] - radii[0]) * t;
            self.ball(view, ends[0].lerp(ends[1], t), radius, colour);
        }
    }

    fn figure(&mut self, view: &View, shot: &Shot) {
        for i in -10..=10 {
            let away = i as f32 * 0.05;
            for p in [Vec3::new(away, 0.0, 0.0), Vec3::new(0.0, 0.0, away)] {
                self.ball(view, p + view.about * Vec3::new(1.0, 0.0, 1.0), 0.012, TRUNK);
            }
        }
        for &(from, to, a, b, colour) in BONES {
            self.rod(view, [shot.place(from), shot.place(to)], [a, b], colour);
        }
        let head = |y: f32, z: f32| shot.point(Role::Head, Vec3::new(0.0, y, z));
        self.ball(view, head(0.1, 0.015), 0.105, SKIN);
        self.rod(view, [head(0.09, 0.09), head(0.085, 0.135)], [0.03, 0.02], RIGHT);
    }
}

/// Draws rows of clips, `n` pictures each, into a PNG file. Names go to the file `path` with `.txt`, in their order.
pub fn draw(path: &Path, rows: &[(String, Arc<Clip>)], n: usize) {
    let height = 2 * TILE.1;
    let mut canvas = Canvas::new(TILE.0 * n, height * rows.len());
    for (row, (_, clip)) in rows.iter().enumerate() {
        let shots = shots(clip, if clip.looping { n } else { n - 1 });
        for (column, shot) in shots.iter().take(n).enumerate() {
            let hips = shot.place(Role::Hips);
            let is_off = hips.x.abs() > 0.7 || hips.z.abs() > 0.7;
            let aside = if is_off { Vec3::new(hips.x, 0.0, hips.z) } else { Vec3::ZERO };
            let about = aside + Vec3::Y * (hips.y - 1.4).max(0.0);
            for (line, degrees) in [-25.0_f32, -90.0].into_iter().enumerate() {
                let tilt = Quat::from_rotation_x(12_f32.to_radians());
                let view = View {
                    x: column * TILE.0,
                    y: row * height + line * TILE.1,
                    turn: tilt * Quat::from_rotation_y(degrees.to_radians()),
                    about,
                };
                canvas.figure(&view, shot);
            }
        }
    }
    canvas.image.save(path).unwrap();
    let names: Vec<&str> = rows.iter().map(|(name, _)| name.as_str()).collect();
    std::fs::write(path.with_extension("txt"), names.join("\n")).unwrap();
}
