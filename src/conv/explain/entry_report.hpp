// Makes reports of a store's entries, for people to read. Decisions do not depend on reports.
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
  std::string entry, key;  // the whole entry and its key, both as JSON
  std::string problem;     // the problem in one line; "" if it cannot be read
  double bytes = 0;        // the bytes of x, w and y
  double flops = 0;        // the number of operations of the problem (Problem::flops)
  Roof roof;               // the highest rates of the entry's device, if the store has them
  // Parts of the environment (device and library versions) in the entry's key. `libraries` contains
  // the versions of the device's default engines, each as "name:version".
  std::string device, device_name;
  int threads = 0;
  std::vector<std::string> libraries;
  // The first decision of the entry. If the decision cannot be read, it has no winner, and
  // `trouble` has the reason.
  Decision decision;
  std::string choice, trouble;
  // The index in decision.candidates of the program's own convolution (the one that runs without
  // atc).
  std::optional<std::size_t> original;
  std::string host, date;
  Conditions conditions;
};

// Makes the report of an entry. A malformed entry is no error: a part that cannot be read is left
// empty.
EntryReport report_of(const store::Entry& entry, const Ceilings& of_environment);
// Makes the reports of all valid entries, in the order of Store::list(). The highest rates of the
// devices are those in the store.
std::vector<EntryReport> read_entries(const std::shared_ptr<store::Store>& store);

}  // namespace atc::conv
