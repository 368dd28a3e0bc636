// Tests a power loss after each effect that the store has on the disk. If atc_store_put or tuning
// has reported success for a decision before, the decision must still be in the store. No record
// may be wrong, and atc_store_verify must name the damaged files.
#include <gmock/gmock.h>

#include <cstdio>
#include <fstream>

#include "disk.hpp"
#include "session.hpp"
#include "support/temp_folder.hpp"

namespace atc_sweep {
namespace {

namespace fs = std::filesystem;

// A recorded session of calls of libatc: its effects on the disk, and the ledger (the decisions
// that the store must have) after each call that has returned. Each ledger is stored with the
// number of effects that had happened when the call returned.
struct Recorded {
  std::vector<Effect> effects;
  std::vector<std::pair<std::size_t, Ledger>> acknowledged = {{0, {}}};
};

Recorded record_session() {
  const atc::test::TempFolder scratch;
  Recorded recorded;
  Session session(scratch / "deep" / "store");
  session.durable = true;
  record(&recorded.effects, scratch.path().string());
  const auto acknowledge = [&] {
    recorded.acknowledged.emplace_back(recorded.effects.size(), session.ledger);
  };
  session.open();
  for (const int number : {1, 2, 3}) {
    session.put(number, "old");
    acknowledge();
  }
  session.put(2, "new");
  acknowledge();
  session.remove(3);
  acknowledge();
  session.import(compiled_bundle(), {1, 2, 3}, "bundled", false);
  acknowledge();
  session.import(compiled_bundle(), {1, 2, 3}, "bundled", true);
  acknowledge();
  session.put(4, "newest");
  acknowledge();
  session.prune(2, {4});
  acknowledge();
  session.put(1, "again");
  acknowledge();
  session.close();
  record(nullptr, {});
  return recorded;
}

// A ledger is the list of decisions that the store must have. Returns two ledgers for a power loss
// after `count` effects: the ledger after the last call that had returned, and the ledger after the
// next call, during which the power was lost.
std::pair<Ledger, Ledger> around(const Recorded& recorded, std::size_t count) {
  std::size_t last = 0;
  for (std::size_t i = 0; i < recorded.acknowledged.size(); ++i)
    if (recorded.acknowledged[i].first <= count) last = i;
  const std::size_t next = std::min(last + 1, recorded.acknowledged.size() - 1);
  return {recorded.acknowledged[last].second, recorded.acknowledged[next].second};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

bool is_record(const std::string& file) {
  const fs::path path = file;
  return path.filename() != "manifest.json" &&
         (path.extension() == ".json" || path.extension() == ".z");
}

void expect_intact(const fs::path& folder, const std::vector<std::string>& damaged,
                   const Ledger& before, const Ledger& after) {
  if (!fs::exists(folder)) {
    for (const auto& [number, known] : before)
      EXPECT_TRUE(known.may_be_absent || after.at(number).may_be_absent)
          << "entry " << number << " is lost, with its store";
    return;
  }
  Session session(folder);
  session.open(ATC_STORE_READ);
  ASSERT_NE(session.store, nullptr) << atc_last_error();
  const auto found = listed(session.list());
  for (const auto& [number, configuration] : found) {
    std::set<std::string> allowed;
    for (const Ledger* ledger : {&before, &after})
      if (const auto known = ledger->find(number); known != ledger->end())
        allowed.insert(known->second.values.begin(), known->second.values.end());
    EXPECT_THAT(allowed, ::testing::Contains(configuration)) << "entry " << number;
  }
  for (const auto& [number, known] : before) {
    const auto later = after.find(number);
    const bool may_be_absent =
        known.may_be_absent || later == after.end() || later->second.may_be_absent;
    EXPECT_TRUE(may_be_absent || found.count(number) > 0) << "entry " << number << " is lost";
  }
  atc_bytes* bytes = nullptr;
  session.call("atc_store_verify", [&] { return atc_store_verify(&bytes, session.store); });
  const std::vector<std::string> lines = lines_of(session.take(bytes));
  std::size_t records = 0;
  for (const std::string& file : damaged) {
    if (!is_record(file)) continue;
    ++records;
    EXPECT_THAT(lines, ::testing::Contains(::testing::StartsWith(file))) << "damaged and not named";
  }
  EXPECT_EQ(lines.size(), records) << ::testing::PrintToString(lines);
  session.close();

  // After the power loss, the store must still accept new entries.
  session.open();
  session.prune(100, {});
  EXPECT_TRUE(session.put(50, "later"));
  EXPECT_EQ(listed(session.list()).count(50), 1U);
  session.call("atc_store_verify", [&] { return atc_store_verify(&bytes, session.store); });
  EXPECT_THAT(session.take(bytes), ::testing::IsEmpty());
}

TEST(PowerLoss, AfterEachEffectLosesNothingThatWasAcknowledged) {
  const Recorded recorded = record_session();
  ASSERT_GT(recorded.effects.size(), 50U) << "the session's effects are not seen";
  std::size_t replayed = 0;
  Disk disk;
  for (std::size_t count = 0; count <= recorded.effects.size(); ++count) {
    if (count > 0) disk.apply(recorded.effects[count - 1]);
    const auto [before, after] = around(recorded, count);
    for (const Loss loss : kLosses) {
      SCOPED_TRACE("after effect " + std::to_string(count) + ", lost: " + name_of(loss));
      const atc::test::TempFolder scratch;
      const fs::path root = scratch / "root";
      const auto damaged = disk.write_out(root, loss);
      expect_intact(root / "deep" / "store", damaged, before, after);
      ++replayed;
    }
    if (HasFailure()) break;
  }
  std::printf("replayed: %zu effects, %zu states after a power loss\n", recorded.effects.size(),
              replayed);
}

}  // namespace
}  // namespace atc_sweep
