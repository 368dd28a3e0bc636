#include "aten_engine.hpp"

#include <ATen/Context.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/ConvUtils.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/relu.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "atc/extend.h"
#include "cuda.hpp"
#include "guard.hpp"
#include "libraries.hpp"
#include "original.hpp"
#include "problem.hpp"

namespace atc_torch {

namespace {

constexpr const char* kConfiguration = "convolution";

std::atomic<bool> loads_cuda{false};

// Returns the reason why LibTorch cannot compute the problem, or null if LibTorch can compute it.
const char* why_not(const atc_conv_problem& p) {
  if (p.accumulate != 0) return "LibTorch has no accumulating convolution";
  for (int i = 0; i < p.spatial_dims; ++i)
    if (p.padding_low[i] != p.padding_high[i]) return "LibTorch pads both sides alike";
  if (p.x_dtype != p.w_dtype || p.x_dtype != p.y_dtype) return "LibTorch mixes no dtypes";
  return nullptr;
}

std::vector<std::int64_t> shape_of(atc_conv_problem p, std::int32_t operand) {
  // libatc turns a transposed convolution with a bias into a problem of the direction backward-data
  // with a bias, and passes this problem to engines. But atc_conv_operand_shape refuses
  // backward-data with a bias. The bias does not change the shape, so it is left out for this call.
  p.epilogue = ATC_EPILOGUE_NONE;
  std::vector<std::int64_t> shape(static_cast<std::size_t>(p.spatial_dims) + 2);
  check(atc_conv_operand_shape(shape.data(), nullptr, &p, operand));
  return shape;
}

// Replaces the strides of dimensions with one element by the strides that LibTorch would set. Such
// a stride has no effect on addresses, but LibTorch reads it, and with an unusual value LibTorch
// computes wrong results for some filters. If the other strides are not those of a dense tensor
// (channels first or channels last), returns `strides` unchanged.
std::vector<std::int64_t> as_libtorch_has_them(const std::vector<std::int64_t>& shape,
                                               std::vector<std::int64_t> strides) {
  const std::size_t rank = shape.size();
  for (const bool channels_last : {false, true}) {
    std::vector<std::size_t> order{0};  // the dimensions, the one with the largest stride first
    if (!channels_last) order.push_back(1);
    for (std::size_t i = 2; i < rank; ++i) order.push_back(i);
    if (channels_last) order.push_back(1);
    std::vector<std::int64_t> dense(rank);
    std::int64_t stride = 1;
    bool fits = true;
    for (auto i = order.rbegin(); i != order.rend(); ++i) {
      dense[*i] = stride;
      fits = fits && (shape[*i] == 1 || strides[*i] == stride);
      stride *= shape[*i];
    }
    if (fits) return dense;
  }
  return strides;
}

struct Operand {
  std::vector<std::int64_t> shape, strides;
  at::TensorOptions options;

  Operand(const atc_conv_problem& p, std::int32_t which, const std::int64_t (&known)[5],
          atc_dtype type, c10::Device device)
      : shape(shape_of(p, which)),
        strides(as_libtorch_has_them(shape, {known, known + p.spatial_dims + 2})),
        options(at::TensorOptions(device).dtype(scalar_type(type))) {}

  at::Tensor on(void* data) const { return view_of(data, shape, strides, options); }

  static at::Tensor view_of(void* data, at::IntArrayRef shape, at::IntArrayRef strides,
                            const at::TensorOptions& options) {
    // target_device() tells LibTorch on which device the tensor is. Otherwise LibTorch would ask
    // CUDA on which device the address is.
    return at::for_blob(data, shape)
        .strides(strides)
        .options(options)
        .target_device(options.device())
        .make_tensor();
  }
};

// A convolution that is ready to be executed by LibTorch. In place of a transposed convolution,
// libatc passes the ordinary convolution with x and y exchanged to this engine.
class Prepared {
 public:
  Prepared(const atc_conv_problem& p, const atc_engine_limits& limits)
      : device_(limits.device),
        flags_{false, limits.deterministic != 0, at::globalContext().userEnabledCuDNN(),
               limits.allow_tf32 != 0},
        direction_(p.direction),
        epilogue_(p.epilogue),
        groups_(p.groups),
        x_(p, ATC_OPERAND_X, p.x_strides, p.x_dtype, to_libtorch(limits.device)),
        w_(p, ATC_OPERAND_W, p.w_strides, p.w_dtype, to_libtorch(limits.device)),
        y_(p, ATC_OPERAND_Y, p.y_strides, p.y_dtype, to_libtorch(limits.device)) {
    const auto dims = static_cast<std::size_t>(p.spatial_dims);
    stride_.assign(p.stride, p.stride + dims);
    dilation_.assign(p.dilation, p.dilation + dims);
    padding_.assign(p.padding_low, p.padding_low + dims);
    none_.assign(dims, 0);
    // The output extent of an ordinary convolution is rounded down: a number of elements is divided
    // by the stride. The remainder of this division is the output padding of the transposed
    // convolution.
    for (std::size_t i = 0; i < dims; ++i) {
      const std::int64_t kernel = p.dilation[i] * (p.kernel[i] - 1) + 1;
      left_over_.push_back((p.input[i] + 2 * p.padding_low[i] - kernel) % p.stride[i]);
    }
  }

