// The place of a race: a device with its clock, its memory and trusted results computed there. All
// work is queued in the order of the site's stream.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/device_type.hpp"
#include "core/problem.hpp"
#include "device/available_memory.hpp"
#include "device/conditions.hpp"
#include "device/device.hpp"
#include "engines/reference/position.hpp"
#include "engines/reference/tolerance.hpp"

namespace atc::conv {

enum class Filling { normal, ternary };

// An output between red zones, which tells whether anything outside of its elements was written.
class WatchedOutput {
 public:
  virtual ~WatchedOutput() = default;
  virtual void* data() = 0;
  virtual void unwrite() = 0;  // fills all memory with the pattern
  // Copies the elements of `old`, a tensor of the same layout; fills the rest with the pattern.
  virtual void copy_from(const void* old) = 0;
  virtual std::vector<double> values(const std::vector<std::int64_t>& offsets) = 0;
  // Returns "", or a sentence about an element that is not finite or was never written, or about a
  // write outside. The contents may be gone afterwards.
  virtual std::string trouble() = 0;
};

// All elements of an output, for comparisons with others.
class WholeOutput {
 public:
  virtual ~WholeOutput() = default;
  virtual const void* data() const = 0;
  virtual double value(std::int64_t offset) = 0;  // offset in elements
  // The logical number of an element of `output` that is NaN or further from this one's than the
  // margin; empty if there is none.
  virtual std::optional<std::int64_t> difference(const void* output, reference::Margin margin) = 0;
};

// Work that keeps the device busy beside the site's stream, for as long as it lives.
class OtherWork {
 public:
  virtual ~OtherWork() = default;
  // Called before each execution that is to run beside it.
  virtual void go_on() {}
};

class Site {
 public:
  virtual ~Site() = default;
  virtual DeviceId id() const = 0;
  virtual Stream stream() const = 0;
  virtual Device& device() = 0;
  virtual std::uint64_t cache_bytes() const = 0;  // last level
  // The memory that may still be allocated, as far as that can be known beforehand.
  virtual AvailableMemory available_memory() const {
    return {std::numeric_limits<std::uint64_t>::max(), ""};
  }
  virtual bool has_tf32() const = 0;  // units that may compute f32 with less precision
  virtual Conditions conditions() const { return {}; }  // the current ones, as far as known
  // Waits for what is queued. Throws Error(device) where the device has failed meanwhile.
  virtual void wait() {}

  virtual void set(void* to, unsigned char byte, std::uint64_t size) = 0;
  virtual void copy(void* to, const void* from, std::uint64_t size) = 0;
  virtual void fill(const Tensor& tensor, void* data, Filling filling, std::uint64_t seed) = 0;
  virtual std::uint64_t fingerprint(const void* data, std::uint64_t size) = 0;
  virtual std::unique_ptr<WatchedOutput> make_output(const Tensor& tensor) = 0;
  virtual std::unique_ptr<OtherWork> begin_other_work() { return nullptr; }  // null: it has none
  virtual std::vector<reference::ElementValue> values(
      const Problem& problem, const Operands& operands,
      const std::vector<reference::Index>& indices) = 0;
  // A copy of an output. Throws Error(out_of_memory).
  virtual std::unique_ptr<WholeOutput> copy_of(const Tensor& tensor, const void* output) = 0;
  // The reference's output; null if computing it would take too long.
  virtual std::unique_ptr<WholeOutput> evaluate(const Problem&, const Operands&) { return nullptr; }
};

std::unique_ptr<Site> make_cpu_site();
// Waits for the caller's stream, then works on a stream of its own. Throws Error(library) where
// this build or machine has no CUDA to race on.
std::unique_ptr<Site> make_cuda_site(int device_index, Stream callers);
std::unique_ptr<Site> make_site(DeviceId device, Stream callers);

}  // namespace atc::conv
