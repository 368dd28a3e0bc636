#include "conv/race/race_lock.hpp"

namespace atc::conv {

std::unique_lock<std::mutex> take_turn() {
  static auto* const mutex = new std::mutex;
  return std::unique_lock(*mutex);
}

}  // namespace atc::conv
