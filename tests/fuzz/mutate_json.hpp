// Changes JSON texts so that they remain JSON, for the mutators of fuzz targets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// The text with one to four changes of its members, elements and values. A text that is not JSON,
// and one text of eight, is changed byte by byte.
std::string changed_json(std::string_view text, unsigned seed);

// Changes bytes, as libFuzzer does without a mutator.
std::string changed_bytes(std::string_view text);

// Hands the text back to the fuzzer, at the end of a LLVMFuzzerCustomMutator. If the text does not
// fit, it is cut off.
std::size_t give_back(std::string_view text, std::uint8_t* data, std::size_t most);

}  // namespace fuzz
