// The file that a trace is written to.
#pragma once

#include <string>

#include "trace/results.hpp"

namespace atc::trace {

// Returns the path that `pattern` stands for in the calling process: %p is the process id, %% is a
// %. Throws Error(invalid_argument) for any other %, and for a path that is too long.
std::string path_of(const std::string& pattern);
// Throws Error(io) if `path` cannot become a regular file: its folder is missing or not writable,
// or something other than a regular file has its name.
void check_path(const std::string& path);
// Writes the table if the name ends in .txt, otherwise JSON. An existing regular file is replaced
// as a whole. Throws Error(io).
void write(const std::string& path, const Results& results);

}  // namespace atc::trace
