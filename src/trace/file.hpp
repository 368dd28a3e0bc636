// The file that a trace is written to.
#pragma once

#include <string>

#include "trace/results.hpp"

namespace atc::trace {

// The path that `pattern` stands for in the calling process: %p is the process id, %% a %. Throws
// Error(invalid_argument) for any other %, and for a path that is too long.
std::string path_of(const std::string& pattern);
// Throws Error(io) if `path` cannot become a regular file: its folder is missing or not writable,
// or something else than a regular file has its name.
void check_path(const std::string& path);
// Writes the table if the name ends in .txt, otherwise JSON. Replaces a regular file as a whole.
// Throws Error(io).
void write(const std::string& path, const Results& results);

}  // namespace atc::trace
