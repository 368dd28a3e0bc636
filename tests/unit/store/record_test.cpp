// Tests the texts of a store's entries: valid texts, and the errors of invalid texts.
#include "store/record.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "fixtures.hpp"
#include "store/strict_json.hpp"

namespace atc::store::testing {
namespace {

using ::testing::HasSubstr;

std::string reason_of(const std::string& text) {
  const Decoded decoded = decode(text);
  EXPECT_EQ(decoded.record == nullptr, !decoded.reason.empty());
  return decoded.reason;
}

// Returns the text of a valid entry, in which `from` is replaced by `to`.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = entry_to_text({key(64), value("a")});
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Record, RoundTrips) {
  const Decoded decoded = decode(entry_to_text({key(64), value("a")}));
  ASSERT_TRUE(decoded.record) << decoded.reason;
  EXPECT_EQ(decoded.record->entry.value, value("a"));
  EXPECT_EQ(decoded.record->key_text, CanonicalKey(key(64)).text());
  EXPECT_TRUE(decoded.record->place == CanonicalKey(key(64)).place());
}

TEST(Record, TheTextWithoutTheSealIsThatOfTheValueWithoutIt) {
  Json sealed = value("a");
  sealed["a \"name\" \n\u00e9"] = {{kSeal, "in a member"}, {"numbers", {1e300, -0.5, 7}}};
  sealed["zz"] = Json::object();
  for (const Json& seal : {Json("s"), Json(7), Json()}) {
    if (!seal.is_null()) sealed[kSeal] = seal;
    const Decoded decoded = decode(encode(key(64), sealed));
    ASSERT_TRUE(decoded.record) << decoded.reason;
    EXPECT_EQ(decoded.unsealed, decoded.record->entry.value.dump());
    EXPECT_EQ(decoded.record->seal, seal.is_string() ? "s" : "");
    sealed.erase(kSeal);
  }
}

TEST(Record, TheKeyAloneIsReadWithoutTheValue) {
  Key asked = key(64);
  asked.problem["a \"name\" }"] = "{ \\";
  const std::string text = encode(CanonicalKey(asked), value("a"));
  const std::size_t at = text.find("\"value\"");
  ASSERT_NE(at, std::string::npos);
  // The text of the value is not read.
  for (const std::string& one : {text, text.substr(0, at) + "\"value\":{no JSON"}) {
    const std::optional<Key> found = decode_key(one);
    ASSERT_TRUE(found);
    EXPECT_EQ(CanonicalKey(*found).text(), CanonicalKey(asked).text());
  }
  EXPECT_FALSE(decode_key(""));
  EXPECT_FALSE(decode_key(text.substr(0, at / 2)));
  EXPECT_FALSE(decode_key(changed("\"problem\"", "\"another\"")));
}

TEST(Record, OrderOfMembersAndSpacesDoNotCount) {
  const Json json = Json::parse(entry_to_text({key(64), value("a")}));
  EXPECT_EQ(reason_of(json.dump(4)), "");
}

TEST(Record, CanonicalKeyIsTheDumpOfTheWholeKey) {
  const Key k = key(64);
  const Json whole = {{"environment", k.environment}, {"family", k.family}, {"problem", k.problem}};
  EXPECT_EQ(CanonicalKey(k).text(), whole.dump());
  EXPECT_EQ(CanonicalKey(k).place().key, hash128(whole.dump()));
}

TEST(Record, RefusesWithAReason) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "is not JSON"},
      {"[]", "is no JSON object"},
      {"{}", "has no schema number"},
      {changed("\"schema\":1", "\"schema\":2"), "is of schema 2"},
      {changed("\"schema\":1", "\"schema\":0"), "unknown schema"},
      {changed("\"schema\":1", "\"schema\":1.0"), "has no schema number"},
      {changed("\"schema\":1", "\"schema\":\"1\""), "has no schema number"},
      {changed("\"checksum\"", "\"checksun\""), "has no checksum"},
      {changed("\"configuration\":\"a\"", "\"configuration\":\"b\""),
       "does not match its checksum"},
      {changed("\"groups\":1", "\"groups\":2"), "does not match its checksum"},
      {changed("\"schema\":1", "\"schema\":1,\"more\":1"), "members beside"},
      {changed("\"schema\":1", "\"schema\":1,\"schema\":1"), "repeats the member \"schema\""},
      {changed("\"groups\":1", "\"groups\":1,\"groups\":1"), "repeats the member \"groups\""},
      {R"({"schema":1,"checksum":"","key":[],"value":{}})", "\"key\" that is no object"},
      {R"({"schema":1,"checksum":"","key":{"environment":{},"problem":7},"value":{}})",
       "key whose \"problem\" is no object"},
      {R"({"schema":1,"checksum":"","key":{"problem":{}},"value":{}})", "without \"environment\""},
      {R"({"schema":1,"checksum":"","key":{"environment":{},"problem":{},"family":1},"value":{}})",
       "\"family\" is no text"},
      {changed("\"family\":\"", "\"family\":1,\"f\":\""), "member that is not"},
      {changed("\"choice\":{", "\"choice\":null,\"c\":{"), "\"choice\" that is no object"},
      {changed("\"choice\"", "\"chance\""), "no \"choice\""},
      {changed("0.00125", "1e999"), "number out of range"},
      {changed("0.00125", "NaN"), "is not JSON"},
      {changed("0.00125", "-Infinity"), "is not JSON"},
      {changed("2026", "\xff\xfe"), "is not JSON"},
      {changed("2026", std::string(1, '\0')), "is not JSON"},
  };
  for (const auto& [text, reason] : cases) EXPECT_THAT(reason_of(text), HasSubstr(reason)) << text;
}

