// The key-value store of LibTorch's c10d that the ranks of a job share.
#pragma once

#include <chrono>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "group/meeting.hpp"

namespace atc_torch {

using StorePtr = c10::intrusive_ptr<c10d::Store>;

// Opens the store. If the store is a TCPStore and torchrun is not its server, rank 0 becomes the
// server. The server runs until the process of rank 0 ends, so all groups of the job use the same
// server. Throws the exceptions of the store, or Failure(ATC_ERROR_IO).
StorePtr open_store(const Meeting& meeting, std::chrono::milliseconds timeout);

// Writes to the store which ranks have opened a group and which have left it. This is needed if
// rank 0 is the server of the store: the process of rank 0 must not end while other ranks use the
// store.
class Attendance {
 public:
  // Writes to the store that this rank has opened the group. Throws the exceptions of the store.
  Attendance(StorePtr store, const Meeting& meeting, std::chrono::milliseconds patience);
  // Writes to the store that this rank leaves the group. Rank 0 then waits until each rank that
  // opened the group has left it, but no longer than `patience`.
  void leave() noexcept;

 private:
  std::string key(const char* what, std::uint32_t rank) const;

  const StorePtr store_;
  const std::uint32_t rank_, size_;
  const std::chrono::milliseconds patience_;
  const std::string prefix_;  // the prefix of all keys of this group in the store
};

}  // namespace atc_torch
