//! An error for people: what happened and why, in one line.

/// An error with its causes behind it, each behind a colon.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clips::retarget::RetargetError;
    use crate::document::ClipError;

    #[test]
    fn each_cause_is_said_once() {
        let error = ClipError::Retarget {
            clip: "Walk".into(),
            character: "Fox".into(),
            source: RetargetError::NothingShared,
        };
        let cause = RetargetError::NothingShared.to_string();
        let said = with_causes(&error);
        assert!(said.starts_with("clip \"Walk\" cannot be played on \"Fox\": "), "{said}");
        assert_eq!(said.matches(&cause).count(), 1, "{said}");
    }
}
