// The ranks (processes) of a job agree on decisions by keys that they write to a shared store, in
// these steps: each rank writes a hello, rank 0 writes the list of all hellos (the roll), ranks
// write their lists of problems and the decisions that they know, open problems are claimed and
// measured, each rank votes (it says which decisions it cannot use), and rank 0 writes the verdict,
// which all ranks obey.
#include "group/agree.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "core/format.hpp"
#include "group/board.hpp"
#include "group/messages.hpp"
#include "group/roll.hpp"
#include "group/tasks.hpp"
#include "store/hash.hpp"

namespace atc::group {

namespace {

// Thrown if the ranks cannot agree. The call then ends without an agreement on all ranks. `rank` is
// the rank that caused this, and `reason` says why.
struct Refused {
  std::size_t rank;
  std::string reason;
};

std::string name_of(const char* what, std::size_t rank) { return format("{}/{}", what, rank); }

std::string list_of(const std::vector<Problem>& problems) {
  std::vector<std::string> texts;
  for (const Problem& problem : problems) {
    texts.push_back(problem.key);
    texts.push_back(problem.text);
  }
  return encode(texts);
}

class Call {
 public:
  Call(const Member& member, Transport& transport, Work& work)
      : me_(member),
        transport_(transport),
        work_(work),
        board_(transport, member.prefix, member.bound, [this](const Line& line) { take(line); }) {}

  Agreement run() {
    std::string verdict;
    std::optional<Refused> refused;
    try {
      greet();
      read_roll();
      read_lists();
      plan();
      decide();
      vote();
      verdict = conclude();
    } catch (const Settled& settled) {
      verdict = settled.verdict;
    } catch (const Refused& mine) {
      refused = mine;
    } catch (const Error& error) {
      if (error.status() == Status::io) throw;
      refused = Refused{me_.rank, error.what()};
    }
    if (refused) verdict = settle(*refused);
    obey(verdict);
    return std::move(agreement_);
  }

 private:
  bool leads() const { return me_.rank == 0; }

  std::string settle(const Refused& refused) {
    Verdict verdict;
    verdict.rank = refused.rank;
    verdict.reason = refused.reason;
    return board_.create(Board::settle_name(), encode(verdict));
  }

  // Waits for the value that `rank` writes under the name `what`, and returns it. If there is no
  // value and no other progress within Member::bound seconds, throws Refused, which names `rank`.
  std::string from_rank(const char* what, std::size_t rank) {
    if (auto value = board_.await(name_of(what, rank))) return *value;
    refuse_silent(what, rank);
  }
  std::string from_leader(const char* what, const char* gathered) {
    if (auto value = board_.await(what)) return *value;
    for (std::size_t rank = 0; rank < me_.size; ++rank)
      if (!board_.look(name_of(gathered, rank))) refuse_silent(gathered, rank);
    refuse_silent(what, 0);
  }
  [[noreturn]] void refuse_silent(const std::string& what, std::size_t rank) const {
    const char* missing = what == "h"   ? "did not call"
                          : what == "v" ? "did not say whether it can use the decisions"
                                        : "did not go on";
    throw Refused{rank, format("it {} within {} s", missing, me_.bound)};
  }
  // Returns the result of `read`, which decodes a value of another rank. If the value cannot be
  // decoded, throws Refused, which names the other rank.
  template <typename Read>
  static auto understood(std::size_t rank, Read read) {
    try {
      return read();
    } catch (const Error& error) {
      if (error.status() != Status::bad_record) throw;
      throw Refused{rank,
                    format("its value in the group's store cannot be read: {}", error.what())};
    }
  }

  void greet() {
    Hello hello;
    hello.nonce = me_.nonce;
    hello.size = me_.size;
    hello.environment = store::hex128(store::hash128(me_.environment));
    hello.pins = me_.pins;
    hello.device = store::hex128(store::hash128(me_.device));
    hello.list = store::hex128(store::hash128(list_of(me_.problems)));
    hello_ = encode(hello);
    if (board_.create(name_of("h", me_.rank), hello_) != hello_)
      throw Refused{me_.rank,
                    "its key is there already: an earlier job or attempt, or another process with "
                    "this rank, used the prefix; give each attempt a prefix of its own"};
  }

