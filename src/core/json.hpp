// Includes nlohmann::json, changed so that its destructor cannot fail for lack of memory. The
// original destructor lists the values that it has to destroy in a std::vector<json>, and ends the
// process if this list cannot be allocated. So every file that parses JSON must include this header
// in place of nlohmann/json.hpp.
#pragma once

#ifdef INCLUDE_NLOHMANN_JSON_HPP_
#error "include core/json.hpp in place of nlohmann/json.hpp"
#endif

#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <nlohmann/json_fwd.hpp>
#include <utility>

namespace atc {

// Returns `bytes` bytes from a reserve of memory, which libatc keeps for the case that no other
// memory is left. The reserve suffices for destroying a few JSON values. Returns null if not enough
// of it is left.
void* take_reserve(std::size_t bytes) noexcept;
// If `memory` is from the reserve, gives it back to the reserve and returns true. Otherwise returns
// false.
bool give_back_reserve(void* memory) noexcept;

template <typename T>
class JsonAllocator {
 public:
  using value_type = T;
  using pointer = T*;
  using const_pointer = const T*;
  using reference = T&;
  using const_reference = const T&;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;

  T* allocate(std::size_t count) {
    if (count > max_size()) throw std::bad_array_new_length();
    const std::size_t bytes = count * sizeof(T);
    void* memory = ::operator new(bytes, std::nothrow);
    if (memory == nullptr) memory = take_reserve(bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) noexcept {
    if (!give_back_reserve(memory)) ::operator delete(memory);
  }
  template <typename U, typename... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }
  template <typename U>
  void destroy(U* at) noexcept {
    at->~U();
  }
  std::size_t max_size() const noexcept {
    return static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(T);
  }
  friend bool operator==(const JsonAllocator&, const JsonAllocator&) noexcept { return true; }
  friend bool operator!=(const JsonAllocator&, const JsonAllocator&) noexcept { return false; }
};

}  // namespace atc

template <>
class std::allocator<nlohmann::json> : public atc::JsonAllocator<nlohmann::json> {
 public:
  allocator() noexcept = default;
  // The conversion from an allocator of another type is implicit, as in std::allocator.
  template <typename U>
  allocator(const std::allocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor)
  template <typename U>
  struct rebind {
    using other = std::allocator<U>;
  };
};

template <>
class std::allocator<nlohmann::ordered_json> : public atc::JsonAllocator<nlohmann::ordered_json> {
 public:
  allocator() noexcept = default;
  // The conversion from an allocator of another type is implicit, as in std::allocator.
  template <typename U>
  allocator(const std::allocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor)
  template <typename U>
  struct rebind {
    using other = std::allocator<U>;
  };
};

#include <nlohmann/json.hpp>
