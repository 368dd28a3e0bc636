#include "conv/race/race_setup.hpp"

#include <utility>

namespace atc::conv {

ArenaTerms terms_of_one_set() {
  ArenaTerms terms;
  terms.most_sets = 1;
  return terms;
}

RaceSetup::RaceSetup(const Problem& of, const Request& by, ArenaTerms terms, Priority priority)
    : memory(by.device),
      problem(of),
      request(by),
      site(make_site(by.device, by.stream, priority)),
      began(site->device().now()),
      arena(of, *site, by.race.seed, within_limit(std::move(terms))),
      gate(of, *site, arena.operands(0), by.limits.allow_tf32, by.race.seed, by.reduced_reduction) {
}

ArenaTerms RaceSetup::within_limit(ArenaTerms terms) {
  memory.limit_to(request.race_memory, site->available_memory());
  terms.room = memory.left();
  return terms;
}

}  // namespace atc::conv