  void read_roll() {
    std::string bytes;
    if (leads()) {
      std::vector<std::string> hellos;
      hellos.reserve(me_.size);
      for (std::size_t rank = 0; rank < me_.size; ++rank) hellos.push_back(from_rank("h", rank));
      bytes = board_.create("roll", encode(hellos));
    } else {
      bytes = from_leader("roll", "h");
    }
    const auto hellos = understood(0, [&] { return decode_texts(bytes); });
    if (hellos.size() != me_.size || hellos[me_.rank] != hello_)
      throw Refused{0,
                    "its list of the ranks is that of an earlier job or attempt, or of another "
                    "number of ranks; give each attempt a prefix of its own"};
    for (std::size_t rank = 0; rank < me_.size; ++rank)
      roll_.add(understood(rank, [&] { return decode_hello(hellos[rank]); }));
    roll_hash_ = store::hex128(store::hash128(bytes));
    check_roll();
  }

  // Checks that all ranks count the same number of ranks, and that the ranks of a team have the
  // same pins. All ranks check the same values, so this check has the same result on all ranks.
  void check_roll() {
    for (std::size_t rank = 0; rank < me_.size; ++rank) {
      const Hello& hello = roll_.at(rank);
      if (hello.size != me_.size)
        throw Refused{
            rank, format("it counts {} ranks, and rank 0 counts {}", hello.size, roll_.at(0).size)};
      const std::size_t first = roll_.team(roll_.team_of(rank)).front();
      if (roll_.at(first).pins != hello.pins)
        throw Refused{rank, format("it has other pins than rank {} ({} and {})", first, hello.pins,
                                   roll_.at(first).pins)};
    }
    team_ = roll_.team_of(me_.rank);
  }

  void read_lists() {
    const auto& ranks = roll_.team(team_);
    if (ranks.front() == me_.rank) board_.create(name_of("e", me_.rank), me_.environment);
    const std::vector<std::size_t> writers = roll_.list_writers(team_);
    if (std::count(writers.begin(), writers.end(), me_.rank) != 0)
      board_.create(name_of("l", me_.rank), list_of(me_.problems));
    std::map<std::string, std::string> all;
    for (const std::size_t rank : writers) {
      const std::string bytes = from_rank("l", rank);
      if (store::hex128(store::hash128(bytes)) != roll_.at(rank).list)
        throw Refused{rank, "its list is not the one that it announced"};
      const auto texts = understood(rank, [&] { return decode_texts(bytes); });
      for (std::size_t i = 0; i + 1 < texts.size(); i += 2) all.emplace(texts[i], texts[i + 1]);
    }
    for (auto& [key, text] : all) problems_.push_back({key, text});
    tasks_ = Tasks(problems_.size(), roll_.devices(team_));
  }

  // Makes the plan, which names one rank for each problem of which decisions are known already: the
  // rank with the best decision. This rank publishes its decision, and the problem is not measured.
  void plan() {
    std::vector<std::string> orders;
    orders.reserve(problems_.size());
    for (const Problem& problem : problems_) orders.push_back(work_.order(problem));
    board_.create(name_of("b", me_.rank), encode(orders));
    const std::string bytes =
        leads() ? board_.create("plan", encode(owners())) : from_leader("plan", "b");
    const auto teams = understood(0, [&] { return decode_texts(bytes); });
    if (teams.size() != roll_.teams())
      throw Refused{0, "its plan is not for the environments of these ranks"};
    const auto owners = understood(0, [&] { return decode_texts(teams[team_]); });
    if (owners.size() != problems_.size())
      throw Refused{0, "its plan is not for the problems of these ranks"};
    for (std::size_t i = 0; i < owners.size(); ++i)
      if (const auto owner = store::from_hex(owners[i]); owner && *owner < me_.size)
        tasks_.known_by(i, *owner);
  }

  // Returns the plan: for each team, an encoded list with one text for each problem. The text is
  // the number of the rank that has the best known decision, or "" if no rank has one.
  std::vector<std::string> owners() {
    std::vector<std::string> teams;
    for (std::size_t team = 0; team < roll_.teams(); ++team) {
      std::vector<std::string> best, owners;
      for (const std::size_t rank : roll_.team(team)) {
        const std::string bytes = from_rank("b", rank);
        const auto orders = understood(rank, [&] { return decode_texts(bytes); });
        if (rank == roll_.team(team).front()) {
          best.resize(orders.size());
          owners.resize(orders.size());
        }
        if (orders.size() != best.size())
          throw Refused{rank, "it counts other problems than the first rank of its environment"};
        for (std::size_t i = 0; i < orders.size(); ++i) {
          if (orders[i].empty() || (!best[i].empty() && best[i] <= orders[i])) continue;
          best[i] = orders[i];
          owners[i] = store::hex64(rank);
        }
      }
      teams.push_back(encode(owners));
    }
    return teams;
  }

