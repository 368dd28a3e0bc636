// A fault of a vendor's library as data: which implementations of which versions must not run for
// which problems, and why.
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
std::string_view name_of(Library library);  // the name of the library in atc_library_info

struct Version {
  int major = 0, minor = 0, patch = 0;
};
constexpr bool operator<(const Version& a, const Version& b) {
  return std::tie(a.major, a.minor, a.patch) < std::tie(b.major, b.minor, b.patch);
}
std::string to_string(const Version& version);  // "9.19.0"
Version cudnn_version(std::size_t number);      // 91900 is 9.19.0
Version cublaslt_version(std::size_t number);   // 130100 is 13.1.0

constexpr Version kNeverFixed{1 << 20, 0, 0};

// The versions that have a fault: from `first` on, and below `fixed`.
struct Versions {
  Version first, fixed = kNeverFixed;
  constexpr bool include(const Version& version) const {
    return !(version < first) && version < fixed;
  }
};
std::string to_string(const Versions& versions);  // "from 9.8.0, below 9.15.0"

// A GPU's compute capability. 0.0 in a fault means any; 0.0 in a use means that there is no GPU.
struct ComputeCapability {
  int major = 0, minor = 0;
};

// Whether a fault of devices `faulty` concerns `device`.
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
  barred,  // the implementation is not offered, and a choice that names it cannot be built
  // Offered and built only if the library has nothing else. Then it runs on a thread that takes no
  // signals.
  last_resort,
  not_deterministic,    // the implementation counts as not deterministic, even if the library says
                        // otherwise
  checked_after_other,  // the implementation's results are checked once more after problems of
                        // other sizes have run
};
std::string_view name_of(Handling handling);

// A use of an implementation for a problem: the question to the table.
struct Use {
  explicit Use(const Problem& of) : problem(of) {}

  const Problem& problem;
  std::string implementation;                       // oneDNN's name of it
  std::int64_t engine = -1;                         // cuDNN's engine, cuBLASLt's algorithm
  std::vector<std::pair<int, std::int64_t>> knobs;  // of cuDNN's engine: type, value
  Dtype factors = Dtype::f32;                       // of the products
  // True if the layout of x is not one with blocks of channels.
  bool plain_source = true;
  bool tensor_core = false;       // tensor cores compute the products
  ComputeCapability device = {};  // of the GPU
};

// An implementation has the fault if its name contains one of these texts. '^' stands for the start
// of the name.
using Names = std::array<const char*, 4>;
// An engine or algorithm has the fault if its number is among these; the array is filled from its
// first element on.
using Engines = std::array<std::int64_t, 4>;
constexpr Engines kNoEngines{-1, -1, -1, -1};

// Directions that have a fault.
struct Directions {
  bool forward = true, backward_data = true, backward_weight = true;
  bool include(Direction direction) const;
};
constexpr Directions kForward{true, false, false}, kBackwardData{false, true, false},
    kBackwardWeight{false, false, true};
std::string to_string(const Directions& directions);

struct Fault {
  const char* name;  // permanent
  Library library;
  Versions versions;
  ComputeCapability device;  // the compute capability of the devices that have the fault; 0.0: all
                             // devices
  Directions directions;
  Names names;      // empty: all names
  Engines engines;  // empty: all numbers
  bool (*condition)(const Use& use);
  const char* condition_text;  // the condition in words, which end a sentence with "for …"
  Consequence consequence;
  Handling handling;
  const char* description;  // a description that continues the words "is known for"
  const char* source;

  // Whether the fault concerns the whole library, whatever the implementation.
  bool concerns_all() const { return names[0] == nullptr && engines[0] < 0; }
  bool concerns(const Use& use) const;  // whatever the version
};

// Returns, for example, "the names that contain ref", "engines 58, 63", "all implementations".
std::string implementations_of(const Fault& fault);

}  // namespace atc::faults
