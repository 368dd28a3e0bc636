#include "group/shared_store.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <utility>

#include "failure.hpp"

namespace atc_torch {

namespace {

using std::chrono::milliseconds;

StorePtr open_file(const Meeting& meeting, milliseconds timeout) {
  const std::filesystem::path folder = std::filesystem::path(meeting.file).parent_path();
  if (!std::filesystem::is_directory(folder))
    throw Failure(ATC_ERROR_IO, "there is no folder " + folder.string() +
                                    ": make it, on a disk that all ranks see");
  auto store = c10::make_intrusive<c10d::FileStore>(meeting.file, static_cast<int>(meeting.size));
  store->setTimeout(timeout);
  return store;
}

// Keeps a reference to the store until the process ends. On rank 0 the store contains the server,
// so the server also runs until then.
void keep(const Meeting& meeting, const StorePtr& store) {
  static std::mutex mutex;
  static auto* const kept = new std::map<std::string, StorePtr>;
  const std::lock_guard lock(mutex);
  kept->emplace(meeting.address(), store);
}

StorePtr open_tcp(const Meeting& meeting, milliseconds timeout) {
  const bool is_server = meeting.is_served_by_rank_0 && meeting.rank == 0;
  c10d::TCPStoreOptions options;
  options.port = meeting.port;
  options.isServer = is_server;
  options.numWorkers = meeting.size;
  // The constructor of the store does not wait for the other ranks. If a rank never opens the
  // group, the later call of atc_tune reports this rank.
  options.waitWorkers = false;
  options.timeout = timeout;
  // Allows several stores of this process to use the same port: the store of this group, that of
  // the next group, and that of a process group of c10d.
  options.multiTenant = true;
  auto store = c10::make_intrusive<c10d::TCPStore>(meeting.host, options);
  if (is_server) keep(meeting, store);
  return store;
}

// Returns how many groups this process has opened at the address before. All ranks open their
// groups in the same order, so the number is the same on all ranks of a group.
unsigned number_of_group(const Meeting& meeting) {
  static std::mutex mutex;
  static auto* const opened = new std::map<std::string, unsigned>;
  const std::lock_guard lock(mutex);
  return (*opened)[meeting.address()]++;
}

}  // namespace

StorePtr open_store(const Meeting& meeting, milliseconds timeout) {
  return meeting.file.empty() ? open_tcp(meeting, timeout) : open_file(meeting, timeout);
}

Attendance::Attendance(StorePtr store, const Meeting& meeting, milliseconds patience)
    : store_(std::move(store)),
      rank_(meeting.rank),
      size_(meeting.size),
      patience_(patience),
      prefix_("atc/" + meeting.prefix + "/group " + std::to_string(number_of_group(meeting))) {
  store_->set(key("came", rank_), std::vector<std::uint8_t>{1});
}

std::string Attendance::key(const char* what, std::uint32_t rank) const {
  return prefix_ + "/" + what + "/" + std::to_string(rank);
}

void Attendance::leave() noexcept {
  try {
    store_->set(key("left", rank_), std::vector<std::uint8_t>{1});
    if (rank_ != 0) return;
    const auto end = std::chrono::steady_clock::now() + patience_;
    for (std::uint32_t rank = 1; rank < size_; ++rank) {
      if (!store_->check({key("came", rank)})) continue;
      const auto left =
          std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now());
      store_->wait({key("left", rank)}, std::max(left, milliseconds(1)));
    }
  } catch (const std::exception&) {
    // Either the store cannot be reached, or a rank has not left the group in time. In both cases
    // rank 0 does not wait longer.
  }
}

}  // namespace atc_torch
