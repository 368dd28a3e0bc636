// Stands in for a build of the bridge: a library with a table of functions, which the loader calls.
// Each function fails with its own name as the error text. If SHORT_TABLE is defined, the table has
// the size of a table of another version of atc.
#include "build_table.hpp"

namespace {

// The names of the bridge's functions, in the order of the members of BuildTable.
constexpr const char* kNames[] = {
    "plugin_init",
    "init",
    "describe",
    "load_cuda",
    "set_fill_uninitialized_memory",
    "get_fill_uninitialized_memory",
    "set_float32_matmul_precision",
    "get_float32_matmul_precision",
    "install",
    "uninstall",
    "statistics_get",
    "statistics_reset",
    "forget_weights",
    "convolution",
    "record_start",
    "record_stop",
};

// An object of this class can be converted to a pointer to a function with any parameters. The
// function fails with the error text kNames[place].
template <int place>
struct Named {
  template <typename... Arguments>
  static atc_status call(Arguments...) noexcept {
    atc_error_set(kNames[place]);
    return ATC_ERROR_UNSUPPORTED;
  }
  template <typename... Arguments>
  using Function = atc_status (*)(Arguments...) noexcept;
  template <typename... Arguments>
  operator Function<Arguments...>() const noexcept {
    return &call<Arguments...>;
  }
};

#ifdef SHORT_TABLE
constexpr std::size_t kSize = sizeof(atc_torch::BuildTable) - sizeof(void*);
#else
constexpr std::size_t kSize = sizeof(atc_torch::BuildTable);
#endif

void ignore_start_folder(const char*) noexcept {}

}  // namespace

extern "C" const atc_torch::BuildTable atc1_torch_build = {
    kSize,       Named<0>{},  Named<1>{},  Named<2>{},  Named<3>{},  Named<4>{},
    Named<5>{},  Named<6>{},  Named<7>{},  Named<8>{},  Named<9>{},  Named<10>{},
    Named<11>{}, Named<12>{}, Named<13>{}, Named<14>{}, Named<15>{}, ignore_start_folder,
};
