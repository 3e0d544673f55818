// Records what @pixiv/three-vrm-springbone does on a swinging chain with colliders: `node vrm_springs.mjs > vrm_springs.json`.
//
// The recording is what `motion::tests::vrm_app` compares our VRM rule with; tests/run.sh records it anew and compares.
import { createRequire } from "node:module";

// By require, because import does not look in NODE_PATH.
const require = createRequire(import.meta.url);
const THREE = require("three");
const { VRMSpringBoneManager, VRMSpringBoneJoint, VRMSpringBoneCollider, VRMSpringBoneColliderShapeSphere,
  VRMSpringBoneColliderShapeCapsule, VRMSpringBoneColliderShapePlane } = require("@pixiv/three-vrm-springbone");

const RATE = 120, SECONDS = 5, EVERY = 20, JOINTS = 6;

function bone(parent, position, rotation) {
  const b = new THREE.Bone();
  b.position.set(...position);
  if (rotation) b.rotation.set(...rotation);
  parent.add(b);
  return b;
}

function run({ center, colliders, settings }) {
  const scene = new THREE.Scene();
  const hips = bone(scene, [0, 1, 0]);
  const chest = bone(hips, [0, 0.35, 0]);
  const head = bone(chest, [0, 0.25, 0]);
  const shapes = [];
  const put = (node, shape) => {
    const collider = new VRMSpringBoneCollider(shape);
    node.add(collider);
    shapes.push(collider);
  };
  const v = (x, y, z) => new THREE.Vector3(x, y, z);
  if (colliders) {
    put(head, new VRMSpringBoneColliderShapeSphere({ offset: v(0, 0.02, 0.02), radius: 0.1 }));
    put(chest, new VRMSpringBoneColliderShapeCapsule({ offset: v(0.15, 0.1, 0), tail: v(-0.15, 0.1, 0), radius: 0.09 }));
    put(hips, new VRMSpringBoneColliderShapePlane({ offset: v(0, 0, -0.02), normal: v(0, 0.28, -0.96) }));
    put(head, new VRMSpringBoneColliderShapeSphere({ offset: v(0, -0.1, -0.1), radius: 0.45, inside: true }));
  }
  const bones = [];
  let at = head;
  for (let j = 0; j <= JOINTS; j++) {
    at = bone(at, j === 0 ? [0.02, 0.06, -0.11] : [0.008, -0.06, -0.012], j < 3 ? [0.1, 0.2 * j, -0.15] : null);
    bones.push(at);
  }
  scene.updateMatrixWorld(true);
  const manager = new VRMSpringBoneManager();
  for (let j = 0; j < JOINTS; j++) {
    const joint = new VRMSpringBoneJoint(bones[j], bones[j + 1], settings(j), [{ colliders: shapes }]);
    if (center) joint.center = hips;
    manager.addJoint(joint);
  }
  manager.setInitState();
  const frames = [];
  for (let n = 1; n <= RATE * SECONDS; n++) {
    const t = n / RATE;
    hips.position.set(0.15 * Math.sin(t * 2.1), 1 + 0.05 * Math.sin(t * 6), 0.3 * Math.sin(t));
    chest.rotation.set(0.1 * Math.sin(t * 3), 0.2 * Math.sin(t * 2), 0);
    head.rotation.set(0.3 * Math.sin(t * 4), 0.8 * Math.sin(t * 2.7), 0.1 * Math.sin(t * 5));
    manager.update(1 / RATE);
    if (n % EVERY === 0) {
      scene.updateMatrixWorld(true);
      const p = v(0, 0, 0);
      frames.push(bones.slice(1).map((b) => p.setFromMatrixPosition(b.matrixWorld).toArray().map((x) => +x.toFixed(7))));
    }
  }
  return { center, colliders, frames };
}

const hair = (j) => ({ hitRadius: 0.02, stiffness: 1.0 - 0.08 * j, gravityPower: 0.3, gravityDir: new THREE.Vector3(0, -1, 0), dragForce: 0.4 });
const loose = (j) => ({ hitRadius: 0.01 + 0.002 * j, stiffness: 0.4, gravityPower: 0.5, gravityDir: new THREE.Vector3(0.6, -0.8, 0), dragForce: 0.15 });
const cases = [
  { center: false, colliders: false, settings: hair },
  { center: false, colliders: true, settings: hair },
  { center: true, colliders: true, settings: loose },
  { center: false, colliders: true, settings: loose },
].map(run);
const rows = cases.map((c) => JSON.stringify(c));
console.log(`[\n${rows.join(",\n")}\n]`);
