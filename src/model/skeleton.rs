//! Every node of a character, parents first.

use std::collections::BTreeMap;

use super::NodeIndex;
use crate::math::Transform;

/// One node: a joint, a mesh's place, a helper.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// As in the file, byte for byte; may be empty or stand twice.
    pub name: String,
    /// Always smaller than the node's own index.
    pub parent: Option<NodeIndex>,
    /// The loaded local transform: what the file says, which need not be the bind pose.
    pub local: Transform,
    /// Index in the file's `nodes`; `None` for a node that an edit made.
    pub source: Option<u32>,
}

/// All nodes, parents before children.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skeleton {
    nodes: Vec<Node>,
}

/// A skeleton that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SkeletonError {
    /// A node names a parent that does not stand before it.
    #[error("node {node} has parent {parent}, which does not stand before it")]
    ParentNotBefore {
        /// The node.
        node: u32,
        /// The parent it names.
        parent: u32,
    },
}

impl Skeleton {
    /// A skeleton of `nodes`, which must be parents first.
    ///
    /// # Errors
    /// [`SkeletonError::ParentNotBefore`] where they are not.
    pub fn new(nodes: Vec<Node>) -> Result<Self, SkeletonError> {
        let mut skeleton = Self { nodes: Vec::with_capacity(nodes.len()) };
        for node in nodes {
            skeleton.push(node)?;
        }
        Ok(skeleton)
    }

    /// Appends a node.
    ///
    /// # Errors
    /// [`SkeletonError::ParentNotBefore`] where its parent is not in the skeleton yet.
    pub fn push(&mut self, node: Node) -> Result<NodeIndex, SkeletonError> {
        let index = NodeIndex::from_index(self.nodes.len());
        if let Some(parent) = node.parent
            && parent >= index
        {
            return Err(SkeletonError::ParentNotBefore { node: index.0, parent: parent.0 });
        }
        self.nodes.push(node);
        Ok(index)
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node at all.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All nodes, parents first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// All indices, parents first.
    pub fn indices(
        &self,
    ) -> impl DoubleEndedIterator<Item = NodeIndex> + ExactSizeIterator + use<> {
        (0..self.nodes.len()).map(NodeIndex::from_index)
    }

    /// The node at `index`.
    ///
    /// # Panics
    /// Where the index is not of this skeleton: a fault of ours, never of a file.
    pub fn node(&self, index: NodeIndex) -> &Node {
        &self.nodes[index.index()]
    }

    /// Parent of a node.
    pub fn parent(&self, index: NodeIndex) -> Option<NodeIndex> {
        self.node(index).parent
    }

    /// Name of a node.
    pub fn name(&self, index: NodeIndex) -> &str {
        &self.node(index).name
    }

    /// The node's ancestors, nearest first, without itself.
    pub fn ancestors(&self, index: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        std::iter::successors(self.parent(index), |&n| self.parent(n))
    }

    /// Whether `node` is `ancestor` or hangs below it.
    pub fn is_within(&self, node: NodeIndex, ancestor: NodeIndex) -> bool {
        node == ancestor || self.ancestors(node).any(|n| n == ancestor)
    }

    /// Children of every node, in index order. Cost: O(N).
    pub fn children(&self) -> Vec<Vec<NodeIndex>> {
        let mut children = vec![Vec::new(); self.nodes.len()];
        for index in self.indices() {
            if let Some(parent) = self.parent(index)
                && let Some(list) = children.get_mut(parent.index())
            {
                list.push(index);
            }
        }
        children
    }

    /// First node of each name, for look-ups by name. Cost: O(N log N).
    pub fn by_name(&self) -> BTreeMap<&str, NodeIndex> {
        let mut map = BTreeMap::new();
        for index in self.indices() {
            map.entry(self.name(index)).or_insert(index);
        }
        map
    }

    /// The node that stands at `source` in the file.
    pub fn from_source(&self, source: u32) -> Option<NodeIndex> {
        self.indices().find(|&i| self.node(i).source == Some(source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, parent: Option<u32>) -> Node {
        Node {
            name: name.into(),
            parent: parent.map(NodeIndex),
            local: Transform::IDENTITY,
            source: None,
        }
    }

    #[test]
    fn a_parent_must_stand_before_its_child() {
        let error = Skeleton::new(vec![node("a", Some(1)), node("b", None)]).unwrap_err();
        assert_eq!(error, SkeletonError::ParentNotBefore { node: 0, parent: 1 });
        assert!(Skeleton::new(vec![node("a", Some(0))]).is_err(), "a node is not its own parent");
    }

    #[test]
    fn ancestors_run_from_the_nearest() {
        let s =
            Skeleton::new(vec![node("a", None), node("b", Some(0)), node("c", Some(1))]).unwrap();
        assert_eq!(s.ancestors(NodeIndex(2)).collect::<Vec<_>>(), [NodeIndex(1), NodeIndex(0)]);
        assert!(s.is_within(NodeIndex(2), NodeIndex(0)));
        assert!(!s.is_within(NodeIndex(0), NodeIndex(2)));
    }
}
