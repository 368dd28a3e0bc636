// The store of keys that the ranks of a job share. A key is written only once: its value is never
// changed or removed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace atc::group {

constexpr std::size_t kMostKeyBytes = 512;
constexpr std::size_t kMostPrefixBytes = 400;
constexpr std::size_t kMostValueBytes = std::size_t{1} << 20;
// The largest number of bytes that the ranks of one call may write to the store together. (They
// remain there, because keys are never removed.)
constexpr std::size_t kMostCallBytes = std::size_t{4} << 20;
constexpr double kSliceSeconds = 1;  // the longest time of one call of `get`, while a rank waits

// The interface of the store. One thread at a time calls it, and atc holds no lock during the call.
// All functions except `now` throw Error(io) if the store cannot be reached.
class Transport {
 public:
  Transport() = default;
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // Creates the key with this value, unless the key exists. Returns the value that the key has now.
  virtual std::string create(const std::string& key, const std::string& value) = 0;
  // Waits up to `seconds` for the key and returns its value. Returns nothing if the key does not
  // exist by then.
  virtual std::optional<std::string> get(const std::string& key, double seconds) = 0;
  virtual double now() = 0;  // returns the seconds of a clock that is never set back
};

}  // namespace atc::group
