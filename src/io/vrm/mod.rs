//! VRM 0 and VRM 1: what their metadata says about the character. Nothing of it is ever rewritten.

pub(crate) mod humanoid;

pub use humanoid::VrmKind;
