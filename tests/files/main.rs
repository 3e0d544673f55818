//! Reading and writing files: the shared real ones, and every hard case as a file built here.
#![allow(clippy::unwrap_used, reason = "a test may stop where a file of ours cannot be read")]

#[path = "../common/mod.rs"]
mod common;

mod authoring;
mod colliders;
mod containers;
mod corpus;
mod edits;
mod hard_cases;
mod mutations;
mod vrm;
