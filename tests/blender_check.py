"""Imports a baked GLB in Blender and compares the world rotations of its joints with what the file's keys say.

Blender gives bones axes of its own, so what is compared is how each joint turns from the first key on: the rotation from
its world orientation at the first key to that at a later one, which no choice of bone axes changes.
"""

import json
import struct
import sys

import bpy
import numpy as np
from mathutils import Matrix, Quaternion

LIMIT_DEG = 0.1


def read_glb(path):
    data = open(path, "rb").read()
    length = struct.unpack_from("<I", data, 12)[0]
    gltf = json.loads(data[20 : 20 + length])
    return gltf, data[20 + length + 8 :]


def accessor(gltf, binary, index):
    a = gltf["accessors"][index]
    view = gltf["bufferViews"][a["bufferView"]]
    n = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[a["type"]]
    assert a["componentType"] == 5126
    start = view.get("byteOffset", 0) + a.get("byteOffset", 0)
    return np.frombuffer(binary, "<f4", a["count"] * n, start).reshape(a["count"], n)


def local_rotations(gltf, binary, animation, time):
    rotations = {i: Quaternion() for i in range(len(gltf["nodes"]))}
    for i, node in enumerate(gltf["nodes"]):
        x, y, z, w = node.get("rotation", [0, 0, 0, 1])
        rotations[i] = Quaternion((w, x, y, z))
    for channel in animation["channels"]:
        if channel["target"].get("path") != "rotation":
            continue
        sampler = animation["samplers"][channel["sampler"]]
        times = accessor(gltf, binary, sampler["input"])[:, 0]
        values = accessor(gltf, binary, sampler["output"])
        k = int(np.clip(np.searchsorted(times, time + 1e-6) - 1, 0, len(times) - 1))
        j = min(k + 1, len(times) - 1)
        f = 0.0 if j == k else float(np.clip((time - times[k]) / (times[j] - times[k]), 0, 1))
        a, b = (Quaternion((v[3], v[0], v[1], v[2])) for v in (values[k].tolist(), values[j].tolist()))
        rotations[channel["target"]["node"]] = a.slerp(b, f)
    return rotations


def world_rotations(gltf, rotations):
    parents = {c: i for i, n in enumerate(gltf["nodes"]) for c in n.get("children", [])}
    result = {}

    def world(i):
        if i not in result:
            own = rotations[i]
            result[i] = world(parents[i]) @ own if i in parents else own
        return result[i]

    for i in rotations:
        world(i)
    return result


def angle_deg(q):
    """Angle of a rotation; by the sine, because the cosine says nothing of small angles."""
    return float(np.degrees(2 * np.arctan2(np.linalg.norm([q.x, q.y, q.z]), abs(q.w))))


def main(path):
    gltf, binary = read_glb(path)
    fps = 30
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = fps
    bpy.ops.import_scene.gltf(filepath=path)
    armature = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    joints = {j for s in gltf["skins"] for j in s["joints"]}
    y_up = Matrix.Rotation(np.pi / 2, 3, "X").to_quaternion()  # glTF's +Y up to Blender's +Z up
    worst = (-1.0, "", "")
    compared, largest_turn = 0, 0.0
    for animation in gltf["animations"]:
        action = next((a for a in bpy.data.actions if a.name.startswith(animation["name"])), None)
        assert action, f"Blender has no action {animation['name']}"
        armature.animation_data_create()
        armature.animation_data.action = action
        if hasattr(action, "slots") and len(action.slots):
            armature.animation_data.action_slot = action.slots[0]
        end = max(accessor(gltf, binary, s["input"])[-1, 0] for s in animation["samplers"])
        first_file, first_blender = None, None
        for frame in range(int(end * fps) + 1):
            bpy.context.scene.frame_set(frame)
            bpy.context.view_layer.update()
            file_pose = world_rotations(gltf, local_rotations(gltf, binary, animation, frame / fps))
            blender_pose = {
                b.name: (armature.matrix_world @ b.matrix).to_quaternion() for b in armature.pose.bones
            }
            if first_file is None:
                first_file, first_blender = file_pose, blender_pose
            for j in joints:
                name = gltf["nodes"][j]["name"]
                if name not in blender_pose:
                    continue
                turned_file = y_up @ file_pose[j] @ first_file[j].inverted() @ y_up.inverted()
                turned_blender = blender_pose[name] @ first_blender[name].inverted()
                angle = angle_deg(turned_file.inverted() @ turned_blender)
                largest_turn = max(largest_turn, angle_deg(turned_blender))
                compared += 1
                if angle > worst[0]:
                    worst = (angle, name, animation["name"])
    print(f"{compared} rotations compared, turns up to {largest_turn:.1f} deg; worst {worst[0]:.4f} deg at {worst[1]} in {worst[2]}")
    if largest_turn < 5.0:
        sys.exit(f"error: {path}: nothing moves in Blender, so nothing was compared")
    if worst[0] > LIMIT_DEG:
        sys.exit(f"error: {path}: Blender and the file disagree by more than {LIMIT_DEG} deg")


main(sys.argv[1])
