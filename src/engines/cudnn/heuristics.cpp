#include "engines/cudnn/heuristics.hpp"

#include <set>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace atc::cudnn {

namespace {

// A mode without an answer is not an error: the other may have one.
std::vector<Descriptor> ask(const Graph& graph, int mode) {
  try {
    Descriptor heuristics(Kind::heuristics);
    heuristics.set(Attribute::heuristics_graph, graph.operations())
        .set(Attribute::heuristics_mode, Type::heuristics_mode, mode)
        .finalize();
    return heuristics.get_descriptors(Attribute::heuristics_results, Kind::engine_config,
                                      heuristics.count(Attribute::heuristics_results));
  } catch (const Error& error) {
    if (error.status() != atc::Status::unsupported) throw;
    return {};
  }
}

}  // namespace

void propose(const Graph& graph, const std::function<bool(Notes)>& take) {
  std::set<Configuration> seen;
  for (const int mode : {kHeuristicsA, kHeuristicsFallback})
    for (const Descriptor& config : ask(graph, mode)) {
      Notes notes = read_notes(config);
      if (seen.insert(notes.configuration).second && !take(std::move(notes))) return;
    }
}

}  // namespace atc::cudnn
