// The engines of the script as cuDNN's descriptors tell of them.
#pragma once

#include <memory>
#include <string>

#include "fault/cudnn/node.hpp"
#include "fault/machine/machine.hpp"

namespace atc::fault {

// The engine that a configuration means; null where there is none of that index with those knobs.
const Engine* engine_of(const Node& config);

// The first one of an engine descriptor's index, whatever its knobs; one without notes where there
// is none.
const Engine& engine_at(const Node& engine);

// What the heuristics of a finalized descriptor answer: configurations.
std::vector<Shared> proposals(const Node& heuristics);

std::int64_t engine_count();

// A configuration as a text, and back: null for a text that was not given in this process.
std::string text_of(const Shared& config);
Shared config_of(const std::string& text);

}  // namespace atc::fault
