//! Tailbone finds the tails, capes and hair that a humanoid auto-rigger gave no joints to, grows joint chains for
//! them, drives the chains with springs, measures the result and writes files whose baked motion loops.
//!
//! The data's way through the house: [`io`] reads → [`detect`] finds → [`rig`] builds → [`perform`] moves →
//! [`measure`] and [`bake`] watch → [`io`] writes. `ARCHITECTURE.md` draws the floors.

#![cfg_attr(not(feature = "app"), forbid(unsafe_code))]

#[cfg(feature = "app")]
pub mod app;
pub mod bake;
pub mod cli;
pub mod clips;
pub mod detect;
pub mod document;
pub mod geometry;
pub mod io;
pub mod library;
pub mod math;
pub mod measure;
pub mod model;
pub mod motion;
pub mod perform;
pub mod recipes;
pub mod rig;
pub mod samples;
pub mod studio;
#[cfg(feature = "app")]
pub mod ui;
#[cfg(feature = "app")]
pub mod view;
pub mod work;
