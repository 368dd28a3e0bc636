//! How candidates are timed.

use crate::raw::c_enum::c_enum;

c_enum! {
    /// How candidates are timed.
    Technique ("technique") {
        /// One sample each.
        Once = ATC_TECHNIQUE_ONCE => "once",
        /// The median of three samples.
        MedianOfThree = ATC_TECHNIQUE_MEDIAN_OF_THREE => "median-of-three",
        /// Each candidate is timed until its samples stop changing.
        TillStable = ATC_TECHNIQUE_TILL_STABLE => "till-stable",
        /// All candidates are timed in rounds, and slow candidates drop out. The default.
        Interleaved = ATC_TECHNIQUE_INTERLEAVED => "interleaved",
        /// Candidates are compared at the clocks that the device reaches under long load.
        Sustained = ATC_TECHNIQUE_SUSTAINED => "sustained",
    }
}
