#include "engines/instruction_sets.hpp"

#include "core/environment.hpp"
#include "core/format.hpp"
#ifdef ATC_WITH_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#endif

namespace atc {

std::string instruction_sets_left() {
#ifdef ATC_WITH_ONEDNN
  // This string is never destroyed, because other threads may call this function while the process
  // ends.
  static const auto* const left = new std::string([]() -> std::string {
    // DNNL_MAX_CPU_ISA is the old name of the environment variable ONEDNN_MAX_CPU_ISA. oneDNN still
    // reads it.
    const bool set =
        is_set_for_libraries("ONEDNN_MAX_CPU_ISA") || is_set_for_libraries("DNNL_MAX_CPU_ISA");
    return set ? format("{:#x}", static_cast<unsigned>(dnnl_get_effective_cpu_isa())) : "";
  }());
  return *left;
#else
  return "";
#endif
}

}  // namespace atc
