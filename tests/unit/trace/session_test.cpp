#include "trace/session.hpp"

#include <gmock/gmock.h>

#include <thread>
#include <vector>

namespace atc::trace {
namespace {

constexpr DeviceId kCpu{DeviceType::cpu, 0}, kCuda{DeviceType::cuda, 0};

std::vector<std::string> lines_of(const Results& results) {
  std::vector<std::string> lines;
  for (const ResultRow& row : results.rows)
    lines.push_back(std::to_string(static_cast<int>(row.kind)) + " " + row.problem + " " +
                    row.choice + " " + std::to_string(row.calls) + " of " +
                    std::to_string(row.times.count()));
  return lines;
}

void run(Session& session, Row& row, double seconds, int calls = 1) {
  for (int i = 0; i < calls; ++i)
    if (session.count(row)) session.add(row, 0, seconds, 1);
}

TEST(Session, CountsByProblemAndChoiceAndInAll) {
  Session session({});
  run(session, session.row(kCpu, "small", "a"), 1e-6, 10);
  run(session, session.row(kCpu, "large", "a"), 1e-3, 3);
  run(session, session.row(kCpu, "large", "b"), 2e-3, 2);
  run(session, session.row(kCpu, "small", "a"), 1e-6, 5);
  EXPECT_THAT(lines_of(session.take(true)),
              testing::ElementsAre("1 large b 2 of 2", "1 large a 3 of 3", "1 small a 15 of 15",
                                   "2  b 2 of 2", "2  a 18 of 18", "3   20 of 20"));
}

TEST(Session, TimesTheFirstCallOfARowAndThenEachNth) {
  for (const std::uint32_t every : {1u, 3u, 8u}) {
    Options options;
    options.sample_every = every;
    Session session(options);
    Row &one = session.row(kCpu, "p", "one"), &other = session.row(kCuda, "p", "other");
    for (std::uint32_t call = 0; call < 50; ++call) {
      EXPECT_EQ(session.count(one), call % every == 0);
      EXPECT_EQ(session.count(other), call % every == 0);
    }
  }
}

TEST(Session, TimesEachCallOnTheCpuAndEachEighthOnCudaByDefault) {
  Session session({});
  Row &cpu = session.row(kCpu, "p", "c"), &cuda = session.row(kCuda, "p", "c");
  for (int call = 0; call < 20; ++call) {
    EXPECT_TRUE(session.count(cpu));
    EXPECT_EQ(session.count(cuda), call % 8 == 0);
  }
}

// The total is an estimate for all calls of a row: calls without a time count with the mean of the
// timed calls.
TEST(Session, EstimatesTheTimeOfAllCalls) {
  Options options;
  options.sample_every = 2;
  Session session(options);
  run(session, session.row(kCpu, "p", "c"), 4e-3, 10);
  run(session, session.row(kCpu, "q", "c"), 1e-3, 5);
  const Results results = session.take(true);
  EXPECT_NEAR(results.rows[0].total, 40e-3, 1e-12);
  EXPECT_NEAR(results.rows[1].total, 5e-3, 1e-12);
  EXPECT_NEAR(results.rows.back().total, 45e-3, 1e-12);
  EXPECT_EQ(results.rows.back().times.count(), 8u);
}

TEST(Session, CountsFurtherProblemsTogether) {
  Options options;
  options.max_rows = 3;
  Session session(options);
  for (int i = 0; i < 100; ++i) run(session, session.row(kCpu, std::to_string(i), "c"), 1e-6);
  run(session, session.row(kCpu, "1", "c"), 1e-6);
  run(session, session.row(kCuda, "7", "c"), 1e-6);
  EXPECT_THAT(
      lines_of(session.take(true)),
      testing::UnorderedElementsAre("1 0 c 1 of 1", "1 1 c 2 of 2", "1 2 c 1 of 1",
                                    "1 other other 97 of 97", "1 other other 1 of 1", "2  c 4 of 4",
                                    "2  other 97 of 97", "2  other 1 of 1", "3   102 of 102"));
}

TEST(Session, KeepsTheLastEvents) {
  Options options;
  options.max_events = 4;
  for (const int calls : {3, 4, 5, 11}) {
    Session session(options);
    Row& row = session.row(kCpu, "p", "c");
    for (int i = 0; i < calls; ++i) session.add(row, i, 1e-6, 1);
    const Results results = session.take(true);
    const int kept = std::min(calls, 4);
    ASSERT_EQ(results.events.size(), static_cast<std::size_t>(kept));
    for (int i = 0; i < kept; ++i) EXPECT_EQ(results.events[i].start_ns, calls - kept + i);
    EXPECT_EQ(results.events_dropped, static_cast<std::uint64_t>(calls - kept));
  }
}

TEST(Session, EventsPointAtTheirRows) {
  Session session({});
  Row &fast = session.row(kCpu, "p", "fast"), &slow = session.row(kCpu, "p", "slow");
  session.add(fast, 1, 1e-6, 1);
  session.add(slow, 2, 1e-3, 1);
  session.count(fast);
  session.count(slow);
  const Results results = session.take(true);
  EXPECT_EQ(results.rows[results.events[0].row].choice, "fast");
  EXPECT_EQ(results.rows[results.events[1].row].choice, "slow");
}

TEST(Session, FindsARowByTheKeyItLearned) {
  Options options;
  options.max_rows = 2;
  Session session(options);
  Row& row = session.row(kCpu, "p", "c");
  EXPECT_EQ(session.find("key"), nullptr);
  session.learn("key", row);
  EXPECT_EQ(session.find("key"), &row);
  for (int i = 0; i < 1000; ++i) session.learn("further " + std::to_string(i), row);
  EXPECT_EQ(session.find("further 999"), nullptr) << "the number of keys is bounded";
}

TEST(Session, OfNothingHasATotal) {
  Session session({});
  EXPECT_THAT(lines_of(session.take(true)), testing::ElementsAre("3   0 of 0"));
}

// Another thread may stop the trace while this thread still has a reference to a row. Calls that
// this thread then adds to the row must do no harm.
TEST(Session, TakesCallsAfterItsEnd) {
  Session session({});
  Row& row = session.row(kCpu, "p", "c");
  run(session, row, 1e-6, 3);
  EXPECT_EQ(session.take(true).rows.back().calls, 3u);
  EXPECT_FALSE(session.is_open());
  run(session, row, 1e-6, 3);
  run(session, session.row(kCpu, "q", "c"), 1e-6);
}

TEST(Table, HasTheFiguresOfEachRowInMicroseconds) {
  Session session({});
  Row& row = session.row(kCpu, "forward x=1", "onednn@3:jit");
  for (const double time : {10e-6, 20e-6, 60e-6}) {
    session.count(row);
    session.add(row, 0, time, 1);
  }
  session.count(session.row(kCuda, "backward", "libtorch"));
  const std::string table = to_table(session.take(true));
  EXPECT_THAT(table, testing::HasSubstr("Calls of convolutions: 4 in"));
  EXPECT_THAT(table, testing::HasSubstr("3 of them timed"));
  EXPECT_THAT(table, testing::HasSubstr("\ncpu forward x=1\n"));
  EXPECT_THAT(table, testing::HasSubstr("cpu onednn@3:jit\n"));
  EXPECT_THAT(table, testing::HasSubstr("100.0 %         3         3       30.00 "));
  EXPECT_THAT(table, testing::HasSubstr("       10.00       60.00       26.46  onednn@3:jit\n"));
  EXPECT_THAT(table,
              testing::HasSubstr("\ncuda:0 backward\n  0.0 %         1         0           -"));
}

}  // namespace
}  // namespace atc::trace
