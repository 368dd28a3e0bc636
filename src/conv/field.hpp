// The field of a race: who offers what for a problem.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conv/decision.hpp"
#include "conv/options.hpp"
#include "engines/engine.hpp"

namespace atc::conv {

struct Field {
  std::vector<Candidate> candidates;
  std::vector<std::shared_ptr<const Engine>> owners;  // one per candidate
  std::optional<std::size_t> default_candidate;       // what runs without tuning
  bool only_reference = false;                        // nothing else offers
  std::map<std::string, std::string> engines;         // asked, with their versions
  std::string reasons;                                // of those that offered nothing
  bool library_missing = false;  // one of those lacks its library, or finds it mixed
};

// What an untuned plan needs: the default engine's first offer, and more of them where listing them
// costs nothing. Empty when there is no default engine.
Field default_field(const Problem& problem, const Request& request);
// Appends the others of the default engine: for when the first cannot be built.
void add_rest(Field& field, const Problem& problem, const Request& request);
// Everybody's. The reference takes part only where no other default engine offers.
Field full_field(const Problem& problem, const Request& request);

// Appends the reference's offer to a field of others that all turned out not to run; false where it
// may not take part or is there already.
bool add_reference(Field& field, const Problem& problem, const Request& request);

// The first default engine that is registered and admitted, or "": records it did not race in are a
// miss.
std::string expected_default(const Request& request);

}  // namespace atc::conv
