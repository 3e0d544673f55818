//! Lenient looks into JSON: what is missing or of another kind is `None`, never an error.

use serde_json::{Map, Value};

/// A member as a list; empty where there is none.
pub(crate) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A member as an object.
pub(crate) fn object<'a>(value: &'a Value, key: &str) -> Option<&'a Map<String, Value>> {
    value.get(key).and_then(Value::as_object)
}

/// A member as text.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}

/// A value as an index or a count; `3.0` counts as 3.
pub(crate) fn as_index(value: &Value) -> Option<usize> {
    if let Some(n) = value.as_u64() {
        return usize::try_from(n).ok();
    }
    let x = value.as_f64()?;
    (x >= 0.0 && x.fract() == 0.0 && x < 9.0e15).then_some(x as usize)
}

/// A member as an index or a count.
pub(crate) fn index(value: &Value, key: &str) -> Option<usize> {
    value.get(key).and_then(as_index)
}

/// A number in single precision, rounded once; what is no finite number is NaN.
pub(crate) fn as_f32(value: &Value) -> f32 {
    match value {
        Value::Number(n) => n.as_str().parse::<f32>().unwrap_or(f32::NAN),
        _ => f32::NAN,
    }
}

/// A member as `N` numbers; `Err` gives the length of a list that is longer or shorter.
pub(crate) fn floats<const N: usize>(value: &Value, key: &str) -> Option<Result<[f32; N], usize>> {
    let items = value.get(key)?.as_array()?;
    let mut result = [0.0; N];
    if items.len() != N {
        return Some(Err(items.len()));
    }
    for (slot, item) in result.iter_mut().zip(items) {
        *slot = as_f32(item);
    }
    Some(Ok(result))
}

/// An extension of an object.
pub(crate) fn extension<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    value.get("extensions").and_then(|e| e.get(name))
}

/// How messages name a thing: `node 7 "Hips"`.
pub(crate) fn label(kind: &str, index: usize, value: Option<&Value>) -> String {
    match value.and_then(|v| text(v, "name")).filter(|n| !n.is_empty()) {
        Some(name) => format!("{kind} {index} {name:?}"),
        None => format!("{kind} {index}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_taken_in_any_form() {
        let v: Value =
            serde_json::from_str(r#"{"a":3,"b":3.0,"c":-1,"d":1e999,"e":[1,2]}"#).unwrap();
        assert_eq!(index(&v, "a"), Some(3));
        assert_eq!(index(&v, "b"), Some(3));
        assert_eq!(index(&v, "c"), None);
        assert_eq!(index(&v, "z"), None);
        assert!(!as_f32(&v["d"]).is_finite());
        assert_eq!(floats::<2>(&v, "e"), Some(Ok([1.0, 2.0])));
        assert_eq!(floats::<3>(&v, "e"), Some(Err(2)));
        assert_eq!(floats::<3>(&v, "a"), None);
    }

    #[test]
    fn text_of_numbers_and_order_of_members_survive() {
        let text = r#"{"z":1e-05,"a":1.0,"m":[0.10000000149011612,1E+5,-0,123456789012345678901234567890]}"#;
        let v: Value = serde_json::from_str(text).unwrap();
        // All but the case of an exponent's letter.
        assert_eq!(serde_json::to_string(&v).unwrap(), text.replace('E', "e"));
    }
}
