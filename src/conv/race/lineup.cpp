#include "conv/race/lineup.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "core/error.hpp"
#include "core/format.hpp"
#include "engines/registry.hpp"

namespace atc::conv {

namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

using EnginePtr = std::shared_ptr<const Engine>;
using RewritePtr = std::shared_ptr<const Rewrite>;

// A candidate and its chain, before the candidates are ordered. In the lineup, candidates with a
// smaller order() come first: those that need not be compiled, and among them earlier offers of
// each engine.
struct Ranked {
  Candidate candidate;
  Chain chain;

  auto order() const { return std::tuple(candidate.compiles, candidate.place); }
};

class Asking {
 public:
  Asking(Lineup& lineup, const Problem& problem, const Request& request)
      : lineup_(lineup), problem_(problem), request_(request) {}

  // Adds offers of the engine to the lineup. `first` is the number of offers that are asked for
  // (kAll: all offers), and `places` is the largest number of them that take part in the race.
  // Returns false if the engine has no offer.
  bool ask(const EnginePtr& engine, std::size_t first, std::size_t places) {
    if (engine->name() != kReferenceEngine) lineup_.roster.add(engine->name(), engine->version());
    Answer& answer = begin_answer(engine->name(), engine->version(), false);
    const bool any = ask_behind({{}, engine}, {}, problem_, request_.limits, Exactness::exact, 0,
                                first, places, answer);
    if (any) return true;
    // If only the engine's own front end (such as LibTorch) can use its offers, the engine is
    // removed from the roster (the list of engines that took part). Then a later call of this front
    // end treats the engine as new, and times it.
    if (hidden_) lineup_.roster.remove({{engine->name(), engine->version()}});
    note(engine->name(), answer.why_not);
    return false;
  }

  // Adds candidates that use the rewrite: for each problem into which the rewrite turns the
  // problem, the first offers of the engines. Returns false if there is none.
  bool ask_behind(const RewritePtr& rewrite, const std::vector<EnginePtr>& engines) {
    bool any = false;
    lineup_.roster.add(rewrite->name(), rewrite->version());
    Answer& answer = begin_answer(rewrite->name(), rewrite->version(), true);
    for (const Rewriting& way : rewrite->rewritings(problem_, request_.limits, answer.why_not)) {
      if (way.workspace > request_.limits.workspace) {
        answer.why_not = format("needs {} bytes of workspace, {} are allowed", way.workspace,
                                request_.limits.workspace);
        continue;
      }
      const std::vector<Link> links{{rewrite->name(), rewrite->version(), way.configuration}};
      for (const EnginePtr& engine : engines)
        any = ask_behind({{rewrite}, engine}, links, way.problem,
                         limits_behind(way, request_.limits), way.exactness, way.workspace,
                         rewrite->places(), rewrite->places(), answer) ||
              any;
    }
    return any;
  }

  // Moves the collected candidates into the lineup: the first offer of each engine and rewrite,
  // then the second offer of each, and so on.
  void finish() {
    lineup_.roster.remove(barred_);
    // Offers that have to be compiled come last, because compiling may take seconds. The first
    // offer (the default) remains first even if it has to be compiled.
    if (ranked_.empty()) return;
    std::stable_sort(ranked_.begin() + 1, ranked_.end(),
                     [](const Ranked& a, const Ranked& b) { return a.order() < b.order(); });
    for (Ranked& one : ranked_) {
      lineup_.candidates.push_back(std::move(one.candidate));
      lineup_.chains.push_back(std::move(one.chain));
    }
    ranked_.clear();
  }

