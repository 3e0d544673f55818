//! Search that forgives typing, for the library and the palette.

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;

/// Scores texts against what was typed.
pub(super) struct Search {
    matcher: SkimMatcherV2,
    words: Vec<String>,
}

impl Search {
    /// A search for `typed`; its words may stand in any order.
    pub(super) fn new(typed: &str) -> Self {
        let words = typed.split_whitespace().map(str::to_lowercase).collect();
        Self { matcher: SkimMatcherV2::default().ignore_case(), words }
    }

    /// Whether nothing was typed.
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How well `text` fits, more is better; `None` where it does not. Everything fits an empty search.
    pub(super) fn score(&self, text: &str) -> Option<i64> {
        self.words.iter().try_fold(0, |sum, word| Some(sum + self.word(text, word)?))
    }

    fn word(&self, text: &str, word: &str) -> Option<i64> {
        if let Some(score) = self.matcher.fuzzy_match(text, word) {
            return Some(score);
        }
        // Skim wants every letter in order; a letter too many or two changed about still mean the word.
        let nearest = text
            .split(|c: char| !c.is_alphanumeric())
            .map(|part| strsim::normalized_damerau_levenshtein(&part.to_lowercase(), word))
            .fold(0.0, f64::max);
        (word.chars().count() > 3 && nearest >= 0.7).then_some((nearest * 20.0) as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_may_be_missing_changed_about_or_too_many() {
        let fits = |typed: &str| Search::new(typed).score("Back Flip").is_some();
        assert!(
            fits("flip") && fits("bflip") && fits("flip back") && fits("flpi") && fits("flipp")
        );
        assert!(!fits("walk") && !fits("flux"));
    }

    #[test]
    fn the_nearer_text_scores_more() {
        let search = Search::new("walk");
        assert!(search.score("Walk") >= search.score("Crouch Walk Left"));
    }
}
