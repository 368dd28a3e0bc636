#include "store/seal.hpp"

#include <cstdint>

namespace atc::store {
namespace {

std::uint64_t rotated(std::uint64_t word, unsigned by) { return word << by | word >> (64U - by); }

struct State {
  std::uint64_t v0, v1, v2, v3;

  void rounds(int count) {
    for (int i = 0; i < count; ++i) {
      v0 += v1;
      v1 = rotated(v1, 13) ^ v0;
      v0 = rotated(v0, 32);
      v2 += v3;
      v3 = rotated(v3, 16) ^ v2;
      v0 += v3;
      v3 = rotated(v3, 21) ^ v0;
      v2 += v1;
      v1 = rotated(v1, 17) ^ v2;
      v2 = rotated(v2, 32);
    }
  }
  void take(std::uint64_t word) {
    v3 ^= word;
    rounds(2);
    v0 ^= word;
  }
  std::uint64_t folded() const { return v0 ^ v1 ^ v2 ^ v3; }
};

// Reads up to eight bytes as a number; the first byte is the lowest.
std::uint64_t word_of(std::string_view bytes) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return word;
}

}  // namespace

std::string seal_of(const Secret& secret, std::string_view bytes) {
  State state{secret.high ^ 0x736f6d6570736575, secret.low ^ 0x646f72616e646f6d ^ 0xee,
              secret.high ^ 0x6c7967656e657261, secret.low ^ 0x7465646279746573};
  const std::uint64_t size = bytes.size();
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) state.take(word_of(bytes.substr(0, 8)));
  state.take(word_of(bytes) | size << 56U);
  Hash128 seal;
  state.v2 ^= 0xeeU;
  state.rounds(4);
  seal.high = state.folded();
  state.v1 ^= 0xddU;
  state.rounds(4);
  seal.low = state.folded();
  return hex128(seal);
}

std::string sealed_message(std::string_view kind, std::string_view key_text,
                           std::string_view part) {
  std::string message;
  message.reserve(kind.size() + key_text.size() + part.size() + 2);
  // The parts of the message are separated by line feeds. Different parts give different messages,
  // because neither a kind nor the JSON of a key contains a line feed.
  return message.append(kind).append("\n").append(key_text).append("\n").append(part);
}

}  // namespace atc::store