 private:
  bool ask_behind(const Chain& chain, const std::vector<Link>& links, const Problem& problem,
                  const Limits& limits, Exactness exactness, std::uint64_t between,
                  std::size_t first, std::size_t places, Answer& answer) {
    const Engine& engine = *chain.engine;
    std::string& why_not = answer.why_not;
    std::vector<Offer> offers;
    try {
      offers = first == kAll ? engine.offers(problem, limits, why_not)
                             : engine.first_offers(problem, limits, first, why_not);
    } catch (const Error& error) {
      if (error.status() != Status::library) throw;
      lineup_.library_missing = true;
      why_not = error.what();
    }
    bool any = false;
    hidden_ = false;
    std::set<std::size_t> taken;
    for (std::size_t i = 0; i < offers.size(); ++i) {
      const Offer& offer = offers[i];
      if (std::string refused = refusal(offer, engine, limits, !links.empty()); !refused.empty()) {
        why_not = std::move(refused);
        continue;
      }
      Choice choice{engine.name(), engine.version(), offer.configuration, links};
      if (request_.bars(choice)) {
        barred_.add(engine.name(), engine.version());
        why_not = format("a pin bars {}", to_string(choice));
        continue;
      }
      any = true;
      ++answer.offers;
      Candidate candidate = candidate_of(engine, std::move(choice), offer, between, exactness);
      taken.insert(offer.place != kAll ? offer.place : i);
      candidate.place = taken.size() - 1;
      if (candidate.place < places || (links.empty() && request_.goes_beyond_places(engine))) {
        ranked_.push_back({std::move(candidate), chain});
      } else if (links.empty()) {
        candidate.outcome = tune::Outcome::skipped;
        candidate.reason = format("beyond the {} places of {}", places, engine.name());
        lineup_.beyond.push_back(std::move(candidate));
      } else {
        break;
      }
    }
    return any;
  }

  // Returns the reason why this request cannot use the offer; "" if it can.
  std::string refusal(const Offer& offer, const Engine& engine, const Limits& limits,
                      bool rewritten) {
    if (offer.workspace > limits.workspace)
      return format("every configuration needs more than {} bytes of workspace", limits.workspace);
    if (limits.deterministic && !offer.deterministic) return "no configuration is deterministic";
    if (offer.returns_output && (rewritten || !request_.races_output_of(engine.name()))) {
      hidden_ = true;
      return "its result is a buffer of its own, for its own front end alone";
    }
    return "";
  }

  // Adds an entry for the answer of this engine or rewrite to the lineup. The returned reference is
  // valid until the next call.
  Answer& begin_answer(const std::string& name, const std::string& version, bool rewrite) {
    lineup_.answers.push_back({name, version, rewrite, 0, ""});
    return lineup_.answers.back();
  }

  void note(const std::string& name, const std::string& why_not) {
    lineup_.reasons += format("{}{}: {}", lineup_.reasons.empty() ? "" : "; ", name,
                              why_not.empty() ? "offers nothing for this problem" : why_not);
  }

  Lineup& lineup_;
  const Problem& problem_;
  const Request& request_;
  std::vector<Ranked> ranked_;
  // Engines of which a pin bars an offer. The race does not time all of their offers, so it does
  // not count as a race of these engines: they are removed from the roster.
  Roster barred_;
  // True if the last engine that was asked has offers that only its own front end can use.
  bool hidden_ = false;
};

// Asks the default engines, in their order, until one of them has an offer. Returns the number of
// engines that were asked.
std::size_t ask_defaults(Lineup& lineup, Asking& asking, const Entrants& entrants,
                         const Request& request, std::size_t first) {
  std::size_t asked = 0;
  for (const EnginePtr& engine : entrants.defaults) {
    ++asked;
    if (asking.ask(engine, first, request.places_of(*engine))) {
      lineup.default_candidate = 0;
      return asked;
    }
  }
  for (const std::string& name : request.default_engines()) {
    const bool allowed =
        request.admits(name) && (name != kReferenceEngine || entrants.may_use_reference);
    if (!allowed && EngineRegistry::instance().find(name) != nullptr)
      lineup.reasons +=
          format("{}{}: not allowed by the options", lineup.reasons.empty() ? "" : "; ", name);
  }
  return asked;
}

// Asks the engine `reference` if no other default engine has an offer. It is not asked if a library
// is missing, because a program that runs slowly by the reference would hide the missing library.
void ask_reference(Lineup& lineup, Asking& asking, const Entrants& entrants) {
  if (lineup.default_candidate || !entrants.may_use_reference || lineup.library_missing) return;
  if (!asking.ask(EngineRegistry::instance().find(kReferenceEngine), 1, 1)) return;
  lineup.default_candidate = 0;
  lineup.only_reference = true;
}

// Returns the engines that may compute at the end of a chain of rewrites.
std::vector<EnginePtr> everybody(const Entrants& entrants) {
  std::vector<EnginePtr> engines = entrants.others;
  engines.insert(engines.end(), entrants.defaults.begin(), entrants.defaults.end());
  return engines;
}

}  // namespace

