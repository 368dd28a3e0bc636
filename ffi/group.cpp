#include "atc/group.h"

#include <memory>
#include <string>
#include <utility>

#include "group/folder.hpp"
#include "group_transport.hpp"
#include "guard.hpp"
#include "structs.hpp"
#include "tune_report.hpp"

namespace {

using namespace atc;
using namespace atc::ffi;

// The object to which atc_group::user points if the ranks of the group (the processes of one job)
// exchange values through a shared folder.
struct FolderGroup {
  std::string prefix;
  group::FolderTransport transport;
};

// Runs the body of a callback. If the body throws an Error, passes the Error's text to
// atc_error_set and returns the Error's status.
template <typename Body>
atc_status callback(Body&& body) {
  const atc_status status = guard_anywhere(std::forward<Body>(body));
  if (status != ATC_OK) atc_error_set(atc_last_error());
  return status;
}

void pass_on(const std::string& value, atc_group_answer answer, void* payload) {
  if (answer(value.data(), value.size(), payload) != ATC_OK)
    fail(Status::io, "{}", atc_last_error());
}

atc_status folder_create(void* user, const char* key, const void* value, std::size_t size,
                         atc_group_answer answer, void* payload) {
  return callback([&] {
    const std::string given(static_cast<const char*>(value), size);
    pass_on(static_cast<FolderGroup*>(user)->transport.create(key, given), answer, payload);
  });
}

atc_status folder_get(void* user, const char* key, double seconds, atc_group_answer answer,
                      void* payload) {
  return callback([&] {
    const auto value = static_cast<FolderGroup*>(user)->transport.get(key, seconds);
    if (value) pass_on(*value, answer, payload);
  });
}

void folder_destroy(void* user) { delete static_cast<FolderGroup*>(user); }

const conv::GroupReport& group_of(const atc_tune_report* report) {
  const auto& known = required(report, "report").group;
  if (!known)
    fail(Status::invalid_argument,
         "the report is of a call without a group: set the option group of the tuning call");
  return *known;
}

}  // namespace

extern "C" {

atc_status atc_group_open_folder(atc_group* out, const char* path, uint32_t rank, uint32_t size,
                                 const char* prefix) noexcept {
  return guard([&] {
    check_struct(out, known_struct<atc_group>(), "out");
    const std::string folder = checked_path(path, "path");
    std::unique_ptr<FolderGroup> user(
        new FolderGroup{&required(prefix, "prefix"), group::FolderTransport(folder)});
    atc_group group{};
    group.rank = rank;
    group.size = size;
    group.prefix = user->prefix.c_str();
    group.user = user.get();
    group.create = folder_create;
    group.get = folder_get;
    group.destroy = folder_destroy;
    group.struct_size = sizeof(group);
    const CallbackTransport checked(&group);
    write_struct(out, group, "out");
    static_cast<void>(user.release());
  });
}

void atc_group_close(atc_group* group) noexcept {
  guard_void([&] {
    if (group == nullptr || group->destroy == nullptr) return;
    group->destroy(std::exchange(group->user, nullptr));
    group->destroy = nullptr;
    group->create = nullptr;
    group->get = nullptr;
    group->prefix = nullptr;
  });
}

atc_status atc_tune_report_agreement(atc_agreement* out, const atc_tune_report* report) noexcept {
  return guard([&] {
    required(out, "out");
    const conv::GroupReport& known = group_of(report);
    atc_agreement agreement{};
    agreement.agreed = known.agreed ? 1 : 0;
    agreement.rank = known.rank;
    agreement.classes = known.classes.size();
    agreement.own_class = known.own_class;
    agreement.reason = known.reason.c_str();
    agreement.digest = known.digest.c_str();
    write_struct(out, agreement, "out");
  });
}

atc_status atc_tune_report_class(atc_agreement_class* out, const atc_tune_report* report,
                                 size_t index) noexcept {
  return guard([&] {
    required(out, "out");
    const conv::RankClass& known = checked_element(group_of(report).classes, index, "class");
    atc_agreement_class one{};
    one.count = known.ranks.size();
    one.ranks = known.ranks.data();
    one.environment = known.environment.c_str();
    one.differences = known.differences.c_str();
    write_struct(out, one, "out");
  });
}

}  // extern "C"
