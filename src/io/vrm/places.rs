//! From the file's node indices to a character's nodes.

use std::collections::BTreeMap;

use crate::model::{NodeIndex, Skeleton};

/// Looks up nodes of one character by their index in the file.
pub(super) struct Places<'a> {
    skeleton: &'a Skeleton,
    by_source: BTreeMap<u32, NodeIndex>,
    children: Vec<Vec<NodeIndex>>,
}

impl<'a> Places<'a> {
    pub fn new(skeleton: &'a Skeleton) -> Self {
        let by_source =
            skeleton.indices().filter_map(|n| Some((skeleton.node(n).source?, n))).collect();
        Self { skeleton, by_source, children: skeleton.children() }
    }

    /// The node that stands at `source` in the file, where it is this character's.
    pub fn of(&self, source: usize) -> Option<NodeIndex> {
        self.by_source.get(&u32::try_from(source).ok()?).copied()
    }

    /// Its name.
    pub fn name(&self, node: NodeIndex) -> &str {
        self.skeleton.nodes().get(node.index()).map_or("", |n| n.name.as_str())
    }

    /// Its children, in the file's order.
    pub fn children(&self, node: NodeIndex) -> &[NodeIndex] {
        self.children.get(node.index()).map_or(&[], Vec::as_slice)
    }

    /// Whether it is, or hangs below, `ancestor`.
    pub fn is_within(&self, node: NodeIndex, ancestor: NodeIndex) -> bool {
        self.skeleton.is_within(node, ancestor)
    }
}
