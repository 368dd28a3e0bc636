// The C functions that return the name of a constant, or a description of a problem, as text for
// messages and reports.
#include <array>

#include "atc/conv.h"
#include "bytes.hpp"
#include "convert.hpp"
#include "guard.hpp"
#include "number_names.hpp"

namespace {

using atc::ffi::name_of;

constexpr std::array kSourceNames = {
    "ATC_SOURCE_GIVEN",  "ATC_SOURCE_RECORD",  "ATC_SOURCE_INHERITED", "ATC_SOURCE_MEMORY",
    "ATC_SOURCE_TUNED",  "ATC_SOURCE_DEFAULT", "ATC_SOURCE_REFERENCE", "ATC_SOURCE_PINNED",
    "ATC_SOURCE_AGREED", "ATC_SOURCE_BESIDE",  "ATC_SOURCE_PREDICTED", "ATC_SOURCE_ADOPTED"};
static_assert(kSourceNames.size() == ATC_SOURCE_ADOPTED);

constexpr std::array kOutcomeNames = {"ATC_OUTCOME_WON",          "ATC_OUTCOME_LOST",
                                      "ATC_OUTCOME_DROPPED",      "ATC_OUTCOME_TIED",
                                      "ATC_OUTCOME_NOT_PREPARED", "ATC_OUTCOME_WRONG_RESULT",
                                      "ATC_OUTCOME_FAILED",       "ATC_OUTCOME_OUT_OF_MEMORY",
                                      "ATC_OUTCOME_SKIPPED",      "ATC_OUTCOME_OFFERED"};
static_assert(kOutcomeNames.size() == ATC_OUTCOME_OFFERED);

}  // namespace

extern "C" {

const char* atc_source_name(int32_t source) noexcept {
  return name_of(kSourceNames, source, "unknown source");
}

const char* atc_outcome_name(int32_t outcome) noexcept {
  return name_of(kOutcomeNames, outcome, "unknown outcome");
}

atc_status atc_conv_problem_describe(atc_bytes** out, const atc_conv_problem* problem) noexcept {
  return atc::ffi::guard([&] {
    atc_bytes*& target = atc::ffi::required(out, "out");
    target = atc::ffi::make_bytes(describe(atc::ffi::to_problem(problem)));
  });
}

}  // extern "C"
