//! Smooth implicit bodies: round cones and ellipsoids that melt into each other.
//!
//! Based on: Bloomenthal and Shoemake, Convolution surfaces, 1991 (skeletal primitives); Quilez, Smooth minimum, 2013
//! (the quadratic one, whose reach is finite, so that far primitives may be left out exactly).

use glam::{Quat, Vec3};

/// One primitive; lengths in metres.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// A capsule whose radius runs from `ra` at `a` to `rb` at `b`; `flat` squeezes it along the unit vector `across`.
    Cone { a: Vec3, b: Vec3, ra: f32, rb: f32, across: Vec3, flat: f32 },
    /// An ellipsoid of half axes `radii`, turned by `rotation`.
    Ellipsoid { center: Vec3, radii: Vec3, rotation: Quat },
}

impl Shape {
    /// A round cone.
    pub(crate) const fn cone(a: Vec3, b: Vec3, ra: f32, rb: f32) -> Self {
        Self::Cone { a, b, ra, rb, across: Vec3::Z, flat: 1.0 }
    }

    /// A cone that is squeezed by `flat` along `across`.
    pub(crate) const fn flat_cone(
        ends: [Vec3; 2],
        radii: [f32; 2],
        across: Vec3,
        flat: f32,
    ) -> Self {
        Self::Cone { a: ends[0], b: ends[1], ra: radii[0], rb: radii[1], across, flat }
    }

    /// An ellipsoid with axes along x, y, z.
    pub(crate) const fn ball(center: Vec3, radii: Vec3) -> Self {
        Self::Ellipsoid { center, radii, rotation: Quat::IDENTITY }
    }

    /// An ellipsoid that is turned.
    pub(crate) const fn turned(center: Vec3, radii: Vec3, rotation: Quat) -> Self {
        Self::Ellipsoid { center, radii, rotation }
    }

    /// Distance-like value: negative inside, slope near one at the surface.
    fn value(&self, p: Vec3) -> f32 {
        match *self {
            Self::Cone { a, b, ra, rb, across, flat } => {
                let ab = b - a;
                let t = ((p - a).dot(ab) / ab.length_squared().max(1e-12)).clamp(0.0, 1.0);
                let v = p - a - ab * t;
                let radius = ra + (rb - ra) * t;
                if flat == 1.0 {
                    return v.length() - radius;
                }
                ((v + across * (v.dot(across) * (1.0 / flat - 1.0))).length() - radius) * flat
            }
            Self::Ellipsoid { center, radii, rotation } => {
                let q = rotation.conjugate() * (p - center);
                let k0 = (q / radii).length();
                let k1 = (q / (radii * radii)).length();
                if k1 < 1e-9 { -radii.min_element() } else { k0 * (k0 - 1.0) / k1 }
            }
        }
    }

    /// Value and gradient in one go.
    fn sample(&self, p: Vec3) -> (f32, Vec3) {
        match *self {
            Self::Cone { a, b, ra, rb, across, flat } => {
                let ab = b - a;
                let length_squared = ab.length_squared().max(1e-12);
                let t = (p - a).dot(ab) / length_squared;
                let is_within = (0.0..=1.0).contains(&t);
                let t = t.clamp(0.0, 1.0);
                let squeeze = 1.0 / flat - 1.0;
                let v = p - a - ab * t;
                let v = v + across * (v.dot(across) * squeeze);
                let length = v.length();
                let unit = v / length.max(1e-12);
                // Chain rule backwards through the squeeze, the projection on the axis, the taper.
                let mut g = unit + across * (unit.dot(across) * squeeze);
                if is_within {
                    g -= ab * ((g.dot(ab) + rb - ra) / length_squared);
                }
                ((length - ra - (rb - ra) * t) * flat, g * flat)
            }
            Self::Ellipsoid { center, radii, rotation } => {
                let q = rotation.conjugate() * (p - center);
                let square = radii * radii;
                let k0 = (q / radii).length();
                let k1 = (q / square).length();
                if k1 < 1e-9 {
                    return (-radii.min_element(), Vec3::ZERO);
                }
                let d0 = q / square / k0;
                let d1 = q / (square * square) / k1;
                let g = (d0 * ((2.0 * k0 - 1.0) * k1) - d1 * (k0 * (k0 - 1.0))) / (k1 * k1);
                (k0 * (k0 - 1.0) / k1, rotation * g)
            }
        }
    }

    /// The shape grown by `scale` about `center`.
    pub(crate) fn scaled_about(mut self, center: Vec3, scale: f32) -> Self {
        let moved = |p: &mut Vec3| *p = center + (*p - center) * scale;
        match &mut self {
            Self::Cone { a, b, ra, rb, .. } => {
                moved(a);
                moved(b);
                *ra *= scale;
                *rb *= scale;
            }
            Self::Ellipsoid { center: c, radii, .. } => {
                moved(c);
                *radii *= scale;
            }
        }
        self
    }

