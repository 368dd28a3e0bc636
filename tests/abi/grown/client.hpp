// A test program that was built against one version of the headers and runs on the library of
// another version. The program is compiled twice. The program "older" uses the headers as they are.
// The program "newer" defines ATC_CLIENT_IS_NEWER and uses headers in which each struct that begins
// with struct_size has one more field, `appended`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <string>

#include "atc/atc.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) (static_cast<void>(address))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) (static_cast<void>(address))
#endif

#ifdef ATC_CLIENT_IS_NEWER
constexpr bool kClientIsNewer = true;
#else
constexpr bool kClientIsNewer = false;
#endif
constexpr std::size_t kAppended = sizeof(std::uint64_t);

inline bool library_is_newer = false;
inline int failures = 0;

constexpr atc_device kCpu = {ATC_DEVICE_CPU, 0};

inline void expect(bool holds, const char* what, const char* file, int line) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "%s:%d: %s (last error: %s)\n", file, line, what, atc_last_error());
}
#define EXPECT(condition) expect((condition), #condition, __FILE__, __LINE__)

// Returns the size of T in the running library.
template <typename T>
constexpr std::size_t library_size() {
  return sizeof(T) - (kClientIsNewer ? kAppended : 0) + (library_is_newer ? kAppended : 0);
}

// Holds a struct T between guard bytes. The struct and the guards are first filled with a pattern.
// If instrumented code accesses a guard, AddressSanitizer reports the access. If other code has
// written to a guard, the destructor finds the change.
template <typename T>
class Guarded {
 public:
  Guarded() {
    std::memset(bytes_, kPattern, sizeof(bytes_));
    ASAN_POISON_MEMORY_REGION(bytes_, kGuard);
    ASAN_POISON_MEMORY_REGION(bytes_ + kGuard + sizeof(T), kGuard);
  }
  ~Guarded() {
    ASAN_UNPOISON_MEMORY_REGION(bytes_, sizeof(bytes_));
    EXPECT(is_pattern(bytes_, kGuard));
    EXPECT(is_pattern(bytes_ + kGuard + sizeof(T), kGuard));
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  T* get() { return reinterpret_cast<T*>(bytes_ + kGuard); }
  T* operator->() { return get(); }

  // Copies `value`, such as the result of an initializer macro, into the struct.
  void set(const T& value) { std::memcpy(get(), &value, sizeof(T)); }

  // Returns whether the end of the struct still has the initial pattern, so that nothing was
  // written there. The end is the last kAppended bytes of T as the older headers declare it.
  bool end_is_pattern() {
    const std::size_t end = kGuard + sizeof(T) - (kClientIsNewer ? kAppended : 0);
    return is_pattern(bytes_ + end - kAppended, kAppended);
  }

 private:
  static constexpr unsigned char kPattern = 0xA5;
  static constexpr std::size_t kGuard = 64;
  static bool is_pattern(const unsigned char* bytes, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
      if (bytes[i] != kPattern) return false;
    return true;
  }
  alignas(16) unsigned char bytes_[kGuard + sizeof(T) + kGuard];
};

inline bool error_names(std::initializer_list<std::string> words) {
  for (const std::string& word : words)
    if (std::strstr(atc_last_error(), word.c_str()) == nullptr) return false;
  return true;
}

// Expects that `call`, which reads the struct `given`, accepts `given`. If the client's headers are
// newer than the library, also expects that `call` refuses `given` if the field `appended`, which
// the library does not know, is not zero. The error must name `type` and both sizes of the struct.
template <typename T, typename Call>
void reads(const char* type, Guarded<T>& given, Call&& call) {
  EXPECT(given->struct_size == sizeof(T));
  EXPECT(call() == ATC_OK);
#ifdef ATC_CLIENT_IS_NEWER
  given->appended = 1;
  if (library_is_newer) {
    EXPECT(call() == ATC_OK);
  } else {
    EXPECT(call() == ATC_ERROR_INVALID_ARGUMENT);
    EXPECT(error_names(
        {type, std::to_string(sizeof(T)), std::to_string(library_size<T>()), "set it to zero"}));
  }
  given->appended = 0;
#else
  static_cast<void>(type);
#endif
}

// Expects that `call`, which writes a T, writes the fields that both the client and the library
// know, and nothing beyond the struct. If the client's T has a field that the library does not
// know, the library must set this field to zero.
template <typename T, typename Call>
void writes(Call&& call) {
  Guarded<T> out;
  out->struct_size = sizeof(T);
  EXPECT(call(out.get()) == ATC_OK);
  EXPECT(out->struct_size == sizeof(T));
  EXPECT(!out.end_is_pattern());
#ifdef ATC_CLIENT_IS_NEWER
  EXPECT(out->appended == 0);
#endif
}

// Describes a convolution with one channel and a filter of one element: four numbers are multiplied
// by w[0].
inline void fill(atc_conv_problem* problem) {
  EXPECT(atc_conv_problem_init(problem, 1) == ATC_OK);
  problem->input[0] = 4;
}

// The operands of the convolution that `fill` describes, as tensor views.
struct Tensors {
  float x_data[4] = {1, 2, 3, 4}, w_data[1] = {3}, y_data[4] = {};
  std::int64_t shape[3] = {1, 1, 4}, one[3] = {1, 1, 1};
  atc_tensor_view x = {x_data, kCpu, 3, {ATC_CODE_FLOAT, 32, 1}, shape, nullptr, 0};
  atc_tensor_view w = {w_data, kCpu, 3, {ATC_CODE_FLOAT, 32, 1}, one, nullptr, 0};
  atc_tensor_view y = {y_data, kCpu, 3, {ATC_CODE_FLOAT, 32, 1}, shape, nullptr, 0};

  bool right() const { return y_data[0] == 3 && y_data[3] == 12; }
};

void check_read_structs();
void check_written_structs();
void check_callbacks();
