// The sizes, in bytes, that the structs of the C interface had when they were first released. Never
// change a number here: programs that were built against the first release pass these sizes. Do not
// write sizeof in place of a number, because structs grow.
#pragma once

#include <cstddef>

#include "atc/atc.h"

namespace atc::ffi {

struct FirstVersion {
  const char* type;
  std::size_t size;
};

// Returns the name of the struct T and its size in its first version. Defined only for structs that
// callers pass.
template <typename T>
constexpr FirstVersion first_version() = delete;

template <>
constexpr FirstVersion first_version<atc_settings>() {
  return {"atc_settings", 40};
}
template <>
constexpr FirstVersion first_version<atc_reproducible_report>() {
  return {"atc_reproducible_report", 512};
}
template <>
constexpr FirstVersion first_version<atc_conv_problem>() {
  return {"atc_conv_problem", 360};
}
template <>
constexpr FirstVersion first_version<atc_conv_operands>() {
  return {"atc_conv_operands", 56};
}
template <>
constexpr FirstVersion first_version<atc_conv_options>() {
  return {"atc_conv_options", 168};
}
template <>
constexpr FirstVersion first_version<atc_candidate>() {
  return {"atc_candidate", 152};
}
template <>
constexpr FirstVersion first_version<atc_cache_statistics>() {
  return {"atc_cache_statistics", 48};
}
template <>
constexpr FirstVersion first_version<atc_device_info>() {
  return {"atc_device_info", 288};
}
template <>
constexpr FirstVersion first_version<atc_library_info>() {
  return {"atc_library_info", 3272};
}
template <>
constexpr FirstVersion first_version<atc_engine_offer>() {
  return {"atc_engine_offer", 32};
}
template <>
constexpr FirstVersion first_version<atc_engine>() {
  return {"atc_engine", 80};
}
template <>
constexpr FirstVersion first_version<atc_engine_info>() {
  return {"atc_engine_info", 144};
}
template <>
constexpr FirstVersion first_version<atc_settings_source>() {
  return {"atc_settings_source", 56};
}
template <>
constexpr FirstVersion first_version<atc_allocator>() {
  return {"atc_allocator", 40};
}
template <>
constexpr FirstVersion first_version<atc_log_sink>() {
  return {"atc_log_sink", 32};
}
template <>
constexpr FirstVersion first_version<atc_store_info>() {
  return {"atc_store_info", 1040};
}
template <>
constexpr FirstVersion first_version<atc_store_put_options>() {
  return {"atc_store_put_options", 8};
}
template <>
constexpr FirstVersion first_version<atc_store_import_options>() {
  return {"atc_store_import_options", 8};
}
template <>
constexpr FirstVersion first_version<atc_store_merge_options>() {
  return {"atc_store_merge_options", 8};
}
template <>
constexpr FirstVersion first_version<atc_tune_options>() {
  return {"atc_tune_options", 128};
}
template <>
constexpr FirstVersion first_version<atc_tuned_problem>() {
  return {"atc_tuned_problem", 88};
}
template <>
constexpr FirstVersion first_version<atc_group>() {
  return {"atc_group", 64};
}
template <>
constexpr FirstVersion first_version<atc_agreement>() {
  return {"atc_agreement", 48};
}
template <>
constexpr FirstVersion first_version<atc_agreement_class>() {
  return {"atc_agreement_class", 40};
}
template <>
constexpr FirstVersion first_version<atc_trace_options>() {
  return {"atc_trace_options", 24};
}
template <>
constexpr FirstVersion first_version<atc_trace_row>() {
  return {"atc_trace_row", 112};
}

template <>
constexpr FirstVersion first_version<atc_store_entry>() {
  return {"atc_store_entry", 240};
}
template <>
constexpr FirstVersion first_version<atc_explained>() {
  return {"atc_explained", 128};
}
template <>
constexpr FirstVersion first_version<atc_entrant>() {
  return {"atc_entrant", 48};
}

}  // namespace atc::ffi
