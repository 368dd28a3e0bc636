#include "engines/instruction_sets.hpp"

#include "core/environment.hpp"
#include "core/format.hpp"
#ifdef ATC_WITH_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#endif

namespace atc {

std::string instruction_sets_left() {
#ifdef ATC_WITH_ONEDNN
  // This is never destroyed, because other threads may ask while the process ends.
  static const auto* const left = new std::string([]() -> std::string {
    const bool set = is_set_for_libraries("ONEDNN_MAX_CPU_ISA") ||
                     is_set_for_libraries("DNNL_MAX_CPU_ISA");  // its former name, still read
    return set ? format("{:#x}", static_cast<unsigned>(dnnl_get_effective_cpu_isa())) : "";
  }());
  return *left;
#else
  return "";
#endif
}

}  // namespace atc
