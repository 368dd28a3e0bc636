// Prints the summary of a run of the soak (the long run of many threads) as its last line.
#pragma once

#include <cstdint>
#include <string>

#include "process.hpp"
#include "report.hpp"

namespace soak {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

void print(const char* when, const Process& process, const std::string& more = "");
// Prints the summary of a run. `calls` is a text with the numbers of calls that were made.
void print_summary(const Report& report, const std::string& calls, const Process& first,
                   const Process& last, const std::string& more = "");

}  // namespace soak
