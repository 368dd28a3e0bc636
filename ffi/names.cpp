// Numbers and structs as text, for messages and reports.
#include <array>
#include <cstddef>

#include "atc/conv.h"
#include "bytes.hpp"
#include "convert.hpp"
#include "guard.hpp"

namespace {

constexpr std::array kSourceNames = {
    "ATC_SOURCE_GIVEN", "ATC_SOURCE_RECORD",  "ATC_SOURCE_INHERITED", "ATC_SOURCE_MEMORY",
    "ATC_SOURCE_TUNED", "ATC_SOURCE_DEFAULT", "ATC_SOURCE_REFERENCE"};
static_assert(kSourceNames.size() == ATC_SOURCE_REFERENCE);

constexpr std::array kOutcomeNames = {"ATC_OUTCOME_WON",          "ATC_OUTCOME_LOST",
                                      "ATC_OUTCOME_DROPPED",      "ATC_OUTCOME_TIED",
                                      "ATC_OUTCOME_NOT_PREPARED", "ATC_OUTCOME_WRONG_RESULT",
                                      "ATC_OUTCOME_FAILED",       "ATC_OUTCOME_OUT_OF_MEMORY",
                                      "ATC_OUTCOME_SKIPPED",      "ATC_OUTCOME_OFFERED"};
static_assert(kOutcomeNames.size() == ATC_OUTCOME_OFFERED);

// The name of `number`, of which the first is 1.
template <std::size_t kCount>
const char* name_of(const std::array<const char*, kCount>& names, int32_t number,
                    const char* unknown) {
  if (number < 1 || static_cast<std::size_t>(number) > kCount) return unknown;
  return names[static_cast<std::size_t>(number) - 1];
}

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