Candidate candidate_of(const Engine& engine, Choice choice, const Offer& offer,
                       std::uint64_t between, Exactness exactness) {
  Candidate candidate;
  candidate.rewrites = rewrites_text(choice);
  candidate.original = offer.original && choice.rewrites.empty();
  candidate.choice = std::move(choice);
  candidate.notes = offer.notes;
  candidate.workspace = offer.workspace + between;
  candidate.exactness = std::max(offer.exactness, exactness);
  candidate.compiles = offer.compiles;
  if (const std::string kin = engine.kin(candidate.choice.configuration); !kin.empty())
    candidate.kin = candidate.rewrites + '>' + kin;
  if (!offer.family.empty()) candidate.family = candidate.rewrites + '>' + offer.family;
  candidate.returns_output = offer.returns_output;
  return candidate;
}

std::optional<Offered> find_offer(const Chain& chain, const Choice& choice, const Problem& problem,
                                  const Limits& limits) {
  Problem behind = problem;
  Exactness exactness = Exactness::exact;
  Limits left = limits;
  std::uint64_t between = 0;
  std::string why_not;
  for (std::size_t i = 0; i < chain.rewrites.size(); ++i) {
    const auto ways = chain.rewrites[i]->rewritings(behind, left, why_not);
    const auto way = std::find_if(ways.begin(), ways.end(), [&](const Rewriting& one) {
      return one.configuration == choice.rewrites[i].configuration;
    });
    if (way == ways.end() || way->workspace > left.workspace) return std::nullopt;
    left = limits_behind(*way, left);
    behind = way->problem;
    between += way->workspace;
    exactness = std::max(exactness, way->exactness);
  }
  for (const Offer& offer : chain.engine->offers(behind, left, why_not))
    if (offer.configuration == choice.configuration)
      return Offered{candidate_of(*chain.engine, choice, offer, between, exactness),
                     offer.deterministic};
  return std::nullopt;
}

std::optional<std::size_t> original_of(const Lineup& lineup) {
  const auto& candidates = lineup.candidates;
  const auto original = std::find_if(candidates.begin(), candidates.end(),
                                     [](const Candidate& one) { return one.original; });
  if (original == candidates.end()) return std::nullopt;
  return static_cast<std::size_t>(original - candidates.begin());
}

Lineup default_lineup(const Problem& problem, const Request& request) {
  Lineup lineup;
  Asking asking(lineup, problem, request);
  const Entrants known = entrants(request);
  // Usually one offer suffices. If pins bar choices, the first offer may be a barred one, so all
  // offers are asked for.
  ask_defaults(lineup, asking, known, request, request.choices_barred.empty() ? 1 : kAll);
  ask_reference(lineup, asking, known);
  asking.finish();
  return lineup;
}

