// Memory in pages of its own, which go back to the system when it is freed. malloc is not enough:
// it keeps freed memory that lies below memory in use, and the size from which it maps separate
// pages grows.
#pragma once

#include <cstddef>
#include <utility>

namespace atc {

// Returns memory that holds zeros, or null if there is no memory.
void* map_pages(std::size_t bytes) noexcept;
void unmap_pages(void* pages, std::size_t bytes) noexcept;

class MappedMemory {
 public:
  MappedMemory() = default;
  explicit MappedMemory(std::size_t bytes);  // maps `bytes` bytes, all zero; throws std::bad_alloc
  ~MappedMemory();
  MappedMemory(MappedMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  MappedMemory& operator=(MappedMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  std::byte* data() const {
    return data_;
  }  // the address of the memory, aligned to a page; null
     // if the size is 0
  std::size_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// Gives free memory of malloc's heap back to the system, if the C library can do that.
void trim_heap() noexcept;

}  // namespace atc
