#include "store/bundle.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/error.hpp"
#include "core/format.hpp"
#include "store/base64.hpp"
#include "store/join.hpp"
#include "store/origin.hpp"
#include "store/sidecar.hpp"
#include "store/store.hpp"
#include "store/strict_json.hpp"

namespace atc::store {
namespace {

// A bundle without sidecars (files with compiled forms) is written with the older schema number, so
// that versions of atc that do not know sidecars can read it.
constexpr int kSchemaWithoutSidecars = 1, kSchemaWithSidecars = 2;
constexpr std::size_t kMaxHeaderBytes = 256;

std::string header_of(std::size_t entries, std::size_t sidecars, std::string_view body) {
  const int schema = sidecars == 0 ? kSchemaWithoutSidecars : kSchemaWithSidecars;
  return format(R"({{"atc_bundle":{},"entries":{},{}"checksum":"{}"}})", schema, entries,
                sidecars == 0 ? "" : format(R"("sidecars":{},)", sidecars), hex64(hash64(body)));
}

[[noreturn]] void refuse(const std::string& reason) {
  fail(Status::bad_record, "the bundle {}; nothing was taken from it", reason);
}

struct Header {
  std::uint64_t entries = 0, sidecars = 0;
  std::string checksum;
};

Header read_header(std::string_view line) {
  Json json;
  std::string reason;
  if (line.size() > kMaxHeaderBytes || !parse_strictly(line, &json, &reason) || !json.is_object() ||
      !json.contains("atc_bundle")) {
    refuse("does not begin with the header of an atc bundle");
  }
  const bool has_sidecars = json["atc_bundle"] == kSchemaWithSidecars;
  if (!has_sidecars && json["atc_bundle"] != kSchemaWithoutSidecars) {
    refuse(format("is of schema {}, this atc reads {} and {}", json["atc_bundle"].dump(),
                  kSchemaWithoutSidecars, kSchemaWithSidecars));
  }
  const auto entries = json.find("entries");
  const auto sidecars = json.find("sidecars");
  const auto checksum = json.find("checksum");
  const auto is_number = [&](const auto& member) {
    return member != json.end() && member->is_number_unsigned();
  };
  if (json.size() != (has_sidecars ? 4U : 3U) || !is_number(entries) ||
      is_number(sidecars) != has_sidecars || checksum == json.end() || !checksum->is_string()) {
    refuse("has a header that is not atc_bundle, entries, checksum and, in schema 2, sidecars");
  }
  return {entries->get<std::uint64_t>(), has_sidecars ? sidecars->get<std::uint64_t>() : 0,
          checksum->get<std::string>()};
}

std::string line_of(const Hash128& key, const BundleSidecar& sidecar) {
  Json json = to_json(sidecar.name);
  json["key"] = hex128(key);
  json["zlib"] = to_base64(sidecar.packed);
  return json.dump();
}

// Reads the line of a sidecar (a large text that belongs to an entry). Returns the sidecar, and the
// hash of the key of the entry that the sidecar belongs to. If the line is wrong, throws
// Error(bad_record) with the reason.
std::pair<Hash128, BundleSidecar> read_sidecar(std::string_view line, std::size_t number) {
  const auto bad = [&](const std::string& reason) {
    refuse(format("is bad: sidecar {} {}", number, reason));
  };
  Json json;
  std::string reason;
  if (!parse_strictly(line, &json, &reason)) bad(reason);
  const auto name = sidecar_from_json(json);
  const auto text_of = [&](const char* member) {
    const auto found = json.find(member);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  if (!name || json.size() != 4) bad("is not hash, bytes, key and zlib");
  const auto key = hash128_from_hex(text_of("key"));
  if (!key) bad("has no key");
  auto packed = from_base64(text_of("zlib"));
  if (!packed) bad("is not base64");
  if (packed->size() > kMaxSidecarBytes)
    bad(format("has {} bytes, more than the {} it may have", packed->size(), kMaxSidecarBytes));
  if (auto unpacked = unpack(*packed, name->hash, name->bytes); !unpacked.text)
    bad(unpacked.reason);
  return {*key, BundleSidecar{*name, std::move(*packed)}};
}

[[noreturn]] void refuse_count(std::size_t sidecars, std::size_t count) {
  refuse(format("has {} sidecars, its header says {}", sidecars, count));
}

// Reads the lines of sidecars (large texts that belong to entries). Each sidecar must be named by
// an entry, and must occur only once.
void take_sidecars(std::string_view rest, std::size_t count, Bundle* bundle) {
  std::set<std::pair<Hash128, Hash128>> named;
  for (const BundleLine& line : bundle->lines)
    for (const SidecarName& name : line.sidecars) named.emplace(line.place.key, name.hash);
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) refuse(format("ends within sidecar {}", number));
    auto [key, sidecar] = read_sidecar(rest.substr(0, end), number);
    const std::pair place(key, sidecar.name.hash);
    if (named.erase(place) == 0)
      refuse(format("is bad: sidecar {} is named by no entry, or a second time", number));
    bundle->sidecars.emplace(place, std::move(sidecar));
    rest.remove_prefix(end + 1);
  }
  if (bundle->sidecars.size() != count) refuse_count(bundle->sidecars.size(), count);
}

void leave_sidecars(std::string_view rest, std::size_t count) {
  const auto lines = static_cast<std::size_t>(std::count(rest.begin(), rest.end(), '\n'));
  if (!rest.empty() && rest.back() != '\n') refuse(format("ends within sidecar {}", lines + 1));
  if (lines != count) refuse_count(lines, count);
}

}  // namespace

