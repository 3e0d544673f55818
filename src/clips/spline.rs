//! glTF's cubic splines.

use super::timeline::Moment;

/// glTF's cubic Hermite basis: weights of value, out-tangent, next value, next in-tangent.
pub(super) fn hermite(moment: Moment) -> [f32; 4] {
    let t = moment.share;
    let (t2, t3) = (t * t, t * t * t);
    [
        2.0 * t3 - 3.0 * t2 + 1.0,
        moment.span_secs * (t3 - 2.0 * t2 + t),
        -2.0 * t3 + 3.0 * t2,
        moment.span_secs * (t3 - t2),
    ]
}

/// The spline through `values` (in-tangent, value, out-tangent for each key) at a moment.
pub(super) fn spline<T: Copy + Default>(
    values: &[T],
    moment: Moment,
    sum: impl Fn([T; 4], [f32; 4]) -> T,
) -> T {
    let at = |i: usize| values.get(i).copied().unwrap_or_default();
    let value = at(3 * moment.key + 1);
    if moment.share == 0.0 {
        return value;
    }
    let points = [value, at(3 * moment.key + 2), at(3 * moment.key + 4), at(3 * moment.key + 3)];
    sum(points, hermite(moment))
}
