// Memory that consists of pages of its own, which go back to the system when it is freed. free()
// does not always return memory of malloc to the system: freed memory remains in the heap as long
// as memory above it is in use. Only large blocks get pages of their own, and the size from which a
// block counts as large grows while a program runs.
#pragma once

#include <cstddef>
#include <utility>

namespace atc {

// Returns memory filled with zeros. Returns null if there is not enough memory.
void* map_pages(std::size_t bytes) noexcept;
void unmap_pages(void* pages, std::size_t bytes) noexcept;

class MappedMemory {
 public:
  MappedMemory() = default;
  // Maps `bytes` bytes, filled with zeros; throws std::bad_alloc.
  explicit MappedMemory(std::size_t bytes);
  ~MappedMemory();
  MappedMemory(MappedMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  MappedMemory& operator=(MappedMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  // The address of the memory, aligned to a page. Null if the size is 0.
  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// Returns unused memory of malloc's heap to the system, if the C library supports this.
void trim_heap() noexcept;

}  // namespace atc
