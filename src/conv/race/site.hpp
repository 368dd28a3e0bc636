// The site of a race: the device on which the race runs. A Site gives access to the device's clock
// and memory, and computes the reference's results there. All work is queued on the site's stream,
// in order.
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

// The values of operands: about N(0, 1), or integers from {-1, 0, 1}.
enum class Filling { normal, ternary };

// An output between red zones. The red zones show whether something was written outside of the
// output's elements.
class WatchedOutput {
 public:
  virtual ~WatchedOutput() = default;
  virtual void* data() = 0;
  // Marks all elements of the output as unwritten: fills the memory and the red zones with a
  // pattern that means unwritten.
  virtual void unwrite() = 0;
  // Copies the elements of `old`, which is a tensor of the same layout. Fills all other memory with
  // the pattern.
  virtual void copy_from(const void* old) = 0;
  virtual std::vector<double> values(const std::vector<std::int64_t>& offsets) = 0;
  // Returns "" if the output has no fault. Otherwise returns a sentence about an element that is
  // not finite or was never written, or about a write outside of the output. This call may destroy
  // the contents.
  virtual std::string trouble() = 0;
};

// A copy of all elements of an output. Other outputs are compared with it.
class WholeOutput {
 public:
  virtual ~WholeOutput() = default;
  virtual const void* data() const = 0;
  // `offset` is the position of the element in elements
  virtual double value(std::int64_t offset) = 0;
  // Returns the number (in logical order) of an element of `output` that is NaN, or that differs
  // from the same element of this copy by more than the margin. Returns nothing if there is none.
  virtual std::optional<std::int64_t> difference(const void* output, reference::Margin margin) = 0;
};

// Work that keeps the device busy as long as this object exists. The work does not run on the
// site's stream.
class OtherWork {
 public:
  virtual ~OtherWork() = default;
  // Queues more of this work. Call it before each execution during which the device has to be busy.
  virtual void go_on() {}
};

class Site {
 public:
  virtual ~Site() = default;
  virtual DeviceId id() const = 0;
  virtual Stream stream() const = 0;
  virtual Device& device() = 0;
  // the size of the device's last-level cache, in bytes
  virtual std::uint64_t cache_bytes() const = 0;
  // Returns the number of bytes that can still be allocated, as far as this is known in advance.
  virtual AvailableMemory available_memory() const {
    return {std::numeric_limits<std::uint64_t>::max(), ""};
  }
  // True if the device has units that compute products of f32 operands rounded to TF32.
  virtual bool has_tf32() const = 0;
  // Returns the clocks, the temperature and similar facts at this moment, as far as they are known.
  virtual Conditions conditions() const { return {}; }
  // Waits for all queued work. Throws Error(device) if the device has failed meanwhile.
  virtual void wait() {}

  virtual void set(void* to, unsigned char byte, std::uint64_t size) = 0;
  virtual void copy(void* to, const void* from, std::uint64_t size) = 0;
  virtual void fill(const Tensor& tensor, void* data, Filling filling, std::uint64_t seed) = 0;
  virtual std::uint64_t fingerprint(const void* data, std::uint64_t size) = 0;
  virtual std::unique_ptr<WatchedOutput> make_output(const Tensor& tensor) = 0;
  // Starts work that keeps the device busy, at the same time as the site's own work. Returns null
  // if this kind of site has no such work.
  virtual std::unique_ptr<OtherWork> begin_other_work() { return nullptr; }
  virtual std::vector<reference::ElementValue> values(
      const Problem& problem, const Operands& operands,
      const std::vector<reference::Index>& indices) = 0;
  // Makes a copy of an output. Throws Error(out_of_memory).
  virtual std::unique_ptr<WholeOutput> copy_of(const Tensor& tensor, const void* output) = 0;
  // Returns the whole output that the reference computes. Null if computing it would take too long.
  virtual std::unique_ptr<WholeOutput> evaluate(const Problem&, const Operands&) { return nullptr; }
};

std::unique_ptr<Site> make_cpu_site();
// Makes a site on CUDA. With normal priority, first waits for the caller's stream, and then uses a
// stream of its own. With low priority, waits for nothing and works at the same time as the
// program. Throws Error(library) if this build or this machine cannot measure on CUDA.
std::unique_ptr<Site> make_cuda_site(int device_index, Stream callers, Priority priority);
std::unique_ptr<Site> make_site(DeviceId device, Stream callers,
                                Priority priority = Priority::normal);

}  // namespace atc::conv