Lineup full_lineup(const Problem& problem, const Request& request) {
  Lineup lineup;
  Asking asking(lineup, problem, request);
  const Entrants known = entrants(request);
  const std::size_t asked = ask_defaults(lineup, asking, known, request, kAll);
  bool others = lineup.default_candidate.has_value();
  ask_reference(lineup, asking, known);
  // ask_defaults() stops at the first engine with an offer. If this is the engine of a front end,
  // the built-in default engines have not been asked. Their offers are timed in the race, too.
  for (std::size_t i = asked; i < known.defaults.size(); ++i)
    others = asking.ask(known.defaults[i], kAll, request.places_of(*known.defaults[i])) || others;
  for (const EnginePtr& engine : known.others)
    others = asking.ask(engine, kAll, request.places_of(*engine)) || others;
  for (const RewritePtr& rewrite : known.rewrites)
    others = asking.ask_behind(rewrite, everybody(known)) || others;
  asking.finish();
  if (others) {
    lineup.only_reference = false;
    lineup.default_candidate = original_of(lineup).value_or(0);
  }
  return lineup;
}

Lineup newcomers_lineup(const Problem& problem, const Request& request, const Roster& newcomers) {
  Lineup lineup;
  Asking asking(lineup, problem, request);
  const Entrants known = entrants(request);
  std::vector<EnginePtr> new_engines;
  for (const EnginePtr& engine : everybody(known)) {
    if (!newcomers.has(engine->name(), engine->version())) continue;
    new_engines.push_back(engine);
    asking.ask(engine, kAll, request.places_of(*engine));
  }
  for (const RewritePtr& rewrite : known.rewrites) {
    const bool is_new = newcomers.has(rewrite->name(), rewrite->version());
    asking.ask_behind(rewrite, is_new ? everybody(known) : new_engines);
  }
  asking.finish();
  return lineup;
}

void add_rest(Lineup& lineup, const Problem& problem, const Request& request) {
  Lineup whole;
  Asking asking(whole, problem, request);
  const Entrants known = entrants(request);
  for (const EnginePtr& engine : known.defaults) {
    asking.ask(engine, kAll, request.places_of(*engine));
    // finish() is called for each engine, so that all offers of an engine come before those of the
    // next engine.
    asking.finish();
  }
  for (std::size_t i = 0; i < whole.candidates.size(); ++i) {
    const Candidate& candidate = whole.candidates[i];
    const bool is_known =
        std::any_of(lineup.candidates.begin(), lineup.candidates.end(),
                    [&](const Candidate& one) { return one.choice == candidate.choice; });
    if (is_known) continue;
    lineup.candidates.push_back(candidate);
    lineup.chains.push_back(whole.chains[i]);
  }
}

void favour(Lineup& lineup, const Choice& choice, const Chain& chain, const Problem& problem,
            const Request& request) {
  const auto is_it = [&](const Candidate& one) { return one.choice == choice; };
  auto& candidates = lineup.candidates;
  auto& chains = lineup.chains;
  const auto found = std::find_if(candidates.begin(), candidates.end(), is_it);
  auto from = static_cast<std::size_t>(found - candidates.begin());
  if (candidates.empty() || from == lineup.default_candidate) return;
  if (found == candidates.end()) {
    auto offered = find_offer(chain, choice, problem, request.limits);
    if (!offered) return;
    auto& beyond = lineup.beyond;
    beyond.erase(std::remove_if(beyond.begin(), beyond.end(), is_it), beyond.end());
    candidates.push_back(std::move(offered->candidate));
    chains.push_back(chain);
  }
  constexpr std::size_t kSecond = 1;
  for (; from > kSecond; --from) {
    std::swap(candidates[from], candidates[from - 1]);
    std::swap(chains[from], chains[from - 1]);
    if (lineup.default_candidate == from - 1) lineup.default_candidate = from;
  }
  lineup.favourite = from;
}

bool add_reference(Lineup& lineup, const Problem& problem, const Request& request) {
  if (lineup.only_reference || !entrants(request).may_use_reference) return false;
  Asking asking(lineup, problem, request);
  const bool any = asking.ask(EngineRegistry::instance().find(kReferenceEngine), 1, 1);
  asking.finish();
  return any;
}

}  // namespace atc::conv
