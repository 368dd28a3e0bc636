// The site of a race: a device with its clock, its memory, and trusted results that are computed on
// it. All work is queued on the site's stream, in order.
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
#include "device/priority.hpp"
#include "engines/reference/position.hpp"
#include "engines/reference/tolerance.hpp"

namespace atc::conv {

enum class Filling { normal, ternary };

// An output between red zones, which show whether anything outside of its elements was written.
class WatchedOutput {
 public:
  virtual ~WatchedOutput() = default;
  virtual void* data() = 0;
  virtual void unwrite() = 0;  // fills all memory with the pattern that marks unwritten elements
  // Copies the elements of `old`, a tensor of the same layout. Fills all other memory with the
  // pattern.
  virtual void copy_from(const void* old) = 0;
  virtual std::vector<double> values(const std::vector<std::int64_t>& offsets) = 0;
  // Returns "" if the output is in order. Otherwise returns a sentence about an element that is not
  // finite or was never written, or about a write outside of the output. The contents may be lost
  // afterwards.
  virtual std::string trouble() = 0;
};

// A copy of all elements of an output, for comparisons with other outputs.
class WholeOutput {
 public:
  virtual ~WholeOutput() = default;
  virtual const void* data() const = 0;
  virtual double value(std::int64_t offset) = 0;  // offset in elements
  // The logical number of an element of `output` that is NaN, or that differs from the same element
  // of this copy by more than the margin. Empty if there is none.
  virtual std::optional<std::int64_t> difference(const void* output, reference::Margin margin) = 0;
};

// Work that keeps the device busy beside the site's stream, as long as this object exists.
class OtherWork {
 public:
  virtual ~OtherWork() = default;
  // Lets the other work run. Must be called before each execution that is to run beside this work.
  virtual void go_on() {}
};

class Site {
 public:
  virtual ~Site() = default;
  virtual DeviceId id() const = 0;
  virtual Stream stream() const = 0;
  virtual Device& device() = 0;
  virtual std::uint64_t cache_bytes() const = 0;  // last level
  // The number of bytes that can still be allocated, as far as this can be known beforehand.
  virtual AvailableMemory available_memory() const {
    return {std::numeric_limits<std::uint64_t>::max(), ""};
  }
  virtual bool has_tf32() const = 0;  // true if the device has units that may compute f32 with less
                                      // precision
  // Clocks, temperature and the like at this moment, as far as they are known.
  virtual Conditions conditions() const { return {}; }
  // Waits for all queued work. Throws Error(device) if the device has failed meanwhile.
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
  // Returns the whole output that the reference computes; null if computing it would take too long.
  virtual std::unique_ptr<WholeOutput> evaluate(const Problem&, const Operands&) { return nullptr; }
};

std::unique_ptr<Site> make_cpu_site();
// Makes a site on CUDA. It waits for the caller's stream, and then works on a stream of its own.
// If the site has a low priority, it waits for nothing, and works beside the program.
// Throws Error(library) if this build or machine has no CUDA on which to race.
std::unique_ptr<Site> make_cuda_site(int device_index, Stream callers, Priority priority);
std::unique_ptr<Site> make_site(DeviceId device, Stream callers,
                                Priority priority = Priority::normal);

}  // namespace atc::conv
