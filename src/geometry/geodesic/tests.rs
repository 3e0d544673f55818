//! Distances against the exact ones on plane, cylinder, cone and sphere.

use glam::Vec3;

use super::*;
use crate::math::{ops, stats};

/// A sheet of `nu × nv` vertices, put into space by `place`; odd rows are shifted so that no edge follows a straight
/// way for long, and every second diagonal is turned.
fn sheet(nu: u32, nv: u32, is_closed: bool, place: impl Fn(f32, f32) -> Vec3) -> MeshGraph {
    let mut positions = Vec::new();
    for j in 0..nv {
        for i in 0..nu {
            let shift = if j % 2 == 1 { 0.5 } else { 0.0 };
            positions.push(place((i as f32 + shift) / nu as f32, j as f32 / (nv - 1) as f32));
        }
    }
    let mut triangles = Vec::new();
    let columns = if is_closed { nu } else { nu - 1 };
    for j in 0..nv - 1 {
        for i in 0..columns {
            let at = |i: u32, j: u32| j * nu + i % nu;
            let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j + 1));
            if j % 2 == 0 {
                triangles.extend([[a, b, c], [b, d, c]]);
            } else {
                triangles.extend([[a, b, d], [a, d, c]]);
            }
        }
    }
    MeshGraph::new(positions, triangles)
}

/// Median relative error of the distances from `seed`, over vertices at least `nearest` away.
fn median_error(
    graph: &MeshGraph,
    seed: u32,
    nearest: f32,
    exact: impl Fn(Vec3, Vec3) -> f32,
) -> f32 {
    let found = distances(graph, &[(seed, 0.0)]);
    let from = graph.positions[seed as usize];
    let mut errors: Vec<f32> = graph
        .positions
        .iter()
        .zip(&found)
        .map(|(&p, &d)| (exact(from, p), d))
        .filter(|&(e, _)| e > nearest)
        .map(|(e, d)| (d - e).abs() / e)
        .collect();
    assert!(errors.len() > 100);
    stats::median(&mut errors)
}

const TAU: f32 = std::f32::consts::TAU;

fn wrapped(angle: f32) -> f32 {
    let a = angle.rem_euclid(TAU);
    a.min(TAU - a)
}

#[test]
fn on_a_plane_distances_are_straight() {
    let graph = sheet(40, 40, false, |u, v| Vec3::new(u, 0.3, v));
    let error = median_error(&graph, 20 * 40 + 13, 0.05, Vec3::distance);
    assert!(error < 1e-4, "median error {error}");
}

#[test]
fn on_a_cylinder_they_are_those_of_the_unrolled_sheet() {
    let (r, length) = (0.1, 1.0);
    let graph = sheet(32, 60, true, |u, v| {
        Vec3::new(r * ops::cos(u * TAU), v * length, r * ops::sin(u * TAU))
    });
    let error = median_error(&graph, 0, 0.05, |a, b| {
        let turn = wrapped(ops::atan2(b.z, b.x) - ops::atan2(a.z, a.x));
        (b.y - a.y).hypot(turn * r)
    });
    assert!(error < 0.02, "median error {error}");
}

#[test]
fn on_a_cone_they_are_those_of_the_unrolled_sector() {
    // Half-angle 30°: unrolled, the cone is half a disc.
    let graph = sheet(48, 60, true, |u, v| {
        let s = 0.2 + 0.8 * v;
        let (r, y) = (s * 0.5, s * 0.75_f32.sqrt());
        Vec3::new(r * ops::cos(u * TAU), y, r * ops::sin(u * TAU))
    });
    let error = median_error(&graph, 40 * 48, 0.05, |a, b| {
        let turn = wrapped(ops::atan2(b.z, b.x) - ops::atan2(a.z, a.x)) * 0.5;
        let (sa, sb) = (a.length(), b.length());
        (sa * sa + sb * sb - 2.0 * sa * sb * ops::cos(turn)).max(0.0).sqrt()
    });
    assert!(error < 0.02, "median error {error}");
}

#[test]
fn on_a_sphere_they_are_great_circles() {
    let graph = sheet(48, 40, true, |u, v| {
        let tilt = 0.05 + (std::f32::consts::PI - 0.1) * v;
        Vec3::new(
            ops::sin(tilt) * ops::cos(u * TAU),
            ops::cos(tilt),
            ops::sin(tilt) * ops::sin(u * TAU),
        )
    });
    let error = median_error(&graph, 20 * 48 + 5, 0.2, |a, b| ops::acos(a.dot(b)));
    assert!(error < 0.02, "median error {error}");
}

