#include <exception>
#include <utility>

#include "conv/race/site.hpp"
#include "core/format.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/driver_probe.hpp"
#include "device/cuda/guarded_memory.hpp"
#include "device/cuda/memory.hpp"
#include "device/cuda/stream.hpp"
#include "device/cuda/tensor_work.hpp"
#include "engines/reference/cuda/device_values.hpp"

namespace atc::conv {

namespace {

using cuda::GuardedMemory;
using cuda::TensorWork;

// The number of multiprocessors that is assumed if the driver does not report it. It determines the
// size of a buffer, so it is larger than the number of any device.
constexpr int kMostMultiprocessors = 1024;

// The reference computes a whole output only if the problem has at most this many products for each
// multiprocessor of the device. A multiprocessor of an H200 computes as many in 50 ms.
constexpr double kProducts = 2e8;

class CudaOutput final : public WatchedOutput {
 public:
  CudaOutput(const Tensor& tensor, const TensorWork& work, DeviceId device, Stream stream)
      : tensor_(tensor), work_(work), memory_(tensor, work, device, stream) {}

  void* data() override { return memory_.data(); }
  void unwrite() override { memory_.fill_pattern(); }
  void copy_from(const void* old) override { memory_.copy_from(old); }
  std::vector<double> values(const std::vector<std::int64_t>& offsets) override {
    return work_.gather(tensor_, memory_.data(), offsets);
  }
  std::string trouble() override { return memory_.trouble(); }

 private:
  Tensor tensor_;
  TensorWork work_;
  GuardedMemory memory_;
};

class CudaWholeOutput final : public WholeOutput {
 public:
  CudaWholeOutput(const Tensor& tensor, const TensorWork& work, Allocation memory)
      : tensor_(tensor), work_(work), memory_(std::move(memory)) {}

  const void* data() const override { return memory_.data(); }
  double value(std::int64_t offset) override {
    return work_.gather(tensor_, memory_.data(), {offset}).front();
  }
  std::optional<std::int64_t> difference(const void* output, reference::Margin margin) override {
    return work_.difference(tensor_, output, memory_.data(), margin.absolute, margin.relative);
  }

 private:
  Tensor tensor_;
  TensorWork work_;
  Allocation memory_;
};

// Keeps the device busy: sets bytes again and again, on a stream of its own.
class BusyStream final : public OtherWork {
 public:
  explicit BusyStream(DeviceId device) : memory_(kBytes, device, stream_) {}
  ~BusyStream() override {
    try {
      cuda::synchronize(stream_);
    } catch (const std::exception&) {
      // A failure of the device is ignored here, because the next wait for the race's own stream
      // reports it.
    }
  }
  BusyStream(const BusyStream&) = delete;
  BusyStream& operator=(const BusyStream&) = delete;

  void go_on() override {
    for (unsigned char i = 0; i < kTimes; ++i) cuda::set_bytes(memory_.data(), i, kBytes, stream_);
  }

 private:
  static constexpr std::uint64_t kBytes = std::uint64_t{32} << 20;
  static constexpr unsigned char kTimes = 32;

  cuda::OwnStream stream_;
  Allocation memory_;
};

class CudaSite final : public Site {
 public:
  CudaSite(int index, Stream callers, Priority priority)
      : scope_(index),
        stream_(priority),
        summary_(cuda::driver().devices[static_cast<std::size_t>(index)]),
        id_{DeviceType::cuda, index},
        device_(id_, scope_.context(), stream_,
                summary_.multiprocessors > 0 ? summary_.multiprocessors : kMostMultiprocessors),
        work_(id_, scope_.context(), stream_) {
    // Waits for the work that the caller has queued, because this work would run at the same time
    // as the race. A stream that is being captured has no work queued, so there is nothing to wait
    // for.
    if (priority == Priority::normal && !cuda::is_capturing(callers)) cuda::synchronize(callers);
  }

  DeviceId id() const override { return id_; }
  Stream stream() const override { return stream_; }
  Device& device() override { return device_; }
  std::uint64_t cache_bytes() const override { return summary_.cache_bytes; }
  AvailableMemory available_memory() const override {
    const auto free = cuda::free_memory();
    return free ? AvailableMemory{*free, format("the free memory of {}", name_of(id_))}
                : Site::available_memory();
  }
  bool has_tf32() const override { return true; }
  Conditions conditions() const override { return device_.conditions(); }
  void wait() override { cuda::synchronize(stream_); }

  void set(void* to, unsigned char byte, std::uint64_t size) override {
    cuda::set_bytes(to, byte, size, stream_);
  }
  void copy(void* to, const void* from, std::uint64_t size) override {
    cuda::copy_on_device(to, from, size, stream_);
  }
  void fill(const Tensor& tensor, void* data, Filling filling, std::uint64_t seed) override {
    work_.fill(tensor, data, filling == Filling::ternary ? cuda::kFillTernary : cuda::kFillNormal,
               seed);
  }
  std::uint64_t fingerprint(const void* data, std::uint64_t size) override {
    return work_.fingerprint(data, size);
  }
  std::unique_ptr<WatchedOutput> make_output(const Tensor& tensor) override {
    return std::make_unique<CudaOutput>(tensor, work_, id_, stream_);
  }
  std::unique_ptr<OtherWork> begin_other_work() override {
    return std::make_unique<BusyStream>(id_);
  }
  std::vector<reference::ElementValue> values(
      const Problem& problem, const Operands& operands,
      const std::vector<reference::Index>& indices) override {
    return reference::device_values(problem, operands, indices, id_, scope_.context(), stream_);
  }
  std::unique_ptr<WholeOutput> copy_of(const Tensor& tensor, const void* output) override {
    Allocation memory(tensor.span_bytes(), id_, stream_);
    copy(memory.data(), output, tensor.span_bytes());
    return std::make_unique<CudaWholeOutput>(tensor, work_, std::move(memory));
  }
  std::unique_ptr<WholeOutput> evaluate(const Problem& problem, const Operands& given) override {
    const Tensor& output = problem.output();
    const double products =
        static_cast<double>(output.elements()) * static_cast<double>(problem.reduction_length());
    if (products > kProducts * summary_.multiprocessors) return nullptr;
    Allocation memory(output.span_bytes(), id_, stream_);
    Operands operands = given;
    void*& result = output_of(problem, operands);
    if (problem.accumulate) copy(memory.data(), result, output.span_bytes());
    result = memory.data();
    reference::convolve_finite_on_device(problem, operands, id_, scope_.context(), stream_);
    return std::make_unique<CudaWholeOutput>(output, work_, std::move(memory));
  }

 private:
  cuda::ContextScope scope_;
  cuda::RelaxedCapture relaxed_;
  cuda::OwnStream stream_;
  const cuda::DeviceSummary& summary_;
  DeviceId id_;
  cuda::CudaDevice device_;
  TensorWork work_;
};

}  // namespace

std::unique_ptr<Site> make_cuda_site(int device_index, Stream callers, Priority priority) {
  return std::make_unique<CudaSite>(device_index, callers, priority);
}

}  // namespace atc::conv
