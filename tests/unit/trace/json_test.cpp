#include <gmock/gmock.h>

#include "core/json.hpp"
#include "trace/results.hpp"
#include "trace/session.hpp"

namespace atc::trace {
namespace {

using nlohmann::json;

constexpr std::int64_t kSecond = 1'000'000'000;

Results with_event(DeviceId device, std::int64_t start_ns, std::uint64_t track,
                   const std::string& problem = "p") {
  Session session({});
  Row& row = session.row(device, problem, "c");
  session.count(row);
  session.add(row, start_ns, 25e-6, track);
  Results results = session.take(true);
  results.process = 77;
  results.start_ns = start_ns;
  return results;
}

// PyTorch's profiler (Kineto) gives times relative to the last multiple of 7,889,238 s
// (ChromeTraceBaseTime). The times of this test lie after the 225th of these multiples.
TEST(TraceJson, HasTheTimeBaseOfPyTorch) {
  const std::int64_t base = 225 * 7'889'238 * kSecond;
  const std::int64_t start = base + 3 * kSecond + 1500;
  const json file = json::parse(to_json(with_event({}, start, 5)));
  EXPECT_EQ(file["baseTimeNanoseconds"].get<std::int64_t>(), base);
  ASSERT_EQ(file["traceEvents"].size(), 1u);
  const json& event = file["traceEvents"][0];
  EXPECT_EQ(event["ph"], "X");
  EXPECT_EQ(event["name"], "c");
  EXPECT_EQ(event["args"]["problem"], "p");
  EXPECT_DOUBLE_EQ(event["ts"], 3e6 + 1.5);
  EXPECT_DOUBLE_EQ(event["dur"], 25);
  EXPECT_EQ(event["pid"], 77);
  EXPECT_EQ(event["tid"], 5);
}

TEST(TraceJson, GivesEachStreamOfADeviceALane) {
  Session session({});
  Row& row = session.row({DeviceType::cuda, 1}, "p", "c");
  for (const std::uint64_t stream : {0x10, 0x20, 0x10}) session.add(row, kSecond, 1e-6, stream);
  const json file = json::parse(to_json(session.take(true)));
  std::vector<std::string> seen;
  for (const json& event : file["traceEvents"]) {
    EXPECT_EQ(event["pid"], "atc cuda:1");
    seen.push_back(event["ph"].get<std::string>() + event["tid"].dump() +
                   event["args"].value("name", ""));
  }
  EXPECT_THAT(seen, testing::ElementsAre("M0atc cuda:1", "M1stream 0x10", "X1", "M2stream 0x20",
                                         "X2", "X1"));
}

TEST(TraceJson, HasTheRows) {
  const json file = json::parse(to_json(with_event({DeviceType::cuda, 2}, kSecond, 1)));
  EXPECT_EQ(file["atc"]["version"], 1);
  EXPECT_EQ(file["atc"]["process"], 77);
  const json& rows = file["atc"]["rows"];
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0]["kind"], "problem");
  EXPECT_EQ(rows[0]["device"], "cuda:2");
  EXPECT_EQ(rows[0]["calls"], 1);
  EXPECT_EQ(rows[0]["median"], 25e-6);
  EXPECT_EQ(rows[1]["kind"], "choice");
  EXPECT_EQ(rows[2]["kind"], "total");
  EXPECT_FALSE(rows[2].contains("device"));
}

// Names come from front ends and plug-ins. None of their bytes may make the JSON invalid.
TEST(TraceJson, IsJsonWhateverTheNamesAre) {
  const json file = json::parse(to_json(with_event({}, kSecond, 1, "a\"\\\n\x01\xff</script>")));
  EXPECT_EQ(file["atc"]["rows"][0]["problem"], "a\"\\\n\x01\xef\xbf\xbd</script>");
}

}  // namespace
}  // namespace atc::trace
