// The experience of earlier races with candidates: their time divided by the default's time, and
// the time of their turns. Later races of similar layers use it to decide which candidates get a
// turn (tune/prospects.hpp). Nothing else depends on it: no key, no record, no digest.
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

// The class of a layer. In layers of one class, the same candidates are expected to be fast. The
// class consists of direction, format, layout, groups, and whether the kernel has one element.
// Sizes are not part of it. On CUDA, f16 counts as bf16.
std::string layer_class(const Problem& problem, const Request& request);

// The mean and the variance of a series of numbers. Only about the latest kMostCounted numbers have
// weight.
struct Moments {
  double number = 0, mean = 0, variance = 0;

  void add(double value);
  // Adds a series of which these are the moments.
  void add(const Moments& others);
};

class Experience {
 public:
  // The largest number of kinds in each of the two maps. If there are more, the kind that was seen
  // least often is forgotten.
  static constexpr std::size_t kMostKinds = 1024;

  tune::Belief belief(const Candidate& candidate, const std::string& layer) const;
  // Returns this experience with a wider kind of candidates for each chain: all directions,
  // formats, layouts and dimensions together. So something is known of classes of layers that no
  // race has had. Predictions need that; races have fewer turns without it.
  Experience widened() const;
  // Adds the results of a race. If a race is provisional or incomplete, or if its default did not
  // run, nothing is added.
  void add(const Decision& decision, const std::string& layer);
  bool empty() const { return ratios_.empty() && turns_.empty(); }

  store::Json to_json() const;
  // Throws Error(invalid_argument) or store::Json::exception if the text is not one that to_json
  // can have written.
  static Experience from_json(const store::Json& json);

 private:
  using Kinds = std::map<std::string, Moments>;

  // Returns the expected seconds of this part of a candidate's turn. `unknown` is the expectation
  // if nothing is known; it has the weight of one turn.
  double cost(const char* name, const Candidate& candidate, double unknown) const;
  void add_cost(const char* name, const Candidate& candidate, double seconds);

  Kinds ratios_;  // mean and variance of log(time / time of the default), by kind of candidate
  Kinds turns_;   // mean and variance of log(seconds of a turn), by kind of candidate
};

// The experience of this process for a knowledge, with the device and the library versions of a
// key's environment. If the store has the file <store>/experience-<16 hex: environment>.json, the
// experience begins with this file. Otherwise it begins with the experience that is built into the
// library for CUDA devices of this compute capability. If the file cannot be read, it is ignored,
// with one warning.
Experience known_experience(const store::Json& environment, const Knowledge& knowledge);
// The experience with which this process began for a knowledge: that of the store's file, else that
// of the library. The races of this process add nothing to it. If the file cannot be read, it is
// empty.
Experience first_experience(const store::Json& environment, const Knowledge& knowledge);
// The experience that is built into the library for this device; empty for other devices.
Experience built_in_experience(const store::Json& environment);
// Adds the results of a race. If the store is open for writing, also writes the store's file. If
// the file cannot be written, one line is logged at level info and no warning, because the record
// has a warning of its own.
void add_experience(const store::Json& environment, const Knowledge& knowledge,
                    const Decision& decision, const std::string& layer);

}  // namespace atc::conv