    /// A sphere around it.
    fn bounds(&self) -> (Vec3, f32) {
        match *self {
            Self::Cone { a, b, ra, rb, flat, .. } => {
                ((a + b) * 0.5, (b - a).length() * 0.5 + ra.max(rb) * flat.max(1.0))
            }
            Self::Ellipsoid { center, radii, .. } => (center, radii.max_element()),
        }
    }
}

/// Smooth minimum whose blend reaches as far as values differ by `k`.
fn smooth_min(a: f32, b: f32, k: f32) -> f32 {
    let h = (k - (a - b).abs()).max(0.0);
    a.min(b) - h * h / (4.0 * k.max(1e-9))
}

/// The same, with gradients.
fn smooth_min_sample(a: (f32, Vec3), b: (f32, Vec3), k: f32) -> (f32, Vec3) {
    let h = (k - (a.0 - b.0).abs()).max(0.0);
    let (low, high) = if a.0 <= b.0 { (a, b) } else { (b, a) };
    let share = h / (2.0 * k.max(1e-9));
    (low.0 - h * share * 0.5, low.1.lerp(high.1, share))
}

/// Primitives that blend among themselves by `blend`, and as one with the groups before them by `join`.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// Blend among the group's own primitives, metres.
    pub(crate) blend: f32,
    /// Blend with everything before, metres.
    pub(crate) join: f32,
    /// Cut away instead of added.
    pub(crate) is_carved: bool,
    /// What the group's skin is; see [`Field::label`].
    pub(crate) label: u16,
    /// Its primitives.
    pub(crate) shapes: Vec<Shape>,
}

/// A body: groups one after another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Field {
    /// In the order in which they join.
    pub(crate) groups: Vec<Group>,
}

impl Field {
    /// Adds a group.
    pub(crate) fn add(&mut self, label: u16, blend: f32, join: f32, shapes: Vec<Shape>) {
        self.groups.push(Group { blend, join, is_carved: false, label, shapes });
    }

    /// Cuts a group away.
    pub(crate) fn carve(&mut self, join: f32, shapes: Vec<Shape>) {
        self.groups.push(Group { blend: join, join, is_carved: true, label: 0, shapes });
    }

    /// Makes whatever is thinner than `least` that thick (half widths), so that a coarse mesh does not lose it.
    pub(crate) fn thicken(&mut self, least: f32) {
        for shape in self.groups.iter_mut().flat_map(|g| &mut g.shapes) {
            match shape {
                Shape::Cone { ra, rb, flat, .. } => {
                    *flat = flat.max(least / ra.max(*rb).max(least));
                    *ra = ra.max(least / *flat);
                    *rb = rb.max(least / *flat);
                }
                Shape::Ellipsoid { radii, .. } => *radii = radii.max(Vec3::splat(least)),
            }
        }
    }

    /// Negative inside.
    pub(crate) fn value(&self, p: Vec3) -> f32 {
        let mut total = f32::MAX;
        for group in &self.groups {
            let own = group
                .shapes
                .iter()
                .fold(f32::MAX, |sum, shape| smooth_min(sum, shape.value(p), group.blend));
            total = if group.is_carved {
                -smooth_min(-total, own, group.join)
            } else {
                smooth_min(total, own, group.join)
            };
        }
        total
    }

    /// Label of the group whose own surface is nearest.
    pub(crate) fn label(&self, p: Vec3) -> u16 {
        let mut best = (f32::MAX, 0);
        for group in self.groups.iter().filter(|g| !g.is_carved) {
            for shape in &group.shapes {
                let value = shape.value(p);
                if value < best.0 {
                    best = (value, group.label);
                }
            }
        }
        best.1
    }

    /// Value and gradient.
    fn sample(&self, p: Vec3) -> (f32, Vec3) {
        let nothing = (f32::MAX, Vec3::ZERO);
        let mut total = nothing;
        for group in &self.groups {
            let own = group
                .shapes
                .iter()
                .fold(nothing, |sum, shape| smooth_min_sample(sum, shape.sample(p), group.blend));
            total = if group.is_carved {
                let (value, g) = smooth_min_sample((-total.0, -total.1), own, group.join);
                (-value, -g)
            } else {
                smooth_min_sample(total, own, group.join)
            };
        }
        total
    }

    /// Unit outward normal.
    pub(crate) fn normal(&self, p: Vec3) -> Vec3 {
        self.sample(p).1.normalize_or(Vec3::Y)
    }

    /// The point of the surface near `p`: Newton's steps along the gradient, none longer than `most` metres.
    pub(crate) fn project(&self, mut p: Vec3, most: f32) -> Vec3 {
        for _ in 0..3 {
            let (value, g) = self.sample(p);
            let step = g * (value / g.length_squared().max(0.05));
            p -= step.clamp_length_max(most);
            if value.abs() < most * 1e-3 {
                break;
            }
        }
        p
    }