// Some numbers, such as 1e14, are longer after they were read and written again. If an entry would
// then be too long, it must be refused when it is read. Otherwise every listing and every export of
// the store would fail.
TEST(Record, RefusesWhatItCouldNotWriteAgain) {
  const auto text_with = [](int count) {
    std::string numbers;
    for (int i = 0; i < count; ++i) numbers += "1e14,";
    const std::string key_text = CanonicalKey(key(64)).text();
    const std::string text = "{\"choice\":{},\"n\":[" + numbers + "0]}";
    const std::string checksum = hex64(hash64(key_text + "\n" + Json::parse(text).dump()));
    return R"({"schema":1,"checksum":")" + checksum + "\",\"key\":" + key_text +
           ",\"value\":" + text + "}";
  };
  for (const int count : {10, 1000, 3000, 4000, 10000}) {
    const std::string text = text_with(count);
    ASSERT_LT(text.size(), kMaxEntryBytes);
    const Decoded decoded = decode(text);
    if (decoded.record != nullptr) {
      EXPECT_LE(entry_to_text(decoded.record->entry).size(), kMaxEntryBytes) << count;
    } else {
      EXPECT_THAT(decoded.reason, HasSubstr("bytes as it is written")) << count;
    }
    EXPECT_EQ(decoded.record != nullptr, count < 3500) << count << decoded.reason;
  }
}

TEST(Record, RefusesDeepNestingBeforeTheStackDoes) {
  constexpr std::size_t kDeep = kMaxEntryBytes - 10;
  EXPECT_THAT(reason_of(std::string(kDeep, '[')), HasSubstr("nests deeper"));
  std::string objects;
  while (objects.size() < kDeep - 5) objects += "{\"a\":";
  EXPECT_THAT(reason_of(objects), HasSubstr("nests deeper"));
}

TEST(Record, DepthLimitIsTheSameForWritingAndReading) {
  // In the JSON of an entry, the entry is the first level and its value the second one. So the
  // arrays within the value begin at the third level.
  const auto nested = [](std::size_t levels) {
    Json inner = 1;
    for (std::size_t i = 0; i < levels; ++i) inner = Json::array({inner});
    Json result = value("a");
    result["deep"] = inner;
    return result;
  };
  const Json most = nested(kMaxJsonDepth - 2);
  EXPECT_EQ(reason_of(entry_to_text({key(64), most})), "");
  Status status{};
  error_of([&] { entry_to_text({key(64), nested(kMaxJsonDepth - 1)}); }, &status);
  EXPECT_EQ(status, Status::bad_record);
}

TEST(Record, RefusesToWriteWhatIsNoEntry) {
  const auto status_of = [](const Json& value) {
    Status status{};
    error_of([&] { entry_to_text({key(64), value}); }, &status);
    return status;
  };
  EXPECT_EQ(status_of(Json::array()), Status::bad_record);
  EXPECT_EQ(status_of(Json::object()), Status::bad_record);
  EXPECT_EQ(status_of({{"choice", "text"}}), Status::bad_record);
  EXPECT_EQ(status_of({{"choice", Json::object()}, {"note", "\xff"}}), Status::bad_record);
  Json large = value("a");
  large["samples"] = std::vector<int>(40'000, 7);
  EXPECT_EQ(status_of(large), Status::bad_record);
}

TEST(Record, TakesABareEntryFromACaller) {
  const Json key_json = Json::parse(CanonicalKey(key(64)).text());
  const Json bare = {{"key", key_json}, {"value", value("a")}};
  const Entry entry = entry_from_text(bare.dump());
  EXPECT_EQ(CanonicalKey(entry.key).text(), CanonicalKey(key(64)).text());
  EXPECT_EQ(entry.value, value("a"));
  EXPECT_EQ(entry_from_text(entry_to_text(entry)).value, value("a"));
}

TEST(Record, ABareEntryMustBeWholeAndAMarkedOneIntact) {
  const Json key_json = Json::parse(CanonicalKey(key(64)).text());
  Status status{};
  error_of([&] { entry_from_text(Json{{"key", key_json}}.dump()); }, &status);
  EXPECT_EQ(status, Status::bad_record);
  error_of([&] { entry_from_text(changed("\"configuration\":\"a\"", "\"configuration\":\"b\"")); },
           &status);
  EXPECT_EQ(status, Status::bad_record);
}

TEST(Record, NumbersComeBackToTheBit) {
  Json numbers = value("a");
  numbers["n"] = {0.1,
                  1e-300,
                  5e-324,
                  -0.0,
                  std::numeric_limits<double>::max(),
                  std::numeric_limits<std::uint64_t>::max(),
                  std::numeric_limits<std::int64_t>::min()};
  const Decoded decoded = decode(entry_to_text({key(64), numbers}));
  ASSERT_TRUE(decoded.record) << decoded.reason;
  EXPECT_EQ(decoded.record->entry.value.dump(), numbers.dump());
}

}  // namespace
}  // namespace atc::store::testing
