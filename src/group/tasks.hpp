// The problems of a team, from the point of view of one rank: which problems are decided, and which
// ranks have claimed the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace atc::group {

// The claims of ranks on one problem or device. A rank claims it before it measures, so that no
// other rank does. The claims are numbered. A claim can be made only after the previous claim was
// given up.
class Claims {
 public:
  static constexpr std::size_t kTaken = SIZE_MAX;

  // Returns the number of the next claim. Returns kTaken if the last claim was not given up.
  std::size_t next() const {
    return holders_.empty() || holders_.back().given_up ? holders_.size() : kTaken;
  }
  std::size_t attempts() const { return holders_.size(); }
  bool is_held_by(std::size_t rank) const {
    return !holders_.empty() && !holders_.back().given_up && holders_.back().rank == rank;
  }
  void add(std::size_t rank) { holders_.push_back({rank, gone_.count(rank) != 0}); }
  void give_up() {
    if (!holders_.empty()) holders_.back().given_up = true;
  }
  // Gives up all claims of a rank, including claims of this rank that are added later.
  void give_up(std::size_t rank) {
    gone_.insert(rank);
    for (Holder& holder : holders_)
      if (holder.rank == rank) holder.given_up = true;
  }
  std::optional<std::size_t> holder() const {
    return holders_.empty() ? std::nullopt : std::optional(holders_.back().rank);
  }

 private:
  struct Holder {
    std::size_t rank;
    bool given_up;
  };
  std::vector<Holder> holders_;
  std::set<std::size_t> gone_;
};

class Tasks {
 public:
  Tasks() = default;
  Tasks(std::size_t problems, std::size_t devices) : tasks_(problems), devices_(devices) {}

  void known_by(std::size_t problem, std::size_t rank) { tasks_[problem].owner = rank; }
  std::optional<std::size_t> owner(std::size_t problem) const { return tasks_[problem].owner; }

  // Stores the result of a problem. If the problem already has a result, the new one is ignored.
  void finish(std::size_t problem, std::string decision, std::string reason) {
    Task& task = tasks_[problem];
    if (task.done) return;
    task.done = true;
    ++done_;
    if (decision.empty()) task.reason = std::move(reason);
    task.decision = std::move(decision);
  }
  void failed(std::size_t problem, std::size_t rank) {
    tasks_[problem].failed.insert(rank);
    tasks_[problem].claims.give_up(rank);
  }
  // Returns whether the next failure of the problem is the last one: after it, no device is left
  // that could try the problem, or the problem has failed kMostFailures times.
  bool is_last_failure(std::size_t problem) const {
    return tasks_[problem].failed.size() + 1 >= devices_ ||
           tasks_[problem].failed.size() + 1 >= kMostFailures;
  }

  bool all_done() const { return done_ == tasks_.size(); }
  bool is_done(std::size_t problem) const { return tasks_[problem].done; }
  bool is_free(std::size_t problem, std::size_t rank) const {
    const Task& task = tasks_[problem];
    return !task.done && !task.owner && task.failed.count(rank) == 0 &&
           task.claims.next() != Claims::kTaken;
  }
  bool has_free(std::size_t rank) const {
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      if (is_free(i, rank)) return true;
    return false;
  }
  Claims& claims(std::size_t problem) { return tasks_[problem].claims; }
  Claims& device() { return device_; }
  const std::string& decision(std::size_t problem) const { return tasks_[problem].decision; }
  const std::string& reason(std::size_t problem) const { return tasks_[problem].reason; }

  void progress() { stalls_ = 0; }
  // Called if no rank makes progress: all problems and devices that ranks have claimed become free
  // again. Returns false, and does nothing, if this was done kMostStalls times already without
  // progress in between.
  bool stall() {
    if (++stalls_ > kMostStalls) return false;
    holder_ = holder();
    device_.give_up();
    for (Task& task : tasks_) {
      if (task.done) continue;
      task.owner.reset();
      task.claims.give_up();
    }
    return true;
  }
  // Returns the rank for which the others wait: a rank that has claimed an unfinished problem; if
  // there is none, the rank that has claimed the device; otherwise the rank that was found in this
  // way at the last call of stall().
  std::size_t holder() const {
    for (const Task& task : tasks_) {
      if (task.done) continue;
      if (task.owner) return *task.owner;
      if (const auto rank = task.claims.holder()) return *rank;
    }
    return device_.holder().value_or(holder_);
  }

 private:
  static constexpr std::size_t kMostStalls = 2, kMostFailures = 3;
  struct Task {
    std::optional<std::size_t> owner;
    Claims claims;
    std::set<std::size_t> failed;
    bool done = false;
    std::string decision, reason;
  };
  std::vector<Task> tasks_;
  std::size_t devices_ = 1, done_ = 0, stalls_ = 0, holder_ = 0;
  Claims device_;
};

}  // namespace atc::group
