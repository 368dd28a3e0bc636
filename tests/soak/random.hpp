// Random numbers by which a thread chooses its next action. The same seed gives the same numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/random.hpp"

namespace soak {

class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream) : seed_(atc::mix(seed, stream)) {}
  std::uint64_t next() { return atc::mix(seed_, next_++); }
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() >> 16) % bound; }
  bool once_in(std::size_t times) { return below(times) == 0; }
  template <typename Items>
  auto& of(Items& items) {
    return items[below(std::size(items))];
  }

 private:
  std::uint64_t seed_, next_ = 0;
};

}  // namespace soak