  void decide() {
    publish_known();
    board_.follow();
    while (!tasks_.all_done()) {
      if (claim_and_measure()) continue;
      if (board_.await_line()) continue;
      // No rank has finished a problem within Member::bound seconds. So the problems that ranks
      // have claimed become free again, and other ranks may measure them.
      learn_claims();
      if (tasks_.stall()) continue;
      throw Refused{tasks_.holder(), format("it finished nothing within {} s", me_.bound)};
    }
  }

  void publish_known() {
    constexpr std::size_t kBatch = std::size_t{128} << 10;
    Line line = line_of(Line::Kind::decided);
    std::size_t bytes = 0;
    const auto flush = [&] {
      if (!line.problems.empty()) board_.append(std::exchange(line, line_of(Line::Kind::decided)));
      bytes = 0;
    };
    for (std::size_t i = 0; i < problems_.size(); ++i) {
      if (tasks_.owner(i) != me_.rank) continue;
      line.problems.emplace_back(i, work_.known(problems_[i]));
      bytes += line.problems.back().second.size();
      if (bytes >= kBatch) flush();
    }
    flush();
  }

  Line line_of(Line::Kind kind) const {
    Line line;
    line.kind = kind;
    line.rank = me_.rank;
    line.team = team_;
    return line;
  }

  static std::string attempt_at(const std::string& name, std::size_t attempt) {
    return format("{}/{}", name, attempt);
  }

  // Claims a problem or a device (`name`) for this rank, so that no other rank measures this
  // problem or on this device. The claim is a key that consists of `name` and the number of the
  // attempt; earlier attempts were given up. Returns false if another rank holds the claim.
  bool claim(const std::string& name, Claims& claims) {
    for (;;) {
      const std::size_t attempt = claims.next();
      if (attempt == Claims::kTaken) return claims.is_held_by(me_.rank);
      const std::string mine = store::hex64(me_.rank);
      const std::string standing = board_.create(attempt_at(name, attempt), mine);
      claims.add(store::from_hex(standing).value_or(0));
    }
  }

  // Reads from the store which ranks have claimed the open problems. Only a rank that has not
  // claimed its device needs this: any other rank reads these claims when it tries to claim a
  // problem.
  void learn_claims() {
    if (tasks_.device().is_held_by(me_.rank)) return;
    for (std::size_t i = 0; i < problems_.size(); ++i) {
      if (tasks_.is_done(i)) continue;
      Claims& claims = tasks_.claims(i);
      while (const auto standing = board_.look(attempt_at(claim_on(i), claims.attempts())))
        claims.add(store::from_hex(*standing).value_or(0));
    }
  }

  std::string claim_on(std::size_t problem) const { return format("c/{}/{}", team_, problem); }

  // Measures one problem if this rank can claim one. Returns whether a problem was measured.
  bool claim_and_measure() {
    if (!tasks_.has_free(me_.rank)) return false;
    if (!claim(format("d/{}/{}", team_, roll_.at(me_.rank).device), tasks_.device())) return false;
    const std::size_t count = problems_.size();
    // Each rank begins its search for a free problem at a different place of the list.
    const std::size_t first = count * me_.rank / me_.size;
    for (std::size_t step = 0; step < count; ++step) {
      const std::size_t i = (first + step) % count;
      if (!tasks_.is_free(i, me_.rank)) continue;
      if (!claim(claim_on(i), tasks_.claims(i))) continue;
      Work::Measured measured = work_.measure(problems_[i]);
      const bool decided = !measured.decision.empty();
      Line line = line_of(decided ? Line::Kind::decided : Line::Kind::failed);
      if (!decided && tasks_.is_last_failure(i)) line.kind = Line::Kind::left;
      line.problems.emplace_back(i, decided ? measured.decision : measured.reason);
      board_.append(std::move(line));
      return true;
    }
    return false;
  }

  // Processes a line of the log (the results that all ranks append, board.hpp). All ranks read the
  // same lines in the same order.
  void take(const Line& line) {
    if (line.kind == Line::Kind::beat) return;
    tasks_.progress();
    if (line.team != team_) return;
    for (const auto& [problem, text] : line.problems) {
      if (problem >= problems_.size()) continue;
      if (line.kind == Line::Kind::failed)
        tasks_.failed(problem, line.rank);
      else
        tasks_.finish(problem, line.kind == Line::Kind::decided ? text : "", text);
    }
  }

  void vote() {
    digest_ = digest();
    Vote vote;
    vote.digest = digest_;
    double beat = transport_.now();
    for (std::size_t i = 0; i < problems_.size(); ++i) {
      const std::string& decision = tasks_.decision(i);
      if (decision.empty()) continue;
      std::string refusal = work_.refusal(problems_[i], decision);
      if (!refusal.empty()) vote.refused.emplace_back(i, std::move(refusal));
      if (transport_.now() - beat > me_.bound / 4) {
        board_.append(line_of(Line::Kind::beat));
        beat = transport_.now();
      }
    }
    board_.create(name_of("v", me_.rank), encode(vote));
    voted_ = true;
  }
  std::string digest() const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < problems_.size(); ++i) {
      all.push_back(problems_[i].key);
      all.push_back(tasks_.decision(i));
    }
    return store::hex128(store::hash128(encode(all)));
  }

