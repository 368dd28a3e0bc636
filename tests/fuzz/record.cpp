// Fuzzes entries of a store. An entry of arbitrary bytes is either refused with a reason, or
// accepted. An accepted entry can be written again, and reading it then gives the same entry. The
// value of an entry is read as a record of decisions, or refused by an Error(bad_record).
#include <string>

#include "conv/explain/entry_report.hpp"
#include "conv/race/ceilings.hpp"
#include "conv/record.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "mutate_json.hpp"
#include "require.hpp"
#include "store/origin.hpp"
#include "store/record.hpp"
#include "store/sidecar.hpp"

namespace {

using namespace atc;

// Returns the text with the right checksum of its key and its value. A text without a checksum is
// returned unchanged.
std::string with_checksum(const std::string& text) {
  const store::Json json = store::Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("key") || !json["key"].is_object() ||
      !json.contains("value"))
    return text;
  const store::Json& parts = json["key"];
  store::Key key;
  key.environment = parts.value("environment", store::Json());
  key.problem = parts.value("problem", store::Json());
  const auto family = parts.find("family");
  if (family != parts.end() && family->is_string()) key.family = family->get<std::string>();
  try {
    return store::encode(key, json["value"]);
  } catch (const Error&) {
    return text;
  }
}

void check(const store::Entry& entry) {
  const std::string text = store::entry_to_text(entry);
  const store::Decoded again = store::decode(text);
  REQUIRE_OR_TELL(again.record != nullptr, again.reason.c_str());
  REQUIRE(again.record->entry.value == entry.value);
  REQUIRE(again.record->key_text == store::CanonicalKey(entry.key).text());
  store::Json received = entry.value;
  store::drop_compiled(received);
  REQUIRE(!store::has_compiled(received));
  REQUIRE(store::sidecars_of(received).empty());
  const conv::EntryReport report = conv::report_of(entry, {{20e9}, {{"f32", 1e12}}});
  REQUIRE(report.entry == text);
  REQUIRE(report.choice.empty() == !report.trouble.empty());
  REQUIRE(!report.problem.empty() || (report.bytes == 0 && report.flops == 0));
}

void check(const conv::Record& record) {
  REQUIRE(!record.empty());
  for (const conv::Decision& decision : record) {
    REQUIRE(*decision.winner < decision.candidates.size());
    REQUIRE(*decision.default_candidate < decision.candidates.size());
    REQUIRE(!decision.captured || *decision.captured < decision.candidates.size());
  }
  const conv::Record again = conv::record_from_json(conv::to_json(record));
  REQUIRE(again.size() == record.size());
  for (std::size_t i = 0; i < record.size(); ++i) {
    REQUIRE(again[i].choice == record[i].choice);
    REQUIRE(again[i].choice_of(true) == record[i].choice_of(true));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  set_log_level(LogLevel::off);
  const std::string_view text = fuzz::text_of(data, size);
  const store::Decoded decoded = store::decode(text);
  if (decoded.record != nullptr)
    check(decoded.record->entry);
  else
    REQUIRE(!decoded.reason.empty());
  try {
    const store::Entry bare = store::entry_from_text(text);
    check(bare);
    check(conv::record_from_json(bare.value));
  } catch (const Error& error) {
    REQUIRE_OR_TELL(error.status() == Status::bad_record, error.what());
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  std::string text = fuzz::changed_json(fuzz::text_of(data, size), seed);
  if (seed / 32 % 8 != 0) text = with_checksum(text);
  return fuzz::give_back(text, data, most);
}
