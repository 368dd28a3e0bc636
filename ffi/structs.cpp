#include "structs.hpp"

#include <algorithm>
#include <cstring>

#include "core/error.hpp"

namespace atc::ffi {

namespace {

constexpr std::size_t kHead = sizeof(std::uint32_t);  // struct_size
// The largest struct_size, in bytes, that is accepted. No version of a struct is as large, so a
// caller with a larger struct_size has probably forgotten to set it.
constexpr std::size_t kLargest = std::size_t{64} << 10;

std::size_t size_of(const void* given, const char* name) {
  if (given == nullptr) fail(Status::invalid_argument, "{} is missing: pass it", name);
  std::uint32_t size = 0;
  std::memcpy(&size, given, sizeof(size));
  return size;
}

void check_size(std::size_t size, const KnownStruct& known, const char* name) {
  const char* const type = known.first.type;
  if (size < known.first.size)
    fail(Status::invalid_argument,
         "{}.struct_size is {}, the first version of {} has {}: set it to sizeof({}) before the "
         "call",
         name, size, type, known.first.size, type);
  if (size > kLargest)
    fail(Status::invalid_argument, "{}.struct_size is {}: set it to sizeof({}) before the call",
         name, size, type);
}

// Copies a struct to `out`. Fields that both versions of the struct have are copied, except
// struct_size. The other fields of `out` become zero.
void fill(void* out, std::size_t size, const void* from, std::size_t known) {
  const std::size_t end = std::min(size, known);
  auto* const bytes = static_cast<char*>(out);
  std::memcpy(bytes + kHead, static_cast<const char*>(from) + kHead, end - kHead);
  std::memset(bytes + end, 0, size - end);
}

}  // namespace

void check_struct(const void* given, const KnownStruct& known, const char* name) {
  check_size(size_of(given, name), known, name);
}

void read_struct(void* to, const void* given, const KnownStruct& known, const char* name) {
  const std::size_t size = size_of(given, name);
  check_size(size, known, name);
  const auto* const bytes = static_cast<const unsigned char*>(given);
  for (std::size_t i = known.size; i < size; ++i)
    if (bytes[i] != 0)
      fail(Status::invalid_argument,
           "{} has a field that this atc does not know: {} has {} bytes here and {} in the "
           "program, whose "
           "byte {} is {}: set it to zero, or run the program with the atc it was built for",
           name, known.first.type, known.size, size, i, bytes[i]);
  std::memcpy(to, given, std::min(size, known.size));
}

void write_struct(void* out, const void* from, const KnownStruct& known, const char* name) {
  const std::size_t size = size_of(out, name);
  check_size(size, known, name);
  fill(out, size, from, known.size);
}

void init_struct(void* out, std::size_t size, const void* from, const KnownStruct& known) {
  if (size < known.first.size || size > kLargest)
    fail(Status::invalid_argument, "struct_size is {}: pass sizeof({})", size, known.first.type);
  const auto given = static_cast<std::uint32_t>(size);
  fill(out, size, from, known.size);
  std::memcpy(out, &given, sizeof(given));
}

}  // namespace atc::ffi
