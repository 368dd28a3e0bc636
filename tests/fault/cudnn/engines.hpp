// Finds the engines of the test's script that cuDNN's descriptors describe.
#pragma once

#include <memory>
#include <string>

#include "fault/cudnn/node.hpp"
#include "fault/machine/machine.hpp"

namespace atc::fault {

// Returns the engine of the script with the index and the knobs that the configuration has, or null
// if the script has no such engine.
const Engine* engine_of(const Node& config);

// Returns the first engine of the script that has the index in the engine descriptor `engine`,
// whatever its knobs are. If the script has no such engine, returns an engine without notes.
const Engine& engine_at(const Node& engine);

// Returns the configurations that a finalized heuristics descriptor proposes.
std::vector<Shared> proposals(const Node& heuristics);

std::int64_t engine_count();

// text_of() returns a configuration as a text, and config_of() returns the configuration of such a
// text. config_of() returns null for a text that text_of() has not returned in this process.
std::string text_of(const Shared& config);
Shared config_of(const std::string& text);

}  // namespace atc::fault
