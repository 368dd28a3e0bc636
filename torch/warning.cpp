#include "warning.hpp"

#include <c10/util/Exception.h>

#include <mutex>
#include <set>

namespace atc_torch {

void warn_once(const std::string& text) {
  constexpr std::size_t most = 256;
  static auto* const mutex = new std::mutex;
  static auto* const said = new std::set<std::string>;
  {
    const std::lock_guard lock(*mutex);
    if (said->size() >= most || !said->insert(text).second) return;
  }
  TORCH_WARN("atc: ", text);
}

}  // namespace atc_torch
