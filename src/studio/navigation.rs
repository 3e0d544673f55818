//! What a drag in the viewport does to the camera, by the habits of other programs.

use serde::{Deserialize, Serialize};

/// Whose habits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Navigation {
    /// Middle button orbits, with Shift pans, with Ctrl zooms; the left one orbits over empty space.
    #[default]
    Blender,
    /// With Alt: left orbits, middle pans, right zooms.
    Maya,
    /// With Alt: left orbits, right zooms; the right button alone turns, the middle one pans.
    Unreal,
}

/// A mouse button that drags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Button {
    /// Left.
    Left,
    /// Middle.
    Middle,
    /// Right.
    Right,
}

/// What the camera does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gesture {
    /// Turns about its target.
    Orbit,
    /// Moves aside.
    Pan,
    /// Comes nearer.
    Zoom,
}

/// Keys that are held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Shift.
    pub shift: bool,
    /// Control, or Command on a Mac.
    pub ctrl: bool,
    /// Alt.
    pub alt: bool,
}

impl Navigation {
    /// All, in the order of the preferences.
    pub const ALL: [Self; 3] = [Self::Blender, Self::Maya, Self::Unreal];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Blender => "Blender",
            Self::Maya => "Maya",
            Self::Unreal => "Unreal, Unity",
        }
    }

    /// What it means for the hand.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Blender => "Middle button orbits, with Shift pans, with Ctrl zooms",
            Self::Maya => "With Alt: left orbits, middle pans, right zooms",
            Self::Unreal => "With Alt: left orbits, right zooms; right alone turns, middle pans",
        }
    }

    /// What a drag does. Without Alt the left button orbits in all of them: there is nothing else for it to do there.
    pub const fn gesture(self, button: Button, held: Held) -> Option<Gesture> {
        Some(match (self, button) {
            (Self::Maya | Self::Unreal, Button::Right) if held.alt => Gesture::Zoom,
            (Self::Blender, Button::Middle) if held.ctrl => Gesture::Zoom,
            (Self::Blender, Button::Left | Button::Middle) if held.shift => Gesture::Pan,
            (Self::Blender, Button::Middle) | (_, Button::Left) => Gesture::Orbit,
            (Self::Unreal, Button::Right) => Gesture::Orbit,
            (_, Button::Middle | Button::Right) => Gesture::Pan,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_has_its_orbit_pan_and_zoom() {
        let alt = Held { alt: true, ..Held::default() };
        let shift = Held { shift: true, ..Held::default() };
        let ctrl = Held { ctrl: true, ..Held::default() };
        let none = Held::default();
        use Button::{Left, Middle, Right};
        for (navigation, orbit, pan, zoom) in [
            (Navigation::Blender, (Middle, none), (Middle, shift), (Middle, ctrl)),
            (Navigation::Maya, (Left, alt), (Middle, alt), (Right, alt)),
            (Navigation::Unreal, (Left, alt), (Middle, none), (Right, alt)),
        ] {
            let of = |(button, held)| navigation.gesture(button, held);
            assert_eq!(of(orbit), Some(Gesture::Orbit), "{navigation:?}");
            assert_eq!(of(pan), Some(Gesture::Pan), "{navigation:?}");
            assert_eq!(of(zoom), Some(Gesture::Zoom), "{navigation:?}");
            assert_eq!(of((Left, none)), Some(Gesture::Orbit), "{navigation:?}");
        }
    }
}
