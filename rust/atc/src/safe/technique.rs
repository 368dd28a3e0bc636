//! The techniques by which a race (the timing of all candidates of a problem) times the candidates.

use crate::raw::c_enum::c_enum;

c_enum! {
    /// The technique by which a race (the timing of all candidates of a problem) times the candidates.
    Technique ("technique") {
        /// Each candidate is timed by one sample (one batch of executions).
        Once = ATC_TECHNIQUE_ONCE => "once",
        /// Each candidate is timed by the median of three samples.
        MedianOfThree = ATC_TECHNIQUE_MEDIAN_OF_THREE => "median-of-three",
        /// Each candidate is timed until its samples no longer change.
        TillStable = ATC_TECHNIQUE_TILL_STABLE => "till-stable",
        /// In each round all remaining candidates are timed, and slow candidates are dropped. The
        /// default.
        Interleaved = ATC_TECHNIQUE_INTERLEAVED => "interleaved",
        /// The candidates are compared at the clock frequencies that the device keeps under a long
        /// load.
        Sustained = ATC_TECHNIQUE_SUSTAINED => "sustained",
    }
}