    /// Where the ray from `origin` (inside) along unit `direction` leaves the body; at most `far` away.
    pub(crate) fn exit(&self, origin: Vec3, direction: Vec3, far: f32) -> Vec3 {
        let n = 96;
        let mut last = 0.0;
        for i in 0..=n {
            let t = far * i as f32 / n as f32;
            if self.value(origin + direction * t) < 0.0 {
                last = t;
            }
        }
        let (mut low, mut high) = (last, last + far / n as f32);
        for _ in 0..12 {
            let mid = (low + high) * 0.5;
            if self.value(origin + direction * mid) < 0.0 {
                low = mid;
            } else {
                high = mid;
            }
        }
        origin + direction * low
    }

    /// The same body as far as it matters within `radius` of `center`; cheaper to ask.
    pub(crate) fn near(&self, center: Vec3, radius: f32) -> Self {
        let reach = self.groups.iter().map(|g| g.blend.max(g.join)).fold(0.0, f32::max);
        // Values of flattened shapes fall short of the distance, hence the room.
        let keep = |shape: &&Shape| {
            let (c, r) = shape.bounds();
            c.distance(center) - r < 1.5 * radius + 1.2 * reach
        };
        let groups = self
            .groups
            .iter()
            .map(|g| Group { shapes: g.shapes.iter().filter(keep).copied().collect(), ..*g })
            .filter(|g| !g.shapes.is_empty())
            .collect();
        Self { groups }
    }

    /// Lowest and highest corner that the surface can reach.
    pub(crate) fn bounds(&self) -> (Vec3, Vec3) {
        let mut low = Vec3::splat(f32::MAX);
        let mut high = Vec3::splat(f32::MIN);
        for group in self.groups.iter().filter(|g| !g.is_carved) {
            for shape in &group.shapes {
                let pad = Vec3::splat(group.join * 0.3);
                let (a, b) = match *shape {
                    Shape::Cone { a, b, ra, rb, flat, .. } => {
                        let r = ra.max(rb) * flat.max(1.0);
                        (a.min(b) - r, a.max(b) + r)
                    }
                    Shape::Ellipsoid { center, radii, rotation } => {
                        let r = if rotation == Quat::IDENTITY {
                            radii
                        } else {
                            Vec3::splat(radii.max_element())
                        };
                        (center - r, center + r)
                    }
                };
                low = low.min(a - pad);
                high = high.max(b + pad);
            }
        }
        (low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_balls() -> Field {
        let mut field = Field::default();
        let ball = |x: f32| Shape::ball(Vec3::new(x, 0.0, 0.0), Vec3::splat(0.5));
        field.add(1, 0.2, 0.2, vec![ball(-0.45)]);
        field.add(2, 0.2, 0.2, vec![ball(0.45)]);
        field
    }

    #[test]
    fn a_blend_fills_the_crease_and_nothing_else() {
        let field = two_balls();
        assert!(field.value(Vec3::new(0.0, 0.24, 0.0)) < 0.0, "inside the fillet");
        assert!((field.value(Vec3::new(-0.95, 0.0, 0.0))).abs() < 1e-6, "far from the crease");
        assert_eq!(field.label(Vec3::X), 2);
        assert_eq!(field.label(Vec3::NEG_X), 1);
    }

    #[test]
    fn projection_and_exit_meet_the_surface() {
        let field = two_balls();
        let p = field.project(Vec3::new(0.1, 0.4, 0.1), 0.1);
        assert!(field.value(p).abs() < 1e-4);
        let q = field.exit(Vec3::ZERO, Vec3::X, 2.0);
        assert!((q.x - 0.95).abs() < 1e-3, "{q}");
    }

    #[test]
    fn gradients_are_those_of_the_values() {
        let mut field = two_balls();
        let across = Vec3::new(0.6, 0.0, 0.8);
        let ends = [Vec3::ZERO, Vec3::new(0.1, 1.0, 0.2)];
        field.add(0, 0.1, 0.15, vec![Shape::flat_cone(ends, [0.3, 0.1], across, 0.5)]);
        let turn = Quat::from_rotation_x(0.4);
        let radii = Vec3::new(0.2, 0.3, 0.1);
        field.carve(0.1, vec![Shape::turned(Vec3::new(0.1, 0.5, 0.3), radii, turn)]);
        let h = 1e-3;
        for i in 0..60 {
            let a = i as f32;
            let p = Vec3::new((a * 0.37) % 1.0 - 0.5, (a * 0.61) % 1.4, (a * 0.83) % 0.8 - 0.3);
            let g = field.sample(p).1;
            for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                let (high, low) = (field.value(p + axis * h), field.value(p - axis * h));
                let d = (high - low) / (2.0 * h);
                // Inside, on the medial axis, there is a crease and no gradient.
                if (high + low - 2.0 * field.value(p)).abs() > 1e-4 {
                    continue;
                }
                assert!((d - g.dot(axis)).abs() < 0.02, "{p}: {d} against {}", g.dot(axis));
            }
            assert!((field.sample(p).0 - field.value(p)).abs() < 1e-5);
        }
    }

    #[test]
    fn the_near_part_of_a_body_is_the_same_there() {
        let field = two_balls();
        let near = field.near(Vec3::new(0.9, 0.0, 0.0), 0.1);
        let p = Vec3::new(0.85, 0.05, 0.0);
        assert_eq!(field.value(p), near.value(p));
    }
}
