//! The kernel against spec 2.0 written down literally: in f64, with joints' own frames, slerps and angles.

use glam::{DQuat, DVec3};

use super::*;

fn swing(a: DVec3, b: DVec3) -> DQuat {
    DQuat::from_rotation_arc(a, b)
}

/// glam's slerp approximates acos; this one does not.
fn slerp(a: DQuat, b: DQuat, s: f64) -> DQuat {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    let theta = 2.0 * libm::atan2((a - b).length(), (a + b).length());
    if theta < 1e-9 {
        return a;
    }
    ((a * libm::sin((1.0 - s) * theta) + b * libm::sin(s * theta)) * (1.0 / libm::sin(theta)))
        .normalize()
}

/// State of the literal solver.
struct Literal {
    settings: SpringSettings,
    neutral: Vec<DQuat>,
    bind: Vec<DVec3>,
    lengths: Vec<f64>,
    /// A_0 and u_i.
    a0: DQuat,
    aim: Vec<DVec3>,
    p: Vec<DVec3>,
    v: Vec<DVec3>,
    q: Vec<DQuat>,
    touched: Vec<bool>,
    floor: f64,
}

impl Literal {
    fn of(springs: &Springs) -> Self {
        let c = &springs.chains()[0];
        let t = &c.topology;
        let state = &springs.state()[0].links;
        Self {
            settings: c.settings,
            neutral: t.neutral.iter().map(|q| q.as_dquat().normalize()).collect(),
            bind: t.links.iter().map(|l| l.bind_direction.as_dvec3().normalize()).collect(),
            lengths: t.links.iter().map(|l| f64::from(l.length_m)).collect(),
            a0: t.body_from_anchor.as_dquat().normalize(),
            aim: springs
                .rest(0)
                .unwrap()
                .directions
                .iter()
                .map(|u| u.as_dvec3().normalize())
                .collect(),
            p: state.iter().map(|l| l.end.as_dvec3()).collect(),
            v: vec![DVec3::ZERO; t.links.len()],
            q: vec![DQuat::IDENTITY; t.links.len()],
            touched: vec![false; t.links.len()],
            floor: f64::from(t.floor_m) + 0.025,
        }
    }