/// Exact distances from vertex 0 to every 29th vertex of the body of the peers' character (`peers_mesh.py`, 906
/// patches), by libigl 2.6's `exact_geodesic`; pygeodesic's agree to 1e-14.
const EXACT: &str = include_str!("exact.txt");

/// On the same vertices, medians in percent: plain edges 10.50 (scipy), fast marching 1.29, heat method 0.56
/// (potpourri3d).
#[test]
fn on_the_peers_body_the_median_error_is_below_one_percent() {
    let (around, along) = (60_u32, 144_u32);
    let at = |i: u32, j: u32| (i % around) * (along + 1) + j;
    let positions: Vec<Vec3> = (0..around)
        .flat_map(|i| (0..=along).map(move |j| (i, j)))
        .map(|(i, j)| {
            let (angle, t) = (i as f32 / around as f32 * TAU, j as f32 / along as f32);
            let r = 0.25 * (1.0 + 0.15 * ops::sin(6.0 * t)) * (1.0 - 0.5 * t);
            Vec3::new(r * ops::cos(angle), 1.7 * t, r * ops::sin(angle))
        })
        .collect();
    let quads = (0..around).flat_map(|i| (0..along).map(move |j| (i, j)));
    let triangles = quads.flat_map(|(i, j)| {
        let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j + 1));
        [[a, b, c], [b, d, c]]
    });
    let graph = MeshGraph::new(positions, triangles.collect());
    let found = distances(&graph, &[(0, 0.0)]);
    let exact = EXACT.split_whitespace().map(|word| word.parse::<f32>().unwrap());
    let mut errors: Vec<f32> = found
        .iter()
        .step_by(29)
        .zip(exact)
        .filter(|&(_, e)| e > 0.05)
        .map(|(d, e)| (d / e - 1.0).abs())
        .collect();
    assert!(errors.len() > 280);
    let median = stats::median(&mut errors);
    println!("median error {:.3} %", median * 100.0);
    assert!(median < 0.01, "{median}");
}

#[test]
fn from_a_ring_of_seeds_distance_runs_along_the_tube() {
    let graph =
        sheet(24, 50, true, |u, v| Vec3::new(0.1 * ops::cos(u * TAU), v, 0.1 * ops::sin(u * TAU)));
    let seeds: Vec<(u32, f32)> = (0..24).map(|v| (v, 0.0)).collect();
    for (p, d) in graph.positions.iter().zip(distances(&graph, &seeds)) {
        assert!((d - p.y).abs() <= 0.01 * p.y + 1e-5, "{d} at height {}", p.y);
    }
}

#[test]
fn a_seed_that_starts_late_only_adds_its_start() {
    let graph =
        sheet(24, 50, true, |u, v| Vec3::new(0.1 * ops::cos(u * TAU), v, 0.1 * ops::sin(u * TAU)));
    let seeds: Vec<(u32, f32)> = (0..24).map(|v| (v, 0.7)).collect();
    for (p, d) in graph.positions.iter().zip(distances(&graph, &seeds)) {
        assert!((d - 0.7 - p.y).abs() <= 0.01 * p.y + 1e-5, "{d} at height {}", p.y);
    }
}

#[test]
fn islands_without_a_seed_are_not_reached() {
    let mut graph = sheet(8, 8, false, |u, v| Vec3::new(u, 0.0, v));
    let n = graph.len() as u32;
    let shifted = graph.positions.iter().map(|p| *p + Vec3::X * 3.0).collect::<Vec<_>>();
    let triangles = graph.triangles.iter().map(|t| t.map(|v| v + n)).collect::<Vec<_>>();
    graph = MeshGraph::new(
        [graph.positions.clone(), shifted].concat(),
        [graph.triangles.clone(), triangles].concat(),
    );
    let alone = distances(&graph, &[(0, 0.0)]);
    assert!(alone[n as usize..].iter().all(|d| d.is_infinite()));
    assert!(alone[..n as usize].iter().all(|d| d.is_finite()));
}

#[test]
fn distances_scale_with_the_mesh() {
    let make = |scale: f32| {
        sheet(16, 20, true, move |u, v| {
            Vec3::new(0.1 * ops::cos(u * TAU), v, 0.1 * ops::sin(u * TAU)) * scale
        })
    };
    let one = distances(&make(1.0), &[(7, 0.0)]);
    let many = distances(&make(64.0), &[(7, 0.0)]);
    for (a, b) in one.iter().zip(&many) {
        assert!((a * 64.0 - b).abs() <= 1e-4 * b, "{a} {b}");
    }
}
