// The soak, a long run of many threads. Threads convolve changing layers through the C ABI.
// Meanwhile other threads change switches, write one store, register engines and clear caches. Each
// result is compared with the reference, and each status must be a documented one. The resources of
// the process must not grow.
#include <cstdio>

#include "on_cpu.hpp"
#include "on_cuda.hpp"

int main(int argc, char** argv) {
  const soak::Options options = soak::parse_options(argc, argv);
  std::printf("soak: seed %llu, %zu threads\n", static_cast<unsigned long long>(options.seed),
              options.threads);
  std::fflush(stdout);
  // Warnings are not logged, because most of them are about refused calls. This program makes such
  // calls on purpose, and counts them.
  atc_log_level_set(ATC_LOG_ERROR);
  soak::Report report(options.seed);
  if (options.on_cuda)
    soak::soak_on_cuda(options, report);
  else
    soak::soak_on_cpu(options, report);

  using K = soak::Kind;
  std::string missing =
      report.missing({K::eager, K::planned, K::given, K::race, K::toggle, K::restoration,
                      K::registration, K::removal, K::store_opened, K::store_used, K::store_read,
                      K::store_written, K::store_bundled, K::store_swept, K::cache_clear});
  missing += options.on_cuda ? report.missing({K::capture, K::replay, K::checked})
                             : report.missing({K::acquired, K::packed});
  if (!missing.empty()) report.stop("never done: " + missing);
  return 0;
}
