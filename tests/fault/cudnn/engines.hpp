// The engines of the script as cuDNN's descriptors describe them.
#pragma once

#include <memory>
#include <string>

#include "fault/cudnn/node.hpp"
#include "fault/machine/machine.hpp"

namespace atc::fault {

// The engine of a configuration; null if no engine has this index and these knobs.
const Engine* engine_of(const Node& config);

// Returns the first engine that has the index of an engine descriptor, whatever its knobs are. If
// there is none, returns an engine without notes.
const Engine& engine_at(const Node& engine);

// The configurations that the heuristics of a finalized descriptor propose.
std::vector<Shared> proposals(const Node& heuristics);

std::int64_t engine_count();

// A configuration as a text, and back: null for a text that was not given in this process.
std::string text_of(const Shared& config);
Shared config_of(const std::string& text);

}  // namespace atc::fault
