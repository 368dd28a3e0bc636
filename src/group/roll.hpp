// The roll: the list of the ranks of a call, with the hello (the first value) of each rank.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "group/messages.hpp"

namespace atc::group {

class Roll {
 public:
  void add(Hello hello) {
    const std::size_t rank = hellos_.size();
    auto place = std::find_if(teams_.begin(), teams_.end(), [&](const auto& ranks) {
      return hellos_[ranks.front()].environment == hello.environment;
    });
    if (place == teams_.end()) place = teams_.insert(place, std::vector<std::size_t>());
    place->push_back(rank);
    hellos_.push_back(std::move(hello));
  }

  const Hello& at(std::size_t rank) const { return hellos_[rank]; }
  std::size_t teams() const { return teams_.size(); }
  const std::vector<std::size_t>& team(std::size_t team) const { return teams_[team]; }
  std::size_t team_of(std::size_t rank) const {
    const auto has = [&](const auto& ranks) {
      return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
    };
    return static_cast<std::size_t>(std::find_if(teams_.begin(), teams_.end(), has) -
                                    teams_.begin());
  }
  // Returns the ranks of the team that have to write their list of problems to the store. If
  // several ranks have the same list, only the first of them has to.
  std::vector<std::size_t> list_writers(std::size_t team) const {
    std::vector<std::size_t> writers;
    std::set<std::string> lists;
    for (const std::size_t rank : teams_[team])
      if (lists.insert(hellos_[rank].list).second) writers.push_back(rank);
    return writers;
  }
  std::size_t devices(std::size_t team) const {
    std::set<std::string> devices;
    for (const std::size_t rank : teams_[team]) devices.insert(hellos_[rank].device);
    return devices.size();
  }

 private:
  std::vector<Hello> hellos_;
  // The ranks of each team. The teams are ordered by their first ranks.
  std::vector<std::vector<std::size_t>> teams_;
};

}  // namespace atc::group
