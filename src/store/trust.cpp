#include "store/trust.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "core/environment.hpp"
#include "core/format.hpp"
#include "core/log.hpp"

namespace atc::store {
namespace {

constexpr const char* kVariable = "ATC_STORE_TRUST";

Sharing read_environment() {
  const auto text = environment_text(kVariable);
  if (!text || *text == "owner") return Sharing::nobody;
  if (*text == "group") return Sharing::group;
  if (*text == "none") return Sharing::owner_neither;
  log_once(LogLevel::warning,
           format("{}={} in the environment: use owner, group or none; owner holds until then",
                  kVariable, *text));
  return Sharing::nobody;
}

bool is_in_group(std::uint32_t group) {
  if (group == getegid()) return true;
  const int count = getgroups(0, nullptr);
  if (count <= 0) return false;
  std::vector<gid_t> groups(static_cast<std::size_t>(count));
  groups.resize(static_cast<std::size_t>(std::max(0, getgroups(count, groups.data()))));
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

}  // namespace

Sharing sharing_of_process() {
  static const Sharing sharing = read_environment();
  return sharing;
}

std::string distrust(const Ownership& ownership, Sharing sharing) {
  if (sharing == Sharing::owner_neither) return format("is not trusted ({}=none)", kVariable);
  if ((ownership.mode & S_IWOTH) != 0) return "may be written by every user";
  const bool shared = sharing == Sharing::group && is_in_group(ownership.group);
  if (ownership.user != 0 && ownership.user != geteuid() && !shared)
    return format("belongs to user {}", ownership.user);
  if ((ownership.mode & S_IWGRP) != 0 && !shared)
    return format("may be written by group {}", ownership.group);
  return "";
}

unsigned file_mode(Sharing sharing) { return sharing == Sharing::group ? 0664 : 0644; }

unsigned folder_mode(Sharing sharing) { return sharing == Sharing::group ? 0775 : 0755; }

}  // namespace atc::store
