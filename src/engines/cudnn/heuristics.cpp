#include "engines/cudnn/heuristics.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace atc::cudnn {

namespace {

// Returns the configurations that cuDNN's heuristics propose in one mode. If there are none,
// returns an empty list and sets `failure` to the reason.
std::vector<Descriptor> ask(const Graph& graph, int mode, std::string& failure) {
  try {
    Descriptor heuristics(Kind::heuristics);
    heuristics.set(Attribute::heuristics_graph, graph.operations())
        .set(Attribute::heuristics_mode, Type::heuristics_mode, mode)
        .finalize();
    return heuristics.get_descriptors(Attribute::heuristics_results, Kind::engine_config,
                                      heuristics.count(Attribute::heuristics_results));
  } catch (const Error& error) {
    if (error.status() != atc::Status::unsupported) throw;
    failure = error.what();
    return {};
  }
}

}  // namespace

std::string propose(const std::vector<Graph>& graphs,
                    const std::function<bool(Notes, std::size_t graph)>& take) {
  std::string failure;
  std::set<std::pair<std::size_t, Configuration>> seen;
  for (const int mode : {kHeuristicsA, kHeuristicsFallback}) {
    std::vector<std::vector<Descriptor>> lists;
    bool any = true;
    for (std::size_t place = 0; any; ++place) {
      any = false;
      for (std::size_t graph = 0; graph < graphs.size(); ++graph) {
        if (lists.size() == graph) lists.push_back(ask(graphs[graph], mode, failure));
        if (place >= lists[graph].size()) continue;
        any = true;
        Notes notes = read_notes(lists[graph][place]);
        if (seen.insert({graph, notes.configuration}).second && !take(std::move(notes), graph))
          return failure;
      }
    }
  }
  return failure;
}

}  // namespace atc::cudnn