  ~Prepared() {
    result_.reset();
    // LibTorch keeps freed memory for the stream on which it was used. A race (the timing of
    // candidates) uses a stream of its own. After the race nothing uses this stream, so the memory
    // that LibTorch keeps for it is freed. LibTorch has a switch that makes it empty its cache
    // after its own search for an algorithm; the same switch is obeyed here.
    if (ran_on_cuda_ && at::native::_cudnn_get_conv_benchmark_empty_cache()) empty_cache();
  }
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  void set_weights(void* w) {
    const OnStream here(device_, nullptr);
    weights_ = w_.on(w).clone();
    if (device_.type == ATC_DEVICE_CUDA)
      at::detail::getCUDAHooks().deviceSynchronize(static_cast<c10::DeviceIndex>(device_.index));
  }

  void* execute(const atc_engine_operands& operands) {
    const OnStream here(device_, operands.stream);
    ran_on_cuda_ = device_.type == ATC_DEVICE_CUDA;
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    at::Tensor result = compute(operands);
    if (epilogue_ == ATC_EPILOGUE_BIAS_RELU) result = result.relu_();
    const Operand& written = output();
    // If the bridge made the call, `written` has the layout that LibTorch chooses for its result.
    // If a program called libatc itself, the program has chosen the layout of the output. Then the
    // result is copied to this layout if it has another one.
    if (!lies_as(result, written)) {
      at::Tensor arranged = at::empty_strided(written.shape, written.strides, result.options());
      result = arranged.copy_(result);
    }
    result_ = std::move(result);
    return result_.data_ptr();
  }

 private:
  // Returns whether `result` has the strides of `written`. The stride of a dimension with one
  // element is not compared, because it is never used.
  static bool lies_as(const at::Tensor& result, const Operand& written) {
    for (std::size_t i = 0; i < written.shape.size(); ++i)
      if (written.shape[i] > 1 && result.strides()[i] != written.strides[i]) return false;
    return true;
  }

  const Operand& output() const {
    if (direction_ == ATC_BACKWARD_DATA) return x_;
    return direction_ == ATC_BACKWARD_WEIGHT ? w_ : y_;
  }

  at::Tensor weights(const atc_engine_operands& operands) const {
    return operands.w != nullptr ? w_.on(operands.w) : weights_;
  }

  std::optional<at::Tensor> bias(const atc_engine_operands& operands, std::int64_t channels) const {
    if (operands.bias == nullptr) return std::nullopt;
    return Operand::view_of(const_cast<void*>(operands.bias), {channels}, {1}, output().options);
  }

  at::Tensor compute(const atc_engine_operands& operands) const {
    const Geometry forward{stride_, padding_, dilation_, false, none_, groups_};
    if (direction_ == ATC_FORWARD)
      return original::forward(x_.on(operands.x), weights(operands), bias(operands, y_.shape[1]),
                               forward, flags_);
    if (direction_ == ATC_BACKWARD_WEIGHT)
      return std::get<1>(original::backward(y_.on(operands.y), x_.on(operands.x), stand_in(w_),
                                            at::OptionalIntArrayRef(), forward,
                                            {false, true, false}, flags_));
    if (operands.bias != nullptr) {
      const Geometry transposed{stride_, padding_, dilation_, true, left_over_, groups_};
      return original::forward(y_.on(operands.y), weights(operands), bias(operands, x_.shape[1]),
                               transposed, flags_);
    }
    return std::get<0>(original::backward(y_.on(operands.y), stand_in(x_), weights(operands),
                                          at::OptionalIntArrayRef(), forward, {true, false, false},
                                          flags_));
  }

