// atc: a group (the ranks of a job that tune together, group.h) whose ranks communicate through a
// store of LibTorch's c10d. This header is for C++ programs that already have such a store. It is
// not part of the compiled library: the program that includes it needs LibTorch's headers and
// libraries.
//
// Example:
//   atc::C10dGroup group(store, rank, size, "job-17/0");
//   atc_tune_options options = ATC_TUNE_OPTIONS_INIT;
//   options.group = group.c_group();
#ifndef ATC_C10D_GROUP_HPP_
#define ATC_C10D_GROUP_HPP_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <utility>
#include <vector>

#include "atc/group.h"

namespace atc {

// The ranks of a job that tune together, over a store of c10d. The object must exist until the
// calls of atc_tune with this group have returned. It works on a clone of the store (another
// connection), because other users of the job's store, such as NCCL's monitor, would have to wait
// while a rank waits for a key.
class C10dGroup {
 public:
  // `prefix` has 1 to 380 bytes. Each job, and each attempt to run it, must have its own prefix.
  // `bound_seconds` is the longest time, in seconds, that a rank waits without progress. If the
  // store's `clone` throws, the constructor passes the exception on.
  C10dGroup(const c10::intrusive_ptr<c10d::Store>& store, std::uint32_t rank, std::uint32_t size,
            std::string prefix, double bound_seconds = 60)
      : prefix_(std::move(prefix)),
        store_(c10::make_intrusive<c10d::PrefixStore>("atc", store->clone())),
        group_(ATC_GROUP_INIT) {
    group_.rank = rank;
    group_.size = size;
    group_.bound_seconds = bound_seconds;
    group_.prefix = prefix_.c_str();
    group_.user = this;
    group_.create = create;
    group_.get = get;
  }
  C10dGroup(const C10dGroup&) = delete;
  C10dGroup& operator=(const C10dGroup&) = delete;

  const atc_group* c_group() const { return &group_; }

 private:
  using Bytes = std::vector<std::uint8_t>;

  static atc_status pass_on(const Bytes& value, atc_group_answer answer, void* payload) {
    return answer(value.data(), value.size(), payload);
  }
  static atc_status failed(const char* reason) {
    atc_error_set(reason);
    return ATC_ERROR_IO;
  }

  static atc_status create(void* user, const char* key, const void* value, std::size_t size,
                           atc_group_answer answer, void* payload) {
    try {
      const auto* const bytes = static_cast<const std::uint8_t*>(value);
      return pass_on(
          static_cast<C10dGroup*>(user)->store_->compareSet(key, {}, Bytes(bytes, bytes + size)),
          answer, payload);
    } catch (const std::exception& error) {
      return failed(error.what());
    }
  }

  static atc_status get(void* user, const char* key, double timeout_seconds,
                        atc_group_answer answer, void* payload) {
    try {
      c10d::Store& store = *static_cast<C10dGroup*>(user)->store_;
      if (timeout_seconds > 0) wait(store, key, timeout_seconds);
      if (!store.check({key})) return ATC_OK;
      return pass_on(store.get(key), answer, payload);
    } catch (const std::exception& error) {
      return failed(error.what());
    }
  }

  // Waits until the key exists, but at most `seconds`. c10d's wait throws if the time is over, and
  // also if the connection is lost. Both exceptions are ignored here, because the caller then
  // checks the key: that check throws only if the connection is lost.
  static void wait(c10d::Store& store, const char* key, double seconds) {
    try {
      store.wait({key}, std::chrono::milliseconds(static_cast<std::int64_t>(1000 * seconds) + 1));
    } catch (const std::exception&) {
    }
  }

  const std::string prefix_;
  const c10::intrusive_ptr<c10d::Store> store_;
  atc_group group_;
};

}  // namespace atc

#endif  // ATC_C10D_GROUP_HPP_