    /// One substep with the anchor's world rotation and the head of the first link; joints' local rotations.
    fn step(&mut self, rotation: DQuat, root: DVec3, h: f64) -> Vec<DQuat> {
        let n = self.aim.len();
        let s = &self.settings;
        let snapshot = self.q.clone();
        let mut parent = rotation;
        let mut a = self.a0;
        let mut head = root;
        let forward = rotation * self.a0.conjugate() * DVec3::Z;
        let mut locals = Vec::new();
        for i in 0..n {
            let l = self.lengths[i];
            let r = a.conjugate() * self.aim[i];
            let omega = std::f64::consts::TAU * f64::from(s.frequency_hz.at(i, n));
            let zeta = f64::from(s.damping_ratio.at(i, n));
            let target = head + l * (parent * r);
            let gravity = DVec3::NEG_Y * f64::from(s.gravity);
            let pull = omega * omega * (target - self.p[i]) - 2.0 * zeta * omega * self.v[i];
            self.v[i] += h * (pull + gravity);
            let before = self.p[i].y;
            let step = h * self.v[i];
            self.p[i] += step;
            let mut d = (self.p[i] - head).normalize();

            // 3. In the common frame: coupling, limit.
            let mut q = a * swing(r, parent.conjugate() * d) * a.conjugate();
            if n > 1 && !self.touched[i] {
                let neighbours = match i {
                    0 => slerp(snapshot[1], DQuat::IDENTITY, 0.5),
                    i if i == n - 1 => snapshot[i - 1],
                    i => slerp(snapshot[i - 1], snapshot[i + 1], 0.5),
                };
                // Ours: the share of coupling near the floor.
                let height = (before - self.floor) / 0.05;
                let share = if s.ground { height.clamp(0.0, 1.0) } else { 1.0 };
                q = slerp(q, neighbours, share * (1.0 - (-f64::from(s.coupling_rate) * h).exp()));
            }
            let angle = 2.0 * q.w.abs().min(1.0).acos();
            let limit = f64::from(s.bend_limit_rad);
            let limited = angle > limit;
            if limited {
                q = slerp(DQuat::IDENTITY, q, limit / angle);
            }
            self.q[i] = q;
            d = parent * (a.conjugate() * q * a * r);

            // 4. The plane.
            let room = (root - head).dot(forward) / l;
            let plane = d.dot(forward) > room;
            if plane {
                let across = (d - d.dot(forward) * forward).normalize();
                d = (1.0 - room * room).sqrt() * across + room * forward;
            }
            // 5. The floor (these bodies stand upright, so that the plane is vertical).
            self.touched[i] = head.y + l * d.y < self.floor;
            if self.touched[i] {
                let u = ((self.floor - head.y) / l).clamp(-1.0, 1.0);
                let c = (1.0 - u * u).sqrt();
                let mut t = DVec3::new(d.x, 0.0, d.z).normalize();
                let tau = room / c;
                if t.dot(forward) > tau && tau >= -1.0 {
                    let across = (t - t.dot(forward) * forward).normalize();
                    t = tau * forward + (1.0 - tau * tau).sqrt() * across;
                }
                d = c * t + u * DVec3::Y;
            }
            // 6. The rope, and velocities.
            self.p[i] = head + l * d;
            let mut v = self.v[i];
            v -= v.dot(d) * d;
            if limited {
                let axis = DVec3::new(q.x, q.y, q.z) * q.w.signum();
                let way = (parent * (a.conjugate() * axis)).cross(d).normalize();
                v -= v.dot(way).max(0.0) * way;
            }
            if plane {
                v -= v.dot(forward).max(0.0) * forward;
            }
            if self.touched[i] {
                let slide = (-f64::from(s.slide_damping) * h).exp();
                v = slide * DVec3::new(v.x, v.y.max(0.0), v.z);
            }
            self.v[i] = v;
            // 7. The joint's rotation.
            let rest = parent * swing(self.bind[i], r) * self.neutral[i];
            let world = swing(parent * r, d) * rest;
            locals.push(parent.conjugate() * world);
            a = a * swing(self.bind[i], r) * self.neutral[i];
            parent = world;
            head = self.p[i];
        }
        locals
    }
}

#[test]
fn the_kernel_does_what_the_specification_says_literally() {
    let crouch =
        |t: f32| Affine3A::from_translation(Vec3::Y * -0.5 * (2.0 * t - 1.0).clamp(0.0, 1.0));
    let motions: [(&str, &dyn Fn(f32) -> Affine3A); 3] = [
        ("walk", &walk),
        ("sweep", &|t| sweep(t, 1.0, 0.3) * Affine3A::from_rotation_y(t.min(1.0))),
        ("crouch", &|t| crouch(t) * walk(t)),
    ];
    for (name, motion) in motions {
        let spec = TailSpec {
            hips_axes: super::rest::some_rotation(5),
            joint_axes: (0..=5).map(super::rest::some_rotation).collect(),
            ..TailSpec::straight(5, 0.9, Vec3::new(0.2, -1.0, -0.3))
        };
        let settings = SpringSettings { rest_curve: 0.4, ..SpringSettings::default() };
        let mut tail = spec.springs(settings);
        tail.springs.reset_at(&[tail.anchor(motion(0.0))]);
        let mut literal = Literal::of(&tail.springs);
        let h = 1.0 / 120.0;
        for k in 1..=240 {
            let moved = motion(k as f32 / 120.0);
            tail.step(moved);
            let anchor = tail.anchor(moved);
            let rotation = anchor.frame.as_dquat().normalize() * literal.a0;
            let locals = literal.step(rotation, anchor.head.as_dvec3(), h);
            for (i, (found, wanted)) in tail.rotations().iter().zip(&locals).enumerate() {
                let angle =
                    crate::math::rotation::angle_between(*found, wanted.as_quat()).to_degrees();
                assert!(angle < 0.002, "{name}, substep {k}, joint {i}: {angle}°");
                let (p, q) = (tail.springs.link(0, i).end, literal.p[i].as_vec3());
                assert!(p.distance(q) < 2e-4, "{name}, substep {k}, link {i}: {p}, not {q}");
            }
        }
        let touched = (0..5).any(|i| tail.springs.link(0, i).touched);
        assert_eq!(touched, name == "crouch", "{name} goes where it is meant to go");
    }
}
