#include "store/bundle.hpp"

#include <fmt/format.h>

#include <set>
#include <unordered_map>
#include <utility>

#include "core/error.hpp"
#include "store/strict_json.hpp"

namespace atc::store {
namespace {

constexpr int kBundleSchema = 1;
constexpr std::size_t kMaxHeaderBytes = 256;

std::string header_of(std::size_t entries, std::string_view body) {
  return fmt::format(R"({{"atc_bundle":{},"entries":{},"checksum":"{}"}})", kBundleSchema, entries,
                     hex64(hash64(body)));
}

[[noreturn]] void refuse(const std::string& reason) {
  fail(Status::bad_record, "the bundle {}; nothing was taken from it", reason);
}

struct Header {
  std::uint64_t entries = 0;
  std::string checksum;
};

Header read_header(std::string_view line) {
  Json json;
  std::string reason;
  if (line.size() > kMaxHeaderBytes || !parse_strictly(line, &json, &reason) || !json.is_object() ||
      !json.contains("atc_bundle")) {
    refuse("does not begin with the header of an atc bundle");
  }
  if (json["atc_bundle"] != kBundleSchema) {
    refuse(fmt::format("is of schema {}, this atc reads {}", json["atc_bundle"].dump(),
                       kBundleSchema));
  }
  const auto entries = json.find("entries");
  const auto checksum = json.find("checksum");
  if (json.size() != 3 || entries == json.end() || !entries->is_number_unsigned() ||
      checksum == json.end() || !checksum->is_string()) {
    refuse("has a header that is not atc_bundle, entries and checksum");
  }
  return {entries->get<std::uint64_t>(), checksum->get<std::string>()};
}

}  // namespace

std::string write_bundle(const std::map<Hash128, std::string>& lines) {
  std::size_t size = 0;
  for (const auto& [key, line] : lines) size += line.size() + 1;
  if (size > kMaxBundleBytes - kMaxHeaderBytes) {
    fail(
        Status::bad_record,
        "a bundle of {} entries would have {} bytes, more than the {} it may have: prune the store "
        "first",
        lines.size(), size, kMaxBundleBytes);
  }
  std::string body;
  body.reserve(size);
  for (const auto& [key, line] : lines) body.append(line).append("\n");
  return header_of(lines.size(), body) + "\n" + body;
}

std::vector<BundleLine> read_bundle(std::string_view bytes) {
  if (bytes.size() > kMaxBundleBytes) {
    refuse(
        fmt::format("has {} bytes, more than the {} it may have", bytes.size(), kMaxBundleBytes));
  }
  const std::size_t header_end = bytes.find('\n');
  if (header_end == std::string_view::npos)
    refuse("does not begin with the header of an atc bundle");
  const Header header = read_header(bytes.substr(0, header_end));
  const std::string_view body = bytes.substr(header_end + 1);

  std::vector<BundleLine> lines;
  std::unordered_map<Hash128, std::size_t, Hash128Hasher> seen;
  for (std::string_view rest = body; !rest.empty();) {
    const std::size_t number = lines.size() + 1;
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) refuse(fmt::format("ends within entry {}", number));
    const std::string_view line = rest.substr(0, end);
    const Decoded decoded = decode(line);
    if (!decoded.record) refuse(fmt::format("is bad: entry {} {}", number, decoded.reason));
    const Place& place = decoded.record->place;
    const auto [same, fresh] = seen.emplace(place.key, number);
    if (!fresh) {
      refuse(fmt::format("is bad: entry {} has the key of entry {}", number, same->second));
    }
    lines.push_back({place, line, is_provisional(decoded.record->entry.value)});
    rest.remove_prefix(end + 1);
  }
  if (lines.size() != header.entries) {
    refuse(fmt::format("has {} entries, its header says {}", lines.size(), header.entries));
  }
  if (hex64(hash64(body)) != header.checksum) refuse("does not match its checksum");
  return lines;
}

std::string merge_bundles(const std::vector<std::string_view>& bundles) {
  std::map<Hash128, std::string> lines;
  std::set<Hash128> provisional;
  for (std::size_t i = 0; i < bundles.size(); ++i) {
    try {
      for (const BundleLine& line : read_bundle(bundles[i])) {
        const Hash128& key = line.place.key;
        const auto [first, fresh] = lines.emplace(key, std::string(line.text));
        if (fresh && line.provisional) provisional.insert(key);
        if (fresh || line.provisional || provisional.erase(key) == 0) continue;
        first->second = std::string(line.text);
      }
    } catch (const Error& error) {
      fail(error.status(), "bundle {} of {}: {}", i + 1, bundles.size(), error.what());
    }
  }
  return write_bundle(lines);
}

}  // namespace atc::store
