// The function of atc/torch.h that opens a group (the ranks of one job) over a key-value store of
// LibTorch's c10d. The loader (libatc_torch) calls the function through a table (group_table.hpp).
#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "atc/c10d_group.hpp"
#include "group/meeting.hpp"
#include "group/shared_store.hpp"
#include "group_table.hpp"
#include "guard.hpp"
#include "structs.hpp"

namespace {

using namespace atc_torch;
using std::chrono::milliseconds;

constexpr double kDefaultSeconds = 60;
constexpr double kMostSeconds = 1e6;

class OpenedGroup : public atc::C10dGroup {
 public:
  OpenedGroup(const StorePtr& store, const Meeting& meeting, double seconds)
      : C10dGroup(store, meeting.rank, meeting.size, meeting.prefix, seconds) {
    if (meeting.is_served_by_rank_0)
      attendance_.emplace(store, meeting, milliseconds(std::llround(1000 * seconds)));
  }
  ~OpenedGroup() {
    if (attendance_) attendance_->leave();
  }
  OpenedGroup(const OpenedGroup&) = delete;
  OpenedGroup& operator=(const OpenedGroup&) = delete;

  atc_group as_c() const {
    atc_group group = *c_group();
    group.destroy = [](void* user) {
      delete static_cast<OpenedGroup*>(static_cast<atc::C10dGroup*>(user));
    };
    return group;
  }

 private:
  std::optional<Attendance> attendance_;
};

double checked_seconds(double given) {
  if (!(given >= 0 && given <= kMostSeconds))
    throw Failure(ATC_ERROR_INVALID_ARGUMENT,
                  "timeout_seconds is " + std::to_string(given) +
                      ": use a time above 0, of at most 1000000 s, or 0 for 60 s");
  return given == 0 ? kDefaultSeconds : given;
}

std::unique_ptr<OpenedGroup> opened(const Meeting& meeting, double seconds) {
  const auto failed = [&](const std::string& why) {
    const std::string place =
        meeting.url == "env://" ? meeting.url + " (" + meeting.address() + ")" : meeting.url;
    return Failure(ATC_ERROR_IO, place + " cannot be opened by rank " +
                                     std::to_string(meeting.rank) + " of " +
                                     std::to_string(meeting.size) + ": " + why);
  };
  try {
    const StorePtr store = open_store(meeting, milliseconds(std::llround(1000 * seconds)));
    return std::make_unique<OpenedGroup>(store, meeting, seconds);
  } catch (const c10::Error& error) {
    throw failed(error.what_without_backtrace());
  } catch (const std::exception& error) {
    throw failed(error.what());
  }
}

}  // namespace

extern "C" {

atc_status atc_torch_group_open(atc_group* out, const char* url, uint32_t rank, uint32_t size,
                                double timeout_seconds) noexcept {
  return guard([&] {
    check_size<atc_group>(required(out, "out").struct_size, "out.struct_size");
    const Meeting meeting = meeting_at(&required(url, "url"), rank, size);
    const double seconds = checked_seconds(timeout_seconds);
    auto group = opened(meeting, seconds);
    write_struct(out, group->as_c(), "out");
    static_cast<void>(group.release());
  });
}

const GroupTable atc1_torch_group = {sizeof(GroupTable), atc_torch_group_open};

}  // extern "C"
