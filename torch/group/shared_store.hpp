// The store of c10d that the ranks of a job share.
#pragma once

#include <chrono>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "group/meeting.hpp"

namespace atc_torch {

using StorePtr = c10::intrusive_ptr<c10d::Store>;

// Opens the store, in which rank 0 of a TCPStore becomes the server if torchrun does not serve it.
// A server remains until the process ends, so a rank that opens its next group reaches the same
// server. Throws what the store throws, or Failure(ATC_ERROR_IO).
StorePtr open_store(const Meeting& meeting, std::chrono::milliseconds timeout);

// The ranks that have opened a group on a store of which rank 0 is the server. Rank 0 must not end
// while other ranks read the store.
class Attendance {
 public:
  // Writes that this rank has come. Throws what the store throws.
  Attendance(StorePtr store, const Meeting& meeting, std::chrono::milliseconds patience);
  // Writes that this rank leaves. Rank 0 waits until each rank that has come has left, but no
  // longer than its patience.
  void leave() noexcept;

 private:
  std::string key(const char* what, std::uint32_t rank) const;

  const StorePtr store_;
  const std::uint32_t rank_, size_;
  const std::chrono::milliseconds patience_;
  const std::string prefix_;  // of this group among those that the process opens at the address
};

}  // namespace atc_torch
