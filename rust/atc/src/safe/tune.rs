//! Whether calls measure.

use crate::raw::c_enum::c_enum;

c_enum! {
    /// Whether a call measures a problem that has no decision
    /// ([`PlanOptions::tune`](crate::PlanOptions::tune)).
    Tune ("tune") {
        /// It does not.
        Off = ATC_OFF => "off",
        /// It does.
        On = ATC_ON => "on",
        /// The call measures nothing, and notes the problem for a [`Tuner`](crate::Tuner)
        /// ([`Problems::noted`](crate::Problems::noted)).
        Later = ATC_TUNE_LATER => "later",
        /// As [`Tune::Later`], and cached calls try candidates and time them, until the fastest one
        /// is known. No call waits. Until then the last bits of results change from call to call.
        Beside = ATC_TUNE_BESIDE => "beside",
        /// The call measures nothing, and runs the candidate that is expected to be the fastest, by
        /// what races of similar layers have shown. It checks this candidate for correct results
        /// before its first use. If nothing is known for the device, the default runs.
        Predict = ATC_TUNE_PREDICT => "predict",
    }
}

impl From<bool> for Tune {
    fn from(on: bool) -> Self {
        if on { Self::On } else { Self::Off }
    }
}
