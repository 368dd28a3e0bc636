// Replacements for the functions of libc that allocate memory. If a sanitizer already replaces
// malloc, only the functions of the C++ library are replaced.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "faults.hpp"

namespace atc_sweep {
namespace {

std::atomic<std::int64_t> live{0};

// Returns whether the allocation that is being made may succeed. If not, notes that the fault has
// happened in it.
bool granted() {
  if (!inside_atc()) return true;
  if (!fails(Kind::allocation)) return true;
  note_hit("an allocation");
  errno = ENOMEM;
  return false;
}

void* counted(void* memory) {
  if (memory != nullptr && inside_atc()) ++live;
  return memory;
}

void released(void* memory) {
  if (memory != nullptr && inside_atc()) --live;
}

}  // namespace

std::int64_t live_allocations() { return live; }

}  // namespace atc_sweep

using namespace atc_sweep;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

void* operator new(std::size_t size) {
  void* memory = granted() ? counted(std::malloc(size)) : nullptr;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return granted() ? counted(std::malloc(size)) : nullptr;
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, const std::nothrow_t& quiet) noexcept {
  return operator new(size, quiet);
}
void operator delete(void* memory) noexcept {
  released(memory);
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { operator delete(memory); }
void operator delete[](void* memory) noexcept { operator delete(memory); }
void operator delete[](void* memory, std::size_t) noexcept { operator delete(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { operator delete(memory); }

#else

// __libc_malloc and the like are names of glibc's own functions. They remain available in a program
// that replaces malloc.
extern "C" {
void* __libc_malloc(std::size_t size) noexcept;
void* __libc_calloc(std::size_t count, std::size_t size) noexcept;
void* __libc_realloc(void* memory, std::size_t size) noexcept;
void* __libc_memalign(std::size_t alignment, std::size_t size) noexcept;
void __libc_free(void* memory) noexcept;

void* malloc(std::size_t size) noexcept {
  return granted() ? counted(__libc_malloc(size)) : nullptr;
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  return granted() ? counted(__libc_calloc(count, size)) : nullptr;
}
void* realloc(void* memory, std::size_t size) noexcept {
  if (!granted()) return nullptr;
  void* const grown = __libc_realloc(memory, size);
  if (memory == nullptr) counted(grown);
  return grown;
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return granted() ? counted(__libc_memalign(alignment, size)) : nullptr;
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) noexcept {
  if (!granted()) return ENOMEM;
  void* const memory = counted(__libc_memalign(alignment, size));
  if (memory == nullptr) return ENOMEM;
  *out = memory;
  return 0;
}
void free(void* memory) noexcept {
  released(memory);
  __libc_free(memory);
}
}

#endif
