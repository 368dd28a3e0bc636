// Writes a trace to a file.
#pragma once

#include <string>

#include "trace/results.hpp"

namespace atc::trace {

// Returns the path of the trace's file for the calling process: `pattern` with %p replaced by the
// process id, and %% by %. Throws Error(invalid_argument) for any other use of %, and if the path
// is too long.
std::string path_of(const std::string& pattern);
// Throws Error(io) if `path` cannot become a regular file: its folder is missing or cannot be
// written, or `path` exists and is not a regular file.
void check_path(const std::string& path);
// Writes the results as a table if the name of the file ends in .txt, and otherwise as JSON. An
// existing regular file is replaced as a whole. Throws Error(io).
void write(const std::string& path, const Results& results);

}  // namespace atc::trace
