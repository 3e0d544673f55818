//! Skins: joints and inverse bind matrices, as they stand.

use glam::Mat4;
use serde_json::Value;

use super::accessor::Accessors;
use super::json;
use super::nodes::NodeTree;
use crate::io::ReadError;
use crate::model::{FindingCode, Report};

/// A skin as the file has it.
#[derive(Clone, Debug)]
pub(super) struct RawSkin {
    pub name: String,
    /// File indices of the joints.
    pub joints: Vec<usize>,
    pub joint_from_mesh: Vec<Mat4>,
    pub has_binds: bool,
}

/// Reads every skin of the file.
///
/// # Errors
/// [`ReadError::Malformed`] where a joint does not exist.
pub(super) fn read(
    root: &Value,
    accessors: &Accessors<'_>,
    tree: &NodeTree,
    name: &str,
    report: &mut Report,
) -> Result<Vec<RawSkin>, ReadError> {
    let tops = tree.tops();
    let values = json::list(root, "skins");
    let mut skins = Vec::with_capacity(values.len());
    for (index, value) in values.iter().enumerate() {
        let subject = json::label("skin", index, Some(value));
        let mut joints = Vec::new();
        for joint in json::list(value, "joints") {
            let Some(joint) = json::as_index(joint).filter(|&j| j < tree.nodes.len()) else {
                return Err(ReadError::Malformed {
                    name: name.into(),
                    subject,
                    fault: format!(
                        "names joint {joint}, but there are only {} nodes",
                        tree.nodes.len()
                    ),
                });
            };
            joints.push(joint);
        }
        let (joint_from_mesh, has_binds) = binds(value, accessors, joints.len(), &subject, report);
        if joints
            .iter()
            .filter_map(|&j| tops.get(j))
            .any(|t| Some(t) != joints.first().and_then(|&j| tops.get(j)))
        {
            report.add(
                FindingCode::SkinNoCommonRoot,
                subject.clone(),
                "its joints hang under several roots",
            );
        }
        let outside: Vec<usize> =
            joints.iter().copied().filter(|&j| !tree.is_shown(j, tree.shown)).collect();
        if let Some(&first) = outside.first() {
            report.add(
                FindingCode::JointOutsideScene,
                subject,
                format!(
                    "{} of {} joints, the first is {}",
                    outside.len(),
                    joints.len(),
                    tree.label(first)
                ),
            );
        }
        let name = json::text(value, "name").unwrap_or_default().into();
        skins.push(RawSkin { name, joints, joint_from_mesh, has_binds });
    }
    Ok(skins)
}

/// One matrix for each joint, and whether the file gives any.
fn binds(
    skin: &Value,
    accessors: &Accessors<'_>,
    n_joints: usize,
    subject: &str,
    report: &mut Report,
) -> (Vec<Mat4>, bool) {
    let Some(index) = json::index(skin, "inverseBindMatrices") else {
        report.add(FindingCode::BindsMissing, subject, "identity is used");
        return (vec![Mat4::IDENTITY; n_joints], false);
    };
    match accessors.floats::<16>(index, "MAT4") {
        Ok(matrices) => {
            let mut binds: Vec<Mat4> = matrices.iter().map(Mat4::from_cols_array).collect();
            if binds.len() < n_joints {
                let text = format!("{} inverse bind matrices for {n_joints} joints", binds.len());
                report.add(FindingCode::BindUnusable, subject, text);
            }
            // A joint without a matrix is bound by none: that is what a matrix of zeros says.
            binds.resize(n_joints, Mat4::ZERO);
            (binds, true)
        }
        Err(fault) => {
            let text = format!("the inverse bind matrices cannot be read: {fault}");
            report.add(FindingCode::BindUnusable, subject, text);
            (vec![Mat4::IDENTITY; n_joints], false)
        }
    }
}
