// Reports an entry of a store for people to read. Nothing here is used to decide.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conv/decision.hpp"
#include "conv/race/work.hpp"
#include "device/conditions.hpp"

namespace atc::store {
class Store;
struct Entry;
}  // namespace atc::store

namespace atc::conv {

struct Ceilings;

struct EntryReport {
  std::string entry, key;  // JSON
  std::string problem;     // the problem in one line; "" if it cannot be read
  double bytes = 0;        // of x, w and y
  double flops = 0;        // Problem::flops
  Roof roof;               // the ceilings of the entry's device, if the store has them
  // The parts of the key's environment. The libraries are those of the device's default engines, as
  // "name:version".
  std::string device, device_name;
  int threads = 0;
  std::vector<std::string> libraries;
  // The first decision of the entry. If it cannot be read, `trouble` has the reason, and the
  // decision has no winner.
  Decision decision;
  std::string choice, trouble;
  // The index of the program's own convolution in decision.candidates.
  std::optional<std::size_t> original;
  std::string host, date;
  Conditions conditions;
};

// Reports an entry. A malformed entry is no error: a part that cannot be read is left empty.
EntryReport report_of(const store::Entry& entry, const Ceilings& of_environment);
// Reports all valid entries, in the order of the store's list, with the ceilings that the store
// keeps.
std::vector<EntryReport> read_entries(const std::shared_ptr<store::Store>& store);

}  // namespace atc::conv
