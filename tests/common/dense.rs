//! Characters with denser meshes than anyone made them.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::DVec3;
use tailbone::model::{Character, Influences, Mesh};

/// The character with every edge of its skinned meshes cut in `n`, and every triangle in n². Vertices keep their numbers;
/// new ones come after those of their mesh.
pub fn denser(character: &Character, n: u32) -> Character {
    let mut result = character.clone();
    for mesh in result.meshes.iter_mut().filter(|m| m.influences.is_some()) {
        *mesh = cut(mesh, n);
    }
    result
}

fn cut(mesh: &Mesh, n: u32) -> Mesh {
    let mut positions = mesh.positions.to_vec();
    let old = mesh.influences.as_ref().unwrap();
    let mut influences = Influences::with_capacity(positions.len());
    for v in 0..old.len() {
        influences.push(old.of(v));
    }
    let mut triangles = Vec::with_capacity(mesh.triangles.len() * (n * n) as usize);
    // By the vertices they lie between, each with its share in n-ths; sorted, so that both copies of a split edge round
    // alike.
    let mut known: BTreeMap<Vec<(u32, u32)>, u32> = BTreeMap::new();
    for &corners in mesh.triangles.iter() {
        let mut at = |shares: [u32; 3]| {
            let mut of: Vec<(u32, u32)> =
                corners.into_iter().zip(shares).filter(|(_, share)| *share > 0).collect();
            if let [(v, _)] = of[..] {
                return v;
            }
            of.sort_unstable();
            *known.entry(of.clone()).or_insert_with(|| {
                let place = |&(v, share): &(u32, u32)| {
                    mesh.positions[v as usize].as_dvec3() * (f64::from(share) / f64::from(n))
                };
                positions.push(of.iter().map(place).sum::<DVec3>().as_vec3());
                let most = of.iter().copied().max_by_key(|&(v, share)| (share, v)).unwrap().0;
                influences.push(old.of(most as usize));
                positions.len() as u32 - 1
            })
        };
        for i in 0..n {
            for j in 0..n - i {
                let k = n - 1 - i - j;
                triangles.push([at([i + 1, j, k]), at([i, j + 1, k]), at([i, j, k + 1])]);
                if k > 0 {
                    let (a, b) = (at([i + 1, j, k]), at([i, j + 1, k]));
                    triangles.push([a, at([i + 1, j + 1, k - 1]), b]);
                }
            }
        }
    }
    Mesh {
        positions: Arc::new(positions),
        triangles: Arc::new(triangles),
        influences: Some(Arc::new(influences)),
        name: mesh.name.clone(),
        ..Mesh::default()
    }
}
