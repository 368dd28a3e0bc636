//! The options with which a program called a convolution. The function `atc_problems_json` of
//! libatc writes them into a list of the program's problems.

use serde::{Deserialize, Serialize};

/// The options of a program's calls, with the names that libatc gives them. If an option is absent,
/// the command line and the settings determine it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Terms {
    #[serde(skip_serializing_if = "Option::is_none")]
    deterministic: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allow_tf32: Option<bool>,
    /// This option is read but not used, because tuning always allows the slow reference.
    #[serde(rename = "allow_reference", skip_serializing_if = "Option::is_none")]
    _allow_reference: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    require_firm: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict_precision: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allow_reduced_precision_reduction: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alignment: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace_limit: Option<u64>,
    /// This option is read but not used, because the command line determines where decisions are
    /// stored.
    #[serde(rename = "use_store", skip_serializing_if = "Option::is_none")]
    _use_store: Option<bool>,
}

impl Terms {
    pub fn are_none(&self) -> bool {
        *self == Self::default()
    }

    /// Returns `tuner` with the options of the recorded calls added.
    pub fn apply<'a>(&self, mut tuner: atc::Tuner<'a>) -> atc::Tuner<'a> {
        if let Some(deterministic) = self.deterministic {
            tuner = tuner.deterministic(deterministic);
        }
        if let Some(allowed) = self.allow_tf32 {
            tuner = tuner.allow_tf32(allowed);
        }
        // The options `require_firm`, `strict_precision` and `allow_reduced_precision_reduction`
        // are only turned on here, never off: an option that the command line has turned on remains
        // on.
        if self.require_firm == Some(true) {
            tuner = tuner.require_firm(true);
        }
        if self.strict_precision == Some(true) {
            tuner = tuner.strict_precision(true);
        }
        if self.allow_reduced_precision_reduction == Some(true) {
            tuner = tuner.allow_reduced_precision_reduction(true);
        }
        if let Some(bytes) = self.alignment {
            tuner = tuner.alignment(bytes);
        }
        if let Some(limit) = self.workspace_limit {
            tuner = tuner.workspace_limit(match limit {
                u64::MAX => atc::Limit::Unlimited,
                limit => atc::Limit::AtMost(limit),
            });
        }
        tuner
    }
}
