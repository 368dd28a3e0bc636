//! The values of the option `tune`, which says whether calls measure their problems.

use crate::raw::c_enum::c_enum;

c_enum! {
    /// The value of the option [`PlanOptions::tune`](crate::PlanOptions::tune): whether a call
    /// measures its problem if there is no decision of the problem yet.
    Tune ("tune") {
        /// The call does not measure its problem.
        Off = ATC_OFF => "off",
        /// The call measures its problem if there is no decision of the problem yet.
        On = ATC_ON => "on",
        /// The call does not measure. It notes the problem, so that a [`Tuner`](crate::Tuner) can
        /// measure the problem later ([`Problems::noted`](crate::Problems::noted)).
        Later = ATC_TUNE_LATER => "later",
        /// Like [`Tune::Later`], but the program's own calls are used as measurements, too. This
        /// applies to calls with plans from libatc's plan cache, such as
        /// [`convolution`](crate::convolution()). These calls run different candidates
        /// (implementations) and are timed, until the fastest candidate is known. No call waits for
        /// a measurement. Until the fastest candidate is known, the last bits of the results may
        /// differ from call to call.
        Beside = ATC_TUNE_BESIDE => "beside",
        /// The call does not measure. From measurements of similar problems atc predicts which
        /// candidate (implementation) is the fastest, and the call runs this candidate. Before the
        /// first use of the candidate, its results are checked. If there are no measurements of the
        /// device, the default candidate runs (the one that runs without tuning).
        Predict = ATC_TUNE_PREDICT => "predict",
    }
}

impl From<bool> for Tune {
    fn from(on: bool) -> Self {
        if on { Self::On } else { Self::Off }
    }
}
