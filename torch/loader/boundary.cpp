// The C functions of atc/torch.h that programs call. Almost all of them call the function of the
// same name in the build of the bridge for the LibTorch of this process.
#include <atomic>
#include <exception>

#include "builds.hpp"
#include "cuda_library.hpp"
#include "failure.hpp"
#include "libtorch.hpp"
#include "spatial_dims.hpp"
#include "start_folder.hpp"
#include "structs.hpp"

namespace {

using namespace atc_torch;

template <typename Body>
atc_status guard(Body&& body) noexcept {
  try {
    body();
    return ATC_OK;
  } catch (...) {
    return report_thrown();
  }
}

std::atomic<const BuildTable*> loaded{nullptr};

// Loads the build of the bridge at the first call and returns its table. No lock is held during the
// loading, because the constructors of libraries may call atc. If several threads load at the same
// time, all get the same build. If the loading fails, the next call tries again, because the
// program may have loaded LibTorch in the meantime.
const BuildTable& build() {
  if (const BuildTable* const table = loaded.load(std::memory_order_acquire)) return *table;
  const BuildTable& table = load_build(find_libtorch());
  table.use_start_folder(start_folder());
  loaded.store(&table, std::memory_order_release);
  return table;
}

const BuildTable* build_if_any() noexcept {
  try {
    return &build();
  } catch (const std::exception&) {
    return nullptr;
  }
}

template <typename Function, typename... Arguments>
atc_status forward(Function BuildTable::*function, Arguments... arguments) noexcept {
  const BuildTable* table = nullptr;
  const atc_status status = guard([&] { table = &build(); });
  return status == ATC_OK ? (table->*function)(arguments...) : status;
}

// Returns a struct that describes the LibTorch of the process. Calls no function of LibTorch.
atc_torch_info describe_from_outside(const LibTorch& libtorch) {
  atc_torch_info info{};
  info.cuda = cuda_state_beside(libtorch.file);
  copy_text(info.version, libtorch.version);
  copy_text(info.built_for, versions_of_builds());
  copy_text(info.file, libtorch.file);
  if (info.cuda != ATC_TORCH_CUDA_ABSENT)
    copy_text(info.cuda_file, cuda_file_beside(libtorch.file));
  return info;
}

}  // namespace

extern "C" {

ATC_API atc_status atc1_plugin_init(void);
atc_status atc1_plugin_init(void) { return forward(&BuildTable::plugin_init); }

atc_status atc_torch_init(void) noexcept { return forward(&BuildTable::init); }

atc_status atc_torch_describe(atc_torch_info* out) noexcept {
  if (const BuildTable* const table = build_if_any()) return table->describe(out);
  return guard([&] { write_struct(out, describe_from_outside(find_libtorch()), "out"); });
}

atc_status atc_torch_load_cuda(void) noexcept { return forward(&BuildTable::load_cuda); }

atc_status atc_torch_set_fill_uninitialized_memory(int32_t enabled) noexcept {
  return forward(&BuildTable::set_fill_uninitialized_memory, enabled);
}

atc_status atc_torch_get_fill_uninitialized_memory(int32_t* out) noexcept {
  return forward(&BuildTable::get_fill_uninitialized_memory, out);
}

atc_status atc_torch_set_float32_matmul_precision(atc_torch_precision precision) noexcept {
  return forward(&BuildTable::set_float32_matmul_precision, precision);
}

atc_status atc_torch_get_float32_matmul_precision(atc_torch_precision* out) noexcept {
  return forward(&BuildTable::get_float32_matmul_precision, out);
}

atc_status atc_torch_install(const atc_torch_options* options) noexcept {
  return forward(&BuildTable::install, options);
}

atc_status atc_torch_uninstall(void) noexcept { return forward(&BuildTable::uninstall); }

atc_status atc_torch_statistics_get(struct atc_torch_statistics* out) noexcept {
  return forward(&BuildTable::statistics_get, out);
}

atc_status atc_torch_statistics_reset(void) noexcept {
  return forward(&BuildTable::statistics_reset);
}

atc_status atc_torch_forget_weights(void) noexcept { return forward(&BuildTable::forget_weights); }

// Fills a struct with the defaults of a convolution's geometry. Needs no LibTorch.
atc_status atc_torch_geometry_init_sized(atc_torch_geometry* out, size_t struct_size,
                                         int32_t spatial_dims) noexcept {
  return guard([&] {
    required(out, "out");
    atc_torch_geometry geometry{};
    geometry.spatial_dims = checked_dims(spatial_dims);
    geometry.groups = 1;
    for (int i = 0; i < spatial_dims; ++i) geometry.stride[i] = geometry.dilation[i] = 1;
    init_struct(out, struct_size, geometry);
  });
}

atc_status atc_torch_convolution(atc_torch_tensor** out, const atc_torch_tensor* x,
                                 const atc_torch_tensor* w, const atc_torch_tensor* bias,
                                 const atc_torch_geometry* geometry,
                                 const atc_torch_options* options) noexcept {
  return forward(&BuildTable::convolution, out, x, w, bias, geometry, options);
}

atc_status atc_torch_record_start(const char* file) noexcept {
  return forward(&BuildTable::record_start, file);
}

atc_status atc_torch_record_stop(uint64_t* out_distinct) noexcept {
  return forward(&BuildTable::record_stop, out_distinct);
}

// Calls the function that opens a group. It is in the separate library for groups
// (group_table.hpp), and not in a build of the bridge.
atc_status atc_torch_group_open(atc_group* out, const char* url, uint32_t rank, uint32_t size,
                                double timeout_seconds) noexcept {
  const GroupTable* groups = nullptr;
  const atc_status status = guard([&] { groups = &load_groups(find_libtorch()); });
  return status == ATC_OK ? groups->open(out, url, rank, size, timeout_seconds) : status;
}

}  // extern "C"
