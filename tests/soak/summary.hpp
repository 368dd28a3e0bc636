// Prints the last line of the output of a run.
#pragma once

#include <cstdint>
#include <string>

#include "process.hpp"
#include "report.hpp"

namespace soak {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

void print(const char* when, const Process& process, const std::string& more = "");
// `calls` is a text with the counts of calls.
void print_summary(const Report& report, const std::string& calls, const Process& first,
                   const Process& last, const std::string& more = "");

}  // namespace soak
