#include "summary.hpp"

#include <cstdio>

#include "core/format.hpp"

namespace soak {

namespace {

double mebibytes(std::uint64_t bytes) { return static_cast<double>(bytes) / kMiB; }

}  // namespace

void print(const char* when, const Process& process, const std::string& more) {
  const std::string line =
      atc::format("{}: resident {:.1f} MiB, allocated {:.2f} MiB, {} descriptors, {} threads{}",
                  when, mebibytes(process.resident), mebibytes(process.allocated),
                  process.descriptors, process.threads, more);
  std::puts(line.c_str());
  std::fflush(stdout);
}

void print_summary(const Report& report, const std::string& calls, const Process& first,
                   const Process& last, const std::string& more) {
  using K = Kind;
  const std::string line = atc::format(
      "soak: {}, {} races, {} toggles, {} registrations, {} store operations, {} cache clears; "
      "refused as documented: {}; resident {:.1f} -> {:.1f} MiB, allocated {:.2f} -> {:.2f} MiB, "
      "descriptors {} -> {}{}",
      calls, report.of({K::race}), report.of({K::toggle, K::restoration}),
      report.of({K::registration}),
      report.of({K::store_opened, K::store_used, K::store_read, K::store_written, K::store_bundled,
                 K::store_swept}),
      report.of({K::cache_clear}), report.refusals(), mebibytes(first.resident),
      mebibytes(last.resident), mebibytes(first.allocated), mebibytes(last.allocated),
      first.descriptors, last.descriptors, more);
  std::puts(line.c_str());
  std::fflush(stdout);
}

}  // namespace soak
