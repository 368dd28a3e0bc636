//! The states of the option `tune`: whether calls measure their problems.

use crate::raw::c_enum::c_enum;

c_enum! {
    /// The value of the option [`PlanOptions::tune`](crate::PlanOptions::tune): whether a call
    /// measures its problem if there is no decision of the problem yet.
    Tune ("tune") {
        /// The call does not measure.
        Off = ATC_OFF => "off",
        /// The call measures the problem.
        On = ATC_ON => "on",
        /// The call does not measure. It notes the problem, so that a [`Tuner`](crate::Tuner) can
        /// measure the problem later ([`Problems::noted`](crate::Problems::noted)).
        Later = ATC_TUNE_LATER => "later",
        /// Like [`Tune::Later`], but in addition calls with cached plans are used as measurements:
        /// they run different candidates (implementations) and are timed, until the fastest
        /// candidate is known. No call waits for a measurement. Until the fastest candidate is
        /// known, the last bits of the results may differ from call to call.
        Beside = ATC_TUNE_BESIDE => "beside",
        /// The call does not measure. It runs the candidate (implementation) that is predicted to
        /// be the fastest, from measurements of similar problems. Before the first use of this
        /// candidate, its results are checked. If there are no measurements for the device, the
        /// default candidate runs.
        Predict = ATC_TUNE_PREDICT => "predict",
    }
}

impl From<bool> for Tune {
    fn from(on: bool) -> Self {
        if on { Self::On } else { Self::Off }
    }
}
