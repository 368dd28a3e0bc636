// Stands in for the library of the bridge that opens groups through LibTorch's c10d. Opening a
// group fails with the name of the function as the error text. If SHORT_TABLE is defined, the table
// of functions has the size of another version of atc.
#include <cstdint>

#include "group_table.hpp"

namespace {

atc_status open(atc_group*, const char*, std::uint32_t, std::uint32_t, double) noexcept {
  atc_error_set("group_open");
  return ATC_ERROR_UNSUPPORTED;
}

#ifdef SHORT_TABLE
constexpr std::size_t kSize = sizeof(atc_torch::GroupTable) - sizeof(void*);
#else
constexpr std::size_t kSize = sizeof(atc_torch::GroupTable);
#endif

}  // namespace

extern "C" const atc_torch::GroupTable atc1_torch_group = {kSize, open};
