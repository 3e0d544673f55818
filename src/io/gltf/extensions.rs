//! Which required extensions stand in the way of a character's geometry, skeleton and clips.

use serde_json::Value;

use super::json;
use crate::io::ReadError;
use crate::model::{FindingCode, Report};

enum Concern {
    /// We read it.
    Read,
    /// It changes only what the character looks like.
    Look,
    /// It changes nothing we read.
    Beside,
    Blocked {
        why: &'static str,
        advice: &'static str,
    },
}

fn concern(name: &str) -> Concern {
    const LOOK: &[&str] = &[
        "KHR_materials_",
        "KHR_texture_",
        "KHR_lights_",
        "EXT_lights_",
        "EXT_texture_",
        "MSFT_texture_",
        "MSFT_packing_",
        "ADOBE_materials_",
        "FB_materials_",
        "GOOGLE_texture_",
        "VRMC_materials_",
        "KHR_techniques_webgl",
        "EXT_materials_",
        "NV_materials_",
        "KHR_environment_map",
    ];
    const BESIDE: &[&str] = &[
        "KHR_xmp",
        "KHR_animation_pointer",
        "KHR_audio",
        "KHR_node_",
        "KHR_interactivity",
        "KHR_physics",
        "KHR_collision",
        "KHR_implicit",
        "MSFT_lod",
        "EXT_mesh_features",
        "EXT_structural_metadata",
        "EXT_property",
        "VRMC_",
        "OMI_",
        "MOZ_",
        "AGI_",
        "CESIUM_primitive",
        "EXT_mesh_manifold",
        "MSFT_audio",
    ];
    match name {
        "VRM" | "KHR_mesh_quantization" => Concern::Read,
        "EXT_meshopt_compression" | "KHR_meshopt_compression" => {
            if cfg!(feature = "meshopt") {
                Concern::Read
            } else {
                Concern::Blocked {
                    why: "which this build of Tailbone cannot decode",
                    advice: "build it with the feature meshopt, or run `npx @gltf-transform/cli dequantize` and export uncompressed",
                }
            }
        }
        "KHR_draco_mesh_compression" => Concern::Blocked {
            why: "which stores the meshes in Draco's format, not decoded here",
            advice: "import it into Blender and export without compression, or run `npx gltf-pipeline -i IN.glb -o OUT.glb`",
        },
        _ if LOOK.iter().any(|prefix| name.starts_with(prefix)) => Concern::Look,
        _ if BESIDE.iter().any(|prefix| name.starts_with(prefix)) => Concern::Beside,
        _ => Concern::Blocked {
            why: "an extension Tailbone does not know",
            advice: "export the file without it, for example from Blender",
        },
    }
}

/// Refuses the file where a required extension blocks the way.
pub(super) fn check(root: &Value, name: &str, report: &mut Report) -> Result<(), ReadError> {
    for extension in json::list(root, "extensionsRequired").iter().filter_map(Value::as_str) {
        match concern(extension) {
            Concern::Read | Concern::Beside => {}
            Concern::Look => report.add(
                FindingCode::ExtensionIgnored,
                format!("extension {extension}"),
                "concerns only the look; it is kept in the file",
            ),
            Concern::Blocked { why, advice } => {
                let extension = extension.into();
                return Err(ReadError::ExtensionRequired {
                    name: name.into(),
                    extension,
                    why,
                    advice,
                });
            }
        }
    }
    Ok(())
}
