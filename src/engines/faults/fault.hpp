// Describes a known fault of a vendor's library as data: which versions and which implementations
// have it, for which problems, and how atc avoids it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/problem.hpp"

namespace atc::faults {

enum class Library { onednn, cudnn, cublaslt };
std::string_view name_of(Library library);  // returns for example "cuDNN"

struct Version {
  int major = 0, minor = 0, patch = 0;
};
constexpr bool operator<(const Version& a, const Version& b) {
  return std::tie(a.major, a.minor, a.patch) < std::tie(b.major, b.minor, b.patch);
}
std::string to_string(const Version& version);  // returns a text such as "9.19.0"
Version cudnn_version(std::size_t number);      // returns 9.19.0 for 91900
Version cublaslt_version(std::size_t number);   // returns 13.1.0 for 130100

constexpr Version kNeverFixed{1 << 20, 0, 0};

// The versions that have a fault: from `first` (included) to `fixed` (excluded).
struct Versions {
  Version first, fixed = kNeverFixed;
  constexpr bool include(const Version& version) const {
    return !(version < first) && version < fixed;
  }
};
// Returns a text such as "from 9.8.0, below 9.15.0".
std::string to_string(const Versions& versions);

// The compute capability of a GPU. In a Fault, 0.0 means all devices. In a Use, 0.0 means that
// there is no GPU.
struct ComputeCapability {
  int major = 0, minor = 0;
};

// Whether a fault that concerns devices of compute capability `faulty` (0.0: all devices) concerns
// the device with the compute capability `device`.
constexpr bool is_of(const ComputeCapability& faulty, const ComputeCapability& device) {
  return faulty.major == 0 || (faulty.major == device.major && faulty.minor == device.minor);
}

enum class Consequence {
  wrong_result,
  memory_corruption,
  crash,
  slow,
  not_deterministic,
};
std::string_view name_of(Consequence consequence);

enum class Handling {
  // The implementation is not offered. A configuration that names it is refused.
  barred,
  // The implementation is used only if the library has no other implementation for the problem. It
  // then runs on a thread that receives no signals.
  last_resort,
  // The implementation counts as not deterministic, even if the library reports that it is.
  not_deterministic,
  // If the implementation is chosen, its results are checked once more after problems of other
  // sizes have run.
  checked_after_other,
};
std::string_view name_of(Handling handling);

// A problem and the implementation that is to compute it. Engines search the table of faults for
// the faults that concern such a use.
struct Use {
  explicit Use(const Problem& of) : problem(of) {}

  const Problem& problem;
  std::string implementation;  // oneDNN's name of the implementation
  // The number of cuDNN's engine or of cuBLASLt's algorithm.
  std::int64_t engine = -1;
  // Type and value of the knobs (parameters) of cuDNN's engine.
  std::vector<std::pair<int, std::int64_t>> knobs;
  Dtype factors = Dtype::f32;  // the dtype in which factors are multiplied
  // False if the implementation reads x in a layout with blocks of channels.
  bool plain_source = true;
  bool tensor_core = false;       // true if tensor cores compute the products
  ComputeCapability device = {};  // the compute capability of the GPU
};

// Parts of the names of oneDNN's implementations. A fault concerns an implementation if its name
// contains one of these texts. '^' at the beginning of a text stands for the beginning of the name.
using Names = std::array<const char*, 4>;
// Numbers of cuDNN's engines or cuBLASLt's algorithms that have a fault. Unused elements at the end
// are -1.
using Engines = std::array<std::int64_t, 4>;
constexpr Engines kNoEngines{-1, -1, -1, -1};

// The directions of a convolution that have a fault.
struct Directions {
  bool forward = true, backward_data = true, backward_weight = true;
  bool include(Direction direction) const;
};
constexpr Directions kForward{true, false, false}, kBackwardData{false, true, false},
    kBackwardWeight{false, false, true};
std::string to_string(const Directions& directions);

struct Fault {
  // The name by which the fault is identified. It must never change.
  const char* name;
  Library library;
  Versions versions;
  // The compute capability of the devices with the fault; 0.0: all devices.
  ComputeCapability device;
  Directions directions;
  // The names of the implementations with the fault; empty: all of them.
  Names names;
  // The numbers of the engines with the fault; empty: all of them.
  Engines engines;
  bool (*condition)(const Use& use);
  // The condition in words, as it continues the words "a known fault with" in messages.
  const char* condition_text;
  Consequence consequence;
  Handling handling;
  const char* description;  // a description that continues a sentence with "is known for"
  const char* source;

  // Whether the fault concerns all implementations of the library, and not only some.
  bool concerns_all() const { return names[0] == nullptr && engines[0] < 0; }
  // Whether the fault concerns this problem and this implementation, if the loaded library has a
  // version with the fault. The version itself is not compared.
  bool concerns(const Use& use) const;
};

// Returns the implementations with the fault in words, for example "the names that contain ref",
// "engines 58, 63" or "all implementations".
std::string implementations_of(const Fault& fault);

}  // namespace atc::faults
