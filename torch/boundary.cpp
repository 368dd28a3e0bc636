// The C functions of atc/torch.h in this build of the bridge. Each function checks and converts its
// arguments, calls the bridge, and turns exceptions into statuses. The functions are not exported.
// The loader (libatc_torch) calls them through a table (build_table.hpp).
#include <ATen/core/Tensor.h>

#include <memory>

#include "aten_engine.hpp"
#include "build_table.hpp"
#include "differentiable.hpp"
#include "guard.hpp"
#include "hooks.hpp"
#include "initialization.hpp"
#include "libraries.hpp"
#include "packed_weights.hpp"
#include "recorder.hpp"
#include "settings_source.hpp"
#include "spatial_dims.hpp"
#include "statistics.hpp"
#include "structs.hpp"
#include "trained_weights.hpp"

namespace {

using namespace atc_torch;

bool to_bool(std::int32_t value, const char* name) {
  if (value != 0 && value != 1)
    throw Failure(ATC_ERROR_INVALID_ARGUMENT,
                  std::string(name) + " is " + std::to_string(value) + ": use 0 or 1");
  return value == 1;
}

const at::Tensor& to_tensor(const atc_torch_tensor* given, const char* name) {
  const auto& tensor = *reinterpret_cast<const at::Tensor*>(&required(given, name));
  if (!tensor.defined())
    throw Failure(ATC_ERROR_INVALID_ARGUMENT,
                  std::string(name) + " is an undefined tensor: pass one with data");
  return tensor;
}

OwnGeometry to_geometry(const atc_torch_geometry* given) {
  const auto known = read_struct(given, "geometry");
  const int dims = checked_dims(known.spatial_dims);
  OwnGeometry geometry;
  geometry.stride.assign(known.stride, known.stride + dims);
  geometry.padding.assign(known.padding, known.padding + dims);
  geometry.dilation.assign(known.dilation, known.dilation + dims);
  geometry.transposed = to_bool(known.transposed, "geometry.transposed");
  geometry.output_padding.assign(known.output_padding, known.output_padding + dims);
  geometry.groups = known.groups;
  return geometry;
}

// Called by atc_plugin_load, which loads the bridge as a plug-in of libatc. Registers the engine
// `aten`. Does not connect the switches of LibTorch with those of libatc.
atc_status plugin_init() noexcept {
  return guard([] {
    register_aten_engine();
    let_aten_engine_load_cuda();
  });
}

}  // namespace

extern "C" {

atc_status atc_torch_init(void) noexcept {
  return guard([] {
    initialize();
    // The hooks are registered already here, so that atc_torch_install need not register them: no
    // thread may run a convolution while hooks are registered, but other threads may run
    // convolutions during atc_torch_install.
    register_hooks();
  });
}

atc_status atc_torch_describe(atc_torch_info* out) noexcept {
  return guard([&] {
    atc_torch_info info{};
    info.initialized = is_initialized() ? 1 : 0;
    info.installed = is_installed() ? 1 : 0;
    describe_libraries(info);
    write_struct(out, info, "out");
  });
}

atc_status atc_torch_load_cuda(void) noexcept {
  return guard([] { load_cuda(); });
}

atc_status atc_torch_set_fill_uninitialized_memory(int32_t enabled) noexcept {
  return guard([&] { set_fill_uninitialized_memory(to_bool(enabled, "enabled")); });
}

atc_status atc_torch_get_fill_uninitialized_memory(int32_t* out) noexcept {
  return guard([&] { required(out, "out") = fill_uninitialized_memory() ? 1 : 0; });
}

atc_status atc_torch_set_float32_matmul_precision(atc_torch_precision precision) noexcept {
  return guard([&] { set_float32_matmul_precision(precision); });
}

atc_status atc_torch_get_float32_matmul_precision(atc_torch_precision* out) noexcept {
  return guard([&] { required(out, "out") = float32_matmul_precision(); });
}

atc_status atc_torch_install(const atc_torch_options* options) noexcept {
  return guard([&] {
    const Options asked = to_options(options);
    if (asked.has_choice())
      throw Failure(
          ATC_ERROR_INVALID_ARGUMENT,
          "options has a choice, which is for one convolution: write a pin file for those "
          "of a program (set_pins)");
    initialize();
    install(asked);
  });
}

atc_status atc_torch_uninstall(void) noexcept {
  return guard([] { uninstall(); });
}

atc_status atc_torch_statistics_get(struct atc_torch_statistics* out) noexcept {
  return guard([&] { write_struct(out, statistics(), "out"); });
}

atc_status atc_torch_statistics_reset(void) noexcept {
  return guard([] { reset_statistics(); });
}

atc_status atc_torch_forget_weights(void) noexcept {
  return guard([] {
    forget_packed_weights();
    forget_trained_weights();
  });
}

atc_status atc_torch_convolution(atc_torch_tensor** out, const atc_torch_tensor* x,
                                 const atc_torch_tensor* w, const atc_torch_tensor* bias,
                                 const atc_torch_geometry* geometry,
                                 const atc_torch_options* options) noexcept {
  return guard([&] {
    required(out, "out");
    const at::Tensor& input = to_tensor(x, "x");
    const at::Tensor& weight = to_tensor(w, "w");
    std::optional<at::Tensor> added;
    if (bias != nullptr) added = to_tensor(bias, "bias");
    const OwnGeometry asked = to_geometry(geometry);
    const Options given = to_options(options);
    initialize();
    // The autograd node of this convolution keeps the current values of the switches, and computes
    // the gradients with the same values.
    const Options with = with_switches_of_now(given);
    auto result =
        std::make_unique<at::Tensor>(differentiable_convolution(input, weight, added, asked, with));
    *out = reinterpret_cast<atc_torch_tensor*>(result.release());
  });
}

atc_status atc_torch_record_start(const char* file) noexcept {
  return guard([&] {
    const std::string name = &required(file, "file");
    initialize();
    start_recording(name);
  });
}

atc_status atc_torch_record_stop(uint64_t* out_distinct) noexcept {
  return guard([&] {
    const std::uint64_t distinct = stop_recording();
    if (out_distinct != nullptr) *out_distinct = distinct;
  });
}

const BuildTable atc1_torch_build = {
    sizeof(BuildTable),
    plugin_init,
    atc_torch_init,
    atc_torch_describe,
    atc_torch_load_cuda,
    atc_torch_set_fill_uninitialized_memory,
    atc_torch_get_fill_uninitialized_memory,
    atc_torch_set_float32_matmul_precision,
    atc_torch_get_float32_matmul_precision,
    atc_torch_install,
    atc_torch_uninstall,
    atc_torch_statistics_get,
    atc_torch_statistics_reset,
    atc_torch_forget_weights,
    atc_torch_convolution,
    atc_torch_record_start,
    atc_torch_record_stop,
    use_start_folder,
};

}  // extern "C"