std::string write_bundle(const std::map<Hash128, std::string>& lines,
                         const BundleSidecars& sidecars) {
  std::size_t size = 0;
  for (const auto& [key, line] : lines) size += line.size() + 1;
  for (const auto& [place, sidecar] : sidecars)
    size += kMaxHeaderBytes + sidecar.packed.size() / 3 * 4;
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
  for (const auto& [place, sidecar] : sidecars)
    body.append(line_of(place.first, sidecar)).append("\n");
  return header_of(lines.size(), sidecars.size(), body) + "\n" + body;
}

Bundle read_bundle(std::string_view bytes, Sidecars sidecars) {
  if (bytes.size() > kMaxBundleBytes) {
    refuse(format("has {} bytes, more than the {} it may have", bytes.size(), kMaxBundleBytes));
  }
  const std::size_t header_end = bytes.find('\n');
  if (header_end == std::string_view::npos)
    refuse("does not begin with the header of an atc bundle");
  const Header header = read_header(bytes.substr(0, header_end));
  const std::string_view body = bytes.substr(header_end + 1);

  Bundle bundle;
  std::vector<BundleLine>& lines = bundle.lines;
  std::unordered_map<Hash128, std::size_t, Hash128Hasher> seen;
  std::string_view rest = body;
  // If the bundle has no sidecars (large texts that belong to entries), all lines are entries. Then
  // the loop reads all of them, and not only the number that the header states, so that a wrong
  // number is noticed.
  const auto more = [&] { return header.sidecars == 0 || lines.size() < header.entries; };
  while (!rest.empty() && more()) {
    const std::size_t number = lines.size() + 1;
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) refuse(format("ends within entry {}", number));
    const std::string_view line = rest.substr(0, end);
    const Decoded decoded = decode(line);
    if (!decoded.record) refuse(format("is bad: entry {} {}", number, decoded.reason));
    const Place& place = decoded.record->place;
    const Json& value = decoded.record->entry.value;
    const auto [same, fresh] = seen.emplace(place.key, number);
    if (!fresh) {
      refuse(format("is bad: entry {} has the key of entry {}", number, same->second));
    }
    lines.push_back({place, line, is_provisional(value), sidecars_of(value)});
    rest.remove_prefix(end + 1);
  }
  if (lines.size() != header.entries) {
    refuse(format("has {} entries, its header says {}", lines.size(), header.entries));
  }
  if (sidecars == Sidecars::take)
    take_sidecars(rest, header.sidecars, &bundle);
  else
    leave_sidecars(rest, header.sidecars);
  if (hex64(hash64(body)) != header.checksum) refuse("does not match its checksum");
  return bundle;
}

namespace {

std::string without_compiled(std::string_view line) {
  Entry entry = entry_from_text(line);
  if (!has_compiled(entry.value)) return std::string(line);
  drop_compiled(entry.value);
  return entry_to_text(entry);
}

// Returns an entry with the decisions of both lines (entries with the same key). The function
// join() (join.hpp) determines which decisions remain. `one` and `other` may be the same line. If
// the result would not be a valid entry, returns `one` unchanged.
std::string joined(const std::string& one, const std::string& other) {
  Entry both = entry_from_text(one);
  both.value = join(both.value, entry_from_text(other).value);
  try {
    return entry_to_text(both);
  } catch (const Error& error) {
    if (error.status() != Status::bad_record) throw;
    return one;
  }
}

}  // namespace

std::string merge_bundles(const std::vector<std::string_view>& bundles, bool drops_compiled) {
  std::map<Hash128, std::string> lines;
  BundleSidecars all;
  for (std::size_t i = 0; i < bundles.size(); ++i) {
    try {
      Bundle bundle = read_bundle(bundles[i], drops_compiled ? Sidecars::leave : Sidecars::take);
      all.merge(bundle.sidecars);
      for (const BundleLine& line : bundle.lines) {
        const std::string text =
            drops_compiled ? without_compiled(line.text) : std::string(line.text);
        std::string& present = lines.emplace(line.place.key, text).first->second;
        present = joined(present, text);
      }
    } catch (const Error& error) {
      fail(error.status(), "bundle {} of {}: {}", i + 1, bundles.size(), error.what());
    }
  }
  // A sidecar (a large text that belongs to an entry) may be taken from any bundle that contains
  // it: sidecars with the same name are equal, because the name contains the hash of the text.
  BundleSidecars sidecars;
  if (!drops_compiled)
    for (const auto& [key, line] : lines)
      for (const SidecarName& name : sidecars_of(entry_from_text(line).value))
        if (auto found = all.extract({key, name.hash})) sidecars.insert(std::move(found));
  return write_bundle(lines, sidecars);
}

}  // namespace atc::store
