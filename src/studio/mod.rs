//! Floor 9: the application without a screen: here, what the viewport shows, as plain data.
//!
//! May use floors 0 to 8. Architecture invariant: no window, no graphics, no panel; everything here runs in a test.

pub mod scene;
