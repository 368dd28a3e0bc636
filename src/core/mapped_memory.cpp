#include "core/mapped_memory.hpp"

#include <malloc.h>
#include <sys/mman.h>

#include <new>

namespace atc {

void* map_pages(std::size_t bytes) noexcept {
  void* const pages =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages == MAP_FAILED ? nullptr : pages;
}

void unmap_pages(void* pages, std::size_t bytes) noexcept { munmap(pages, bytes); }

MappedMemory::MappedMemory(std::size_t bytes) : size_(bytes) {
  if (bytes == 0) return;
  data_ = static_cast<std::byte*>(map_pages(bytes));
  if (data_ == nullptr) throw std::bad_alloc();
}

MappedMemory::~MappedMemory() {
  if (data_ != nullptr) unmap_pages(data_, size_);
}

void trim_heap() noexcept {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace atc
