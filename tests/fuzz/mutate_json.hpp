// Functions that change JSON texts so that the texts are still JSON. Fuzz targets use them as
// mutators (functions by which the fuzzer makes new inputs).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Returns the text with one to four changes of its members, elements and values. If the text is not
// JSON, its bytes are changed instead. The bytes are also changed for one in eight texts that are
// JSON.
std::string changed_json(std::string_view text, unsigned seed);

// Returns the text with changed bytes, as libFuzzer changes inputs if a target has no mutator of
// its own.
std::string changed_bytes(std::string_view text);

// Copies the text to `data` at the end of an LLVMFuzzerCustomMutator, and returns its size. A text
// of more than `most` bytes is cut off.
std::size_t give_back(std::string_view text, std::uint8_t* data, std::size_t most);

}  // namespace fuzz
