#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <exception>
#include <thread>
#include <utility>

#include "conv/race/site.hpp"
#include "core/allocator.hpp"
#include "core/fill.hpp"
#include "core/guarded_buffer.hpp"
#include "core/half.hpp"
#include "core/walk.hpp"
#include "device/available_memory.hpp"
#include "device/cpu/cpu_description.hpp"
#include "device/cpu/cpu_device.hpp"
#include "engines/reference/direct.hpp"

namespace atc::conv {

namespace {

// The reference computes a whole output only if the problem has at most this many products. One
// processor computes as many in about 10 ms.
constexpr double kProducts = 1e7;

class CpuOutput final : public WatchedOutput {
 public:
  explicit CpuOutput(const Tensor& tensor) : tensor_(tensor), buffer_(tensor) {}

  void* data() override { return buffer_.data(); }
  void unwrite() override { buffer_.fill_pattern(); }
  void copy_from(const void* old) override { buffer_.copy_from(old); }
  std::vector<double> values(const std::vector<std::int64_t>& offsets) override {
    std::vector<double> values;
    values.reserve(offsets.size());
    for (const std::int64_t offset : offsets)
      values.push_back(load_element(buffer_.data(), tensor_.dtype, offset));
    return values;
  }
  std::string trouble() override {
    std::string trouble = buffer_.violation();
    return trouble.empty() ? buffer_.bad_element() : trouble;
  }

 private:
  Tensor tensor_;
  GuardedBuffer buffer_;
};

class CpuWholeOutput final : public WholeOutput {
 public:
  CpuWholeOutput(const Tensor& tensor, Allocation memory)
      : tensor_(tensor), memory_(std::move(memory)) {}

  const void* data() const override { return memory_.data(); }
  double value(std::int64_t offset) override {
    return load_element(memory_.data(), tensor_.dtype, offset);
  }
  std::optional<std::int64_t> difference(const void* output, reference::Margin margin) override {
    // In most cases the two outputs agree in all bytes, so memcmp() is tried first. If all bytes
    // agree, so do all values, because these outputs contain no NaN.
    if (std::memcmp(output, memory_.data(), tensor_.span_bytes()) == 0) return std::nullopt;
    std::optional<std::int64_t> found;
    for_each_offset(tensor_, [&](std::int64_t logical, std::int64_t offset) {
      const double own = load_element(memory_.data(), tensor_.dtype, offset);
      const double error = std::fabs(load_element(output, tensor_.dtype, offset) - own);
      if (!found && !(error <= margin.absolute + margin.relative * std::fabs(own))) found = logical;
    });
    return found;
  }

 private:
  Tensor tensor_;
  Allocation memory_;
};

// Threads that load the machine by writing and reading memory. There is one thread for each
// processor.
class BusyThreads final : public OtherWork {
 public:
  BusyThreads() {
    const unsigned count = std::max(1U, std::thread::hardware_concurrency());
    try {
      for (unsigned i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
    } catch (const std::exception&) {
      // The system allows no more threads. The threads that were started before suffice to load the
      // machine.
    }
  }
  ~BusyThreads() override {
    ended_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  BusyThreads(const BusyThreads&) = delete;
  BusyThreads& operator=(const BusyThreads&) = delete;

 private:
  static constexpr std::size_t kBytes = std::size_t{1} << 18;

  void work() const {
    std::array<unsigned char, kBytes> memory{};
    for (unsigned char value = 0; !ended_; ++value) {
      memory.fill(value);
      // Because this read is volatile, the compiler cannot leave out the writes.
      const volatile unsigned char seen = memory[value];
      static_cast<void>(seen);
    }
  }

  std::atomic<bool> ended_ = false;
  std::vector<std::thread> threads_;
};

class CpuSite final : public Site {
 public:
  DeviceId id() const override { return {DeviceType::cpu, 0}; }
  Stream stream() const override { return nullptr; }
  Device& device() override { return device_; }
  std::uint64_t cache_bytes() const override { return cpu_description().cache_bytes; }
  AvailableMemory available_memory() const override { return atc::available_memory(); }
  bool has_tf32() const override { return false; }

  void set(void* to, unsigned char byte, std::uint64_t size) override {
    std::memset(to, byte, size);
  }
  void copy(void* to, const void* from, std::uint64_t size) override {
    std::memcpy(to, from, size);
  }
  void fill(const Tensor& tensor, void* data, Filling filling, std::uint64_t seed) override {
    filling == Filling::ternary ? fill_ternary(tensor, data, seed)
                                : fill_normal(tensor, data, seed);
  }
  std::uint64_t fingerprint(const void* data, std::uint64_t size) override {
    return XXH3_64bits(data, size);
  }
  std::unique_ptr<WatchedOutput> make_output(const Tensor& tensor) override {
    return std::make_unique<CpuOutput>(tensor);
  }
  std::unique_ptr<OtherWork> begin_other_work() override { return std::make_unique<BusyThreads>(); }
  std::vector<reference::ElementValue> values(
      const Problem& problem, const Operands& operands,
      const std::vector<reference::Index>& indices) override {
    return reference::values_at(problem, operands, indices);
  }
  std::unique_ptr<WholeOutput> copy_of(const Tensor& tensor, const void* output) override {
    Allocation memory(tensor.span_bytes(), id(), stream());
    copy(memory.data(), output, tensor.span_bytes());
    return std::make_unique<CpuWholeOutput>(tensor, std::move(memory));
  }
  std::unique_ptr<WholeOutput> evaluate(const Problem& problem, const Operands& given) override {
    if (problem.flops() / 2 > kProducts) return nullptr;
    const Tensor& output = problem.output();
    Allocation memory(output.span_bytes(), id(), stream());
    Operands operands = given;
    void*& result = output_of(problem, operands);
    if (problem.accumulate) copy(memory.data(), result, output.span_bytes());
    result = memory.data();
    reference::convolve(problem, operands, nullptr);
    return std::make_unique<CpuWholeOutput>(output, std::move(memory));
  }

 private:
  CpuDevice device_;
};

}  // namespace

std::unique_ptr<Site> make_cpu_site() { return std::make_unique<CpuSite>(); }

std::unique_ptr<Site> make_site(DeviceId device, Stream callers, Priority priority) {
  return device.type == DeviceType::cpu ? make_cpu_site()
                                        : make_cuda_site(device.index, callers, priority);
}

}  // namespace atc::conv
