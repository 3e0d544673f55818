//! Indices, each its own type, so that a joint of a skin is never taken for a node of the skeleton.

use serde::{Deserialize, Serialize};

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// As a position in an array.
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// From a position in an array; arrays here stay far below 2³² entries.
            pub const fn from_index(index: usize) -> Self {
                Self(index as u32)
            }
        }
    };
}

index!(
    /// A node of a [`Skeleton`](super::Skeleton).
    NodeIndex
);
index!(
    /// A place in a skin's list of joints: what influences name.
    JointIndex
);
index!(
    /// A mesh of a character: one glTF primitive.
    MeshIndex
);
index!(
    /// A skin of a character.
    SkinIndex
);
index!(
    /// A mesh hung on a node, skinned or not.
    InstanceIndex
);
index!(
    /// A vertex of the character's whole surface: the vertices of all instances one after another, as in the file,
    /// not welded. See [`Character::surface_offsets`](super::Character::surface_offsets).
    SurfaceVertex
);
index!(
    /// A region that detection found, numbered from 0 by falling size.
    RegionId
);
