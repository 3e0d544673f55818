//! Transcendental functions with the same result on every machine (libm), in place of std's, which clippy bans.

/// Sine of an angle in radians.
pub fn sin(x: f32) -> f32 {
    libm::sinf(x)
}

/// Cosine of an angle in radians.
pub fn cos(x: f32) -> f32 {
    libm::cosf(x)
}

/// Arc cosine; the argument is clamped to [-1, 1], so that rounding never gives NaN.
pub fn acos(x: f32) -> f32 {
    libm::acosf(x.clamp(-1.0, 1.0))
}

/// Angle of the vector (x, y) from +x, in radians.
pub fn atan2(y: f32, x: f32) -> f32 {
    libm::atan2f(y, x)
}

/// e to the x.
pub fn exp(x: f32) -> f32 {
    libm::expf(x)
}

/// x to the y.
pub fn powf(x: f32, y: f32) -> f32 {
    libm::powf(x, y)
}
