#include "atc/store_entries.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conv/explain/entry_report.hpp"
#include "convert_candidate.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "guard.hpp"
#include "store/store.hpp"
#include "store_handle.hpp"
#include "structs.hpp"

using namespace atc;
using namespace atc::ffi;

namespace {

// The report of an entry of the store. Its lists are also kept as texts with one element after the
// other, because the C struct for an entry has fields for texts, but not for lists.
struct Told {
  explicit Told(conv::EntryReport read)
      : report(std::move(read)),
        libraries(joined(report.libraries, ",")),
        limits(joined(report.conditions.clocks_limited_by, "\n")) {}

  conv::EntryReport report;
  std::string libraries, limits;
};

}  // namespace

struct atc_store_entries {
  std::vector<Told> entries;

  const Told& at(std::size_t index) const { return checked_element(entries, index, "entry"); }
};

extern "C" {

atc_status atc_store_read(atc_store_entries** out, const atc_store* store) noexcept {
  return guard([&] {
    required(out, "out");
    const std::shared_ptr<store::Store>& known = required(store, "store").store;
    auto read = std::make_unique<atc_store_entries>();
    for (conv::EntryReport& entry : conv::read_entries(known))
      read->entries.emplace_back(std::move(entry));
    *out = read.release();
  });
}

void atc_store_entries_destroy(atc_store_entries* entries) noexcept {
  guard_void([&] { delete entries; });
}

atc_status atc_store_entries_count(size_t* out, const atc_store_entries* entries) noexcept {
  return guard([&] {
    std::size_t& target = required(out, "out");
    target = required(entries, "entries").entries.size();
  });
}

atc_status atc_store_entries_describe(atc_store_entry* out, const atc_store_entries* entries,
                                      size_t index) noexcept {
  return guard([&] {
    const Told& known = required(entries, "entries").at(index);
    const conv::EntryReport& report = known.report;
    const conv::Decision& decision = report.decision;
    atc_store_entry entry{};
    entry.technique = decision.winner ? static_cast<int32_t>(decision.technique) : 0;
    entry.provisional = decision.unstable ? 1 : 0;
    entry.threads = report.threads;
    entry.winner = to_index(decision.winner);
    entry.default_candidate = to_index(decision.default_candidate);
    entry.original = to_index(report.original);
    entry.candidates = decision.candidates.size();
    entry.executions = decision.executions;
    entry.seconds = decision.seconds;
    entry.risk = decision.risk;
    entry.bytes = report.bytes;
    entry.flops = report.flops;
    entry.bytes_per_second = report.roof.bytes_per_second.value_or(0);
    entry.flops_per_second = report.roof.flops_per_second.value_or(0);
    entry.power_limit_watts = report.conditions.power_limit_watts.value_or(0);
    entry.temperature_celsius = report.conditions.temperature_celsius.value_or(0);
    entry.clock_hz = report.conditions.clock_hz.value_or(0);
    entry.memory_clock_hz = report.conditions.memory_clock_hz.value_or(0);
    entry.entry = report.entry.c_str();
    entry.key = report.key.c_str();
    entry.problem = report.problem.c_str();
    entry.choice = report.choice.c_str();
    entry.why = decision.why.c_str();
    entry.trouble = report.trouble.c_str();
    entry.device = report.device.c_str();
    entry.device_name = report.device_name.c_str();
    entry.libraries = known.libraries.c_str();
    entry.host = report.host.c_str();
    entry.date = report.date.c_str();
    entry.driver = report.conditions.driver.c_str();
    entry.clocks_limited_by = known.limits.c_str();
    write_struct(out, entry, "out");
  });
}

atc_status atc_store_entries_candidate(atc_candidate* out, const atc_store_entries* entries,
                                       size_t index, size_t candidate) noexcept {
  return guard([&] {
    required(out, "out");
    write_candidate(out, required(entries, "entries").at(index).report.decision, candidate);
  });
}

}  // extern "C"