  std::string conclude() {
    if (!leads()) {
      if (auto verdict = board_.await(Board::settle_name())) return *verdict;
      for (std::size_t rank = 0; rank < me_.size; ++rank)
        if (!board_.look(name_of("v", rank))) refuse_silent("v", rank);
      refuse_silent("verdict", 0);
    }
    Verdict verdict;
    verdict.commits = true;
    verdict.roll = roll_hash_;
    for (std::size_t team = 0; team < roll_.teams(); ++team) {
      std::optional<Vote> all;
      std::map<std::uint64_t, std::string> refused;
      for (const std::size_t rank : roll_.team(team)) {
        const std::string bytes = from_rank("v", rank);
        Vote one = understood(rank, [&] { return decode_vote(bytes); });
        if (all && all->digest != one.digest)
          throw Refused{rank, "it has read other decisions than the first rank of its environment"};
        for (auto& [problem, reason] : one.refused)
          refused.emplace(problem, format("rank {}: {}", rank, reason));
        if (!all) all = std::move(one);
      }
      all->refused.assign(refused.begin(), refused.end());
      verdict.teams.push_back(encode(*all));
    }
    return board_.create(Board::settle_name(), encode(verdict));
  }

  void obey(const std::string& bytes) {
    agreement_.rank = 0;
    try {
      const Verdict verdict = decode_verdict(bytes);
      if (!verdict.commits) {
        agreement_.rank = static_cast<std::size_t>(verdict.rank);
        agreement_.reason = format("{} (prefix '{}')", verdict.reason, me_.prefix);
        return;
      }
      const bool is_ours = voted_ && verdict.roll == roll_hash_ && team_ < verdict.teams.size();
      const Vote joined = is_ours ? decode_vote(verdict.teams[team_]) : Vote{};
      if (!is_ours || joined.digest != digest_) {
        agreement_.rank = me_.rank;
        agreement_.reason = format(
            "the verdict under the prefix '{}' is that of an earlier job or attempt; give "
            "each attempt a prefix of its own",
            me_.prefix);
        return;
      }
      commit(joined);
    } catch (const Error& error) {
      if (error.status() != Status::bad_record) throw;
      agreement_.reason =
          format("the verdict under the prefix '{}' cannot be read: {}", me_.prefix, error.what());
    }
  }

  void commit(const Vote& joined) {
    agreement_.agreed = true;
    for (std::size_t i = 0; i < problems_.size(); ++i)
      agreement_.decisions.push_back({problems_[i].key, tasks_.decision(i), tasks_.reason(i)});
    for (const auto& [problem, reason] : joined.refused) {
      if (problem >= problems_.size()) continue;
      agreement_.decisions[problem].decision.clear();
      agreement_.decisions[problem].reason = reason;
    }
    std::vector<std::string> all;
    for (const Agreed& one : agreement_.decisions) {
      all.push_back(one.key);
      all.push_back(one.decision);
    }
    agreement_.digest = store::hex128(store::hash128(encode(all)));
    for (std::size_t team = 0; team < roll_.teams(); ++team) {
      const auto& ranks = roll_.team(team);
      agreement_.teams.push_back({ranks, board_.look(name_of("e", ranks.front())).value_or("")});
    }
  }

  const Member& me_;
  Transport& transport_;
  Work& work_;
  Board board_;
  Roll roll_;
  std::size_t team_ = 0;
  std::vector<Problem> problems_;  // the problems of the team, ordered by key
  Tasks tasks_;
  std::string hello_, roll_hash_, digest_;
  bool voted_ = false;
  Agreement agreement_;
};

}  // namespace

Agreement agree(const Member& member, Transport& transport, Work& work) {
  if (member.size == 0 || member.rank >= member.size)
    fail(Status::invalid_argument, "the group's rank is {} of {}: ranks are 0 to size - 1",
         member.rank, member.size);
  if (member.prefix.empty() || member.prefix.size() > kMostPrefixBytes)
    fail(Status::invalid_argument, "the group's prefix has {} bytes: use 1 to {}",
         member.prefix.size(), kMostPrefixBytes);
  if (!(member.bound > 0))
    fail(Status::invalid_argument, "the group's bound is {} s: use a positive time", member.bound);
  return Call(member, transport, work).run();
}

}  // namespace atc::group
