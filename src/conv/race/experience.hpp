// What earlier races have shown of candidates: how fast they are beside the default, and how long
// their turns take. Later races of similar layers give turns by it (tune/prospects.hpp). Nothing
// else depends on it: no key, no record, no digest.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "conv/decision.hpp"
#include "conv/memory.hpp"
#include "conv/options.hpp"
#include "core/problem.hpp"
#include "store/entry.hpp"
#include "tune/contestant.hpp"

namespace atc::conv {

// Layers whose candidates are expected to stand alike: direction, formats, layout, groups, and
// whether the kernel has one element. Sizes are not part of it.
std::string layer_class(const Problem& problem, const Request& request);

// The mean and the variance of numbers, of which the latest kMostCounted or so count.
struct Moments {
  double number = 0, mean = 0, variance = 0;

  void add(double value);
};

class Experience {
 public:
  // Of each kind of text; with more, the one that was seen least is forgotten.
  static constexpr std::size_t kMostKinds = 1024;

  tune::Belief belief(const Candidate& candidate, const std::string& layer) const;
  // Adds what a race has shown. A race that is provisional or incomplete, or whose default did not
  // run, adds nothing.
  void add(const Decision& decision, const std::string& layer);
  bool empty() const { return ratios_.empty() && turns_.empty(); }

  store::Json to_json() const;
  // Throws Error(invalid_argument) or store::Json::exception where to_json cannot have written it.
  static Experience from_json(const store::Json& json);

 private:
  using Kinds = std::map<std::string, Moments>;

  Kinds ratios_;  // of the logarithm of the time / the default's time
  Kinds turns_;   // of the logarithm of the seconds of a turn
};

// The experience with the device and the library versions of a key's environment: that of this
// process with this knowledge. It begins with the experience that is built into the library for
// devices of this name, or, if there is one, with the file of the store, <store>/experience-<16
// hex: environment>.json. A file that cannot be read counts as absent, with one warning.
Experience known_experience(const store::Json& environment, const Knowledge& knowledge);
// Adds what a race has shown, and writes the store's file if the store is open for writing. If the
// file cannot be written, one line is logged (level info): the record has a warning of its own.
void add_experience(const store::Json& environment, const Knowledge& knowledge,
                    const Decision& decision, const std::string& layer);

}  // namespace atc::conv