  // Returns a tensor that stands for the operand whose gradient is computed. LibTorch reads the
  // shape and the layout of the tensor, but not its values.
  static at::Tensor stand_in(const Operand& operand) {
    return at::empty_strided(operand.shape, operand.strides, operand.options);
  }

  const atc_device device_;
  const Flags flags_;
  bool ran_on_cuda_ = false;
  const atc_direction direction_;
  const atc_epilogue epilogue_;
  const std::int64_t groups_;
  const Operand x_, w_, y_;
  std::vector<std::int64_t> stride_, dilation_, padding_, none_, left_over_;
  at::Tensor weights_, result_;
};

// Does nothing for the CPU. For a CUDA device: loads libtorch_cuda if it is not loaded and
// let_aten_engine_load_cuda() was called. Throws Failure(ATC_ERROR_UNSUPPORTED) if libtorch_cuda is
// not loaded after that, or if it finds no device.
void require_device(const atc_device& device) {
  if (device.type == ATC_DEVICE_CPU) return;
  if (loads_cuda && cuda_state() == ATC_TORCH_CUDA_NOT_LOADED) load_cuda();
  if (!cuda_is_loaded() || !at::Context::hasCUDA())
    throw Failure(ATC_ERROR_UNSUPPORTED, "libtorch_cuda is not loaded, or sees no device");
}

atc_status offers(void*, const atc_conv_problem* problem, const atc_engine_limits* limits,
                  atc_offer_callback offer, void* payload) noexcept {
  return guard([&] {
    require_device(limits->device);
    if (const char* const reason = why_not(*problem)) throw Failure(ATC_ERROR_UNSUPPORTED, reason);
    atc_engine_offer own{};
    own.struct_size = sizeof(own);
    own.flags = ATC_ENGINE_RETURNS_OUTPUT | ATC_ENGINE_ORIGINAL;
    // Two flags widen the error that the check of this engine's results allows. First flag: on
    // CUDA, cuDNN may choose an algorithm that transforms the data, such as Winograd. Second flag:
    // LibTorch rounds the result before it adds the bias, and once more after that.
    if (limits->device.type == ATC_DEVICE_CUDA)
      own.flags |= ATC_ENGINE_TRANSFORM | ATC_ENGINE_ROUNDS_TWICE;
    own.configuration = kConfiguration;
    own.notes = "LibTorch's own convolution, its output's allocation included";
    const atc_status status = offer(&own, payload);
    if (status != ATC_OK) throw Failure(status, "the offer was refused");
  });
}

atc_status prepare(void** prepared, void*, const atc_conv_problem* problem,
                   const atc_engine_limits* limits, const char* configuration) noexcept {
  return guard([&] {
    if (std::strcmp(configuration, kConfiguration) != 0)
      throw Failure(ATC_ERROR_UNSUPPORTED,
                    std::string("aten has no configuration '") + configuration + "'");
    *prepared = std::make_unique<Prepared>(*problem, *limits).release();
  });
}

atc_status set_weights(void*, void* prepared, const void* w) noexcept {
  return guard([&] { static_cast<Prepared*>(prepared)->set_weights(const_cast<void*>(w)); });
}

atc_status execute(void*, void* prepared, atc_engine_operands* operands) noexcept {
  return guard([&] { operands->result = static_cast<Prepared*>(prepared)->execute(*operands); });
}

void release(void*, void* prepared) noexcept { delete static_cast<Prepared*>(prepared); }

}  // namespace

void register_aten_engine() {
  static std::mutex mutex;
  static bool done = false;
  const std::lock_guard lock(mutex);
  if (done) return;
  const std::string version = libtorch_version();
  atc_engine engine{};
  engine.struct_size = sizeof(engine);
  engine.device_type = ATC_ENGINE_EVERY_DEVICE;
  engine.name = kAtenEngine;
  engine.version = version.c_str();
  engine.offers = offers;
  engine.prepare = prepare;
  engine.set_weights = set_weights;
  engine.execute = execute;
  engine.release = release;
  check(atc_engine_register(&engine));
  done = true;
}

void let_aten_engine_load_cuda() { loads_cuda = true; }

bool is_aten(const char* choice) {
  const std::size_t length = std::strlen(kAtenEngine);
  return std::strncmp(choice, kAtenEngine, length) == 0 && choice[length] == '@';
}

}  // namespace atc_torch
