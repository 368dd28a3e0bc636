// Fuzzes bundles (the files that `atc_store_export` writes). A bundle of arbitrary bytes must
// either be refused by an Error(bad_record), or be usable in a merge. A merge of the bundle with
// itself must give the same entries. If a merge leaves out compiled parts, it must give the same
// entries without sidecars (the files that hold compiled plans).
#include "store/bundle.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/format.hpp"
#include "mutate_json.hpp"
#include "require.hpp"
#include "store/origin.hpp"
#include "store/store.hpp"

namespace {

using namespace atc::store;

std::vector<Place> places_of(const Bundle& bundle) {
  std::vector<Place> places;
  for (const BundleLine& line : bundle.lines) places.push_back(line.place);
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.key < b.key; });
  return places;
}

void check(std::string_view bytes, const Bundle& bundle) {
  const std::string merged = merge_bundles({bytes, bytes});
  const Bundle again = read_bundle(merged);
  REQUIRE(places_of(again) == places_of(bundle));
  REQUIRE(again.sidecars.size() == bundle.sidecars.size());
  REQUIRE(merge_bundles({merged}) == merged);

  const std::string bare = merge_bundles({bytes}, true);
  const Bundle stripped = read_bundle(bare);
  REQUIRE(places_of(stripped) == places_of(bundle));
  REQUIRE(stripped.sidecars.empty());
  for (const BundleLine& line : stripped.lines)
    REQUIRE(!has_compiled(entry_from_text(line.text).value));
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// If the text is an entry, returns it with the right checksum; otherwise returns it unchanged.
std::string with_checksum(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("key") || !json.contains("value")) return line;
  try {
    return entry_to_text(
        entry_from_text(Json{{"key", json["key"]}, {"value", json["value"]}}.dump()));
  } catch (const atc::Error&) {
    return line;
  }
}

// Returns a bundle (an exported store) that consists of these lines. Its header has the right
// counts and the right checksum.
std::string bundle_of(const std::vector<std::string>& lines) {
  std::string body;
  std::size_t entries = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    body += lines[i] + '\n';
    entries += lines[i].find("\"zlib\"") == std::string::npos ? 1U : 0U;
  }
  const std::size_t sidecars = lines.empty() ? 0 : lines.size() - 1 - entries;
  return atc::format(R"({{"atc_bundle":{},"entries":{},{}"checksum":"{}"}})", sidecars == 0 ? 1 : 2,
                     entries, sidecars == 0 ? "" : atc::format(R"("sidecars":{},)", sidecars),
                     hex64(hash64(body))) +
         '\n' + body;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  Bundle bundle;
  try {
    bundle = read_bundle(bytes);
  } catch (const atc::Error& error) {
    REQUIRE_OR_TELL(error.status() == atc::Status::bad_record, error.what());
    return 0;
  }
  check(bytes, bundle);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  std::vector<std::string> lines = lines_of(fuzz::text_of(data, size));
  if (lines.empty() || seed % 16 == 0)
    return fuzz::give_back(fuzz::changed_bytes(fuzz::text_of(data, size)), data, most);
  const std::size_t which = seed / 16 % lines.size();
  switch (seed / 256 % 8) {
    case 0:
      lines.push_back(lines[which]);
      break;
    case 1:
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(which));
      break;
    default:
      lines[which] = fuzz::changed_json(lines[which], seed);
  }
  if (seed / 2048 % 8 != 0)
    for (std::string& line : lines) line = with_checksum(line);
  std::string text;
  if (seed / 16384 % 8 != 0)
    text = bundle_of(lines);
  else
    for (const std::string& line : lines) text += line + '\n';
  return fuzz::give_back(text, data, most);
}
