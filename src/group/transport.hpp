// The store of keys that the ranks of a job share. Nothing in it is ever changed or removed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace atc::group {

constexpr std::size_t kMostKeyBytes = 512;
constexpr std::size_t kMostPrefixBytes = 400;
constexpr std::size_t kMostValueBytes = std::size_t{1} << 20;
constexpr std::size_t kMostCallBytes =
    std::size_t{4}  // Limit for the bytes that the ranks of a call leave behind.
    << 20;
constexpr double kSliceSeconds = 1;  // of one `get`

// Called by one thread at a time, and without a lock of atc's. All but `now` throw Error(io) if the
// store cannot be reached.
class Transport {
 public:
  Transport() = default;
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // Creates the key if there is none. Returns the value that stands.
  virtual std::string create(const std::string& key, const std::string& value) = 0;
  // The key's value; none if there is none within the time.
  virtual std::optional<std::string> get(const std::string& key, double seconds) = 0;
  virtual double now() = 0;  // seconds of a clock that is never set back
};

}  // namespace atc::group
