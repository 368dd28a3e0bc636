// A roster: the engines and rewrites that were asked for candidates of a race, each by name and
// version. Engines that had no candidate are included. A recorded decision is no evidence about
// engines outside of its roster.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <set>
#include <string>
#include <utility>

namespace atc::conv {

class Roster {
 public:
  // the name and the version of an engine or a rewrite
  using Member = std::pair<std::string, std::string>;

  Roster() = default;
  Roster(std::initializer_list<Member> members) : members_(members) {}

  void add(const std::string& name, const std::string& version) {
    members_.insert({name, version});
  }
  void add(const Roster& other) { members_.insert(other.members_.begin(), other.members_.end()); }
  void remove(const Roster& other) {
    for (const Member& member : other.members_) members_.erase(member);
  }
  bool has(const std::string& name, const std::string& version) const {
    return members_.count({name, version}) != 0;
  }
  // Returns the version of the member with this name; "" if there is none. (A roster that several
  // races have extended may have a name with several versions. Then one of them is returned.)
  std::string version_of(const std::string& name) const {
    const auto member = members_.lower_bound({name, ""});
    return member == members_.end() || member->first != name ? "" : member->second;
  }
  bool covers(const Roster& other) const { return other.without(*this).empty(); }
  Roster without(const Roster& other) const {
    Roster rest = *this;
    rest.remove(other);
    return rest;
  }
  bool empty() const { return members_.empty(); }
  std::size_t size() const { return members_.size(); }
  auto begin() const { return members_.begin(); }
  auto end() const { return members_.end(); }
  bool operator==(const Roster& other) const { return members_ == other.members_; }

 private:
  std::set<Member> members_;
};

}  // namespace atc::conv
