#include "store/record.hpp"

#include <utility>

#include "core/error.hpp"
#include "core/format.hpp"
#include "store/strict_json.hpp"

namespace atc::store {
namespace {

constexpr int kSchema = 1;
// A pattern of the text that encode() writes around the key and the value. Only its length is used.
constexpr std::string_view kFrame = R"({"schema":1,"checksum":"0123456789abcdef","key":,"value":})";
// The value is nested one level deep in the document of the entry. So it may have one level less
// than a document may have.
constexpr std::size_t kMaxValueDepth = kMaxJsonDepth - 1;

std::string checksum_of(std::string_view key, std::string_view value) {
  std::string both;
  both.reserve(key.size() + value.size() + 1);
  both.append(key).append("\n").append(value);
  return hex64(hash64(both));
}

// Reads the "key" member of an entry. Returns "", or the reason why `json` is no valid key.
std::string read_key(const Json& json, Key* out) {
  if (!json.is_object()) return "has a \"key\" that is no object";
  Key key;
  for (const auto& [name, value] : json.items()) {
    if (name == "environment" || name == "problem") {
      if (!value.is_object()) return format("has a key whose \"{}\" is no object", name);
      (name == "problem" ? key.problem : key.environment) = value;
    } else if (name == "family") {
      if (!value.is_string()) return "has a key whose \"family\" is no text";
      key.family = value.get<std::string>();
    } else {
      return "has a key with a member that is not environment, problem or family";
    }
  }
  if (!json.contains("environment")) return "has a key without \"environment\"";
  if (!json.contains("problem")) return "has a key without \"problem\"";
  *out = std::move(key);
  return {};
}

std::string check_value(const Json& value) {
  if (!value.is_object()) return "has a \"value\" that is no object";
  const auto choice = value.find("choice");
  if (choice == value.end()) return "has no \"choice\" in its value";
  if (!choice->is_object()) return "has a \"choice\" that is no object";
  return {};
}

// The text of a value, and the text of the value without its seal.
struct ValueText {
  std::string whole, unsealed;
};

// Makes both texts of a value, with and without its seal, in one pass, so that each member is
// converted to text only once. Each text is the same as dump() would return. The value must have
// other members than the seal (check_value ensures this).
ValueText text_of(const Json& value) {
  ValueText text;
  for (const auto& [name, member] : value.items()) {
    const std::string part = Json(name).dump() + ":" + member.dump();
    const auto add = [&](std::string& to) { to.append(to.empty() ? "{" : ",").append(part); };
    add(text.whole);
    if (name != kSeal) add(text.unsealed);
  }
  text.whole += '}';
  text.unsealed += '}';
  return text;
}

void take_seal(Json& value, std::string* seal) {
  const auto member = value.find(kSeal);
  if (member == value.end()) return;
  if (member->is_string()) *seal = member->get<std::string>();
  value.erase(member);
}

// Returns the JSON object with which the text begins, up to its last brace. Returns "" if the text
// does not begin with a complete object.
std::string_view object_at_start(std::string_view text) {
  if (text.empty() || text.front() != '{') return {};
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return text.substr(0, i + 1);
    }
  }
  return {};
}

// Decodes an entry. If `bare` is true, schema and checksum may both be missing, as in entries that
// a caller passes.
Decoded decode(std::string_view text, bool bare) {
  Decoded result;
  if (text.size() > kMaxEntryBytes) {
    result.reason =
        format("has {} bytes, more than the {} an entry may have", text.size(), kMaxEntryBytes);
    return result;
  }
  Json json;
  if (!parse_strictly(text, &json, &result.reason)) return result;
  const auto refuse = [&](std::string reason) {
    result.reason = std::move(reason);
    return result;
  };
  if (!json.is_object()) return refuse("is no JSON object");
  const auto schema = json.find("schema");
  const bool marked = schema != json.end() || json.contains("checksum");
  if (!bare || marked) {
    if (schema == json.end() || !schema->is_number_unsigned())
      return refuse("has no schema number");
    if (*schema > kSchema) {
      result.newer_schema = true;
      return refuse(format("is of schema {}, this atc reads {}", schema->dump(), kSchema));
    }
    if (*schema != kSchema) return refuse("is of an unknown schema");
    if (!json.contains("checksum")) return refuse("has no checksum");
  }
  if (!json.contains("key")) return refuse("has no \"key\"");
  if (!json.contains("value")) return refuse("has no \"value\"");
  if (json.size() != (bare && !marked ? 2U : 4U)) {
    return refuse("has members beside schema, checksum, key and value");
  }
  auto record = std::make_shared<Record>();
  if (auto reason = read_key(json["key"], &record->entry.key); !reason.empty()) {
    return refuse(std::move(reason));
  }
  if (auto reason = check_value(json["value"]); !reason.empty()) return refuse(std::move(reason));
  record->entry.value = std::move(json["value"]);
  const CanonicalKey key(record->entry.key);
  ValueText value_text = text_of(record->entry.value);
  // The text that atc writes may be longer than the text that was read: 1e14 is written as
  // 100000000000000.0. If the written text would be too long, the entry is refused here, so that no
  // export fails because of this entry.
  if (const std::size_t size = kFrame.size() + key.text().size() + value_text.whole.size();
      size >= kMaxEntryBytes) {
    return refuse(format("would have {} bytes as it is written, more than the {} an entry may have",
                         size, kMaxEntryBytes));
  }
  if ((!bare || marked) && json["checksum"] != checksum_of(key.text(), value_text.whole)) {
    return refuse("does not match its checksum");
  }
  take_seal(record->entry.value, &record->seal);
  record->key_text = key.text();
  record->place = key.place();
  result.unsealed = std::move(value_text.unsealed);
  result.record = std::move(record);
  return result;
}

}  // namespace

CanonicalKey::CanonicalKey(const Key& key) {
  if (!key.environment.is_object() || !key.problem.is_object()) {
    fail(Status::invalid_argument,
         "the environment and the problem of a key must be JSON objects, got {} and {}",
         key.environment.type_name(), key.problem.type_name());
  }
  try {
    const std::string environment = key.environment.dump();
    text_ = "{\"environment\":" + environment;
    if (!key.family.empty()) text_ += ",\"family\":" + Json(key.family).dump();
    text_ += ",\"problem\":" + key.problem.dump() + "}";
    place_.environment = hash64(environment);
  } catch (const Json::exception&) {
    fail(Status::invalid_argument, "a key holds text that is not UTF-8");
  }
  place_.family = static_cast<std::uint32_t>(hash64(key.family));
  place_.key = hash128(text_);
}

std::string encode(const CanonicalKey& key, const Json& value) {
  if (const auto reason = check_value(value); !reason.empty()) {
    fail(Status::bad_record, "an entry {}", reason);
  }
  if (deeper_than(value, kMaxValueDepth)) {
    fail(Status::bad_record, "an entry nests deeper than {} levels", kMaxJsonDepth);
  }
  std::string value_text;
  try {
    value_text = value.dump();
  } catch (const Json::exception&) {
    fail(Status::bad_record, "the value of an entry holds text that is not UTF-8");
  }
  std::string text = format(R"({{"schema":{},"checksum":"{}","key":{},"value":{}}})", kSchema,
                            checksum_of(key.text(), value_text), key.text(), value_text);
  // A file may have kMaxEntryBytes. One byte is left for the line feed at the end of the file.
  if (text.size() >= kMaxEntryBytes) {
    fail(Status::bad_record,
         "an entry has {} bytes, more than the {} it may have: keep statistics, "
         "not samples",
         text.size(), kMaxEntryBytes);
  }
  return text;
}

std::optional<Key> decode_key(std::string_view text) {
  constexpr std::string_view kMember = R"("key":)";
  const std::size_t at = text.substr(0, kFrame.size()).find(kMember);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view object = object_at_start(text.substr(at + kMember.size()));
  Json json;
  std::string reason;
  Key key;
  if (!parse_strictly(object, &json, &reason) || !read_key(json, &key).empty()) return std::nullopt;
  return key;
}

Decoded decode(std::string_view text) { return decode(text, false); }

bool is_provisional(const Json& value) { return value.contains(kProvisional); }

std::string entry_to_text(const Entry& entry) { return encode(entry.key, entry.value); }

Entry entry_from_text(std::string_view text) {
  Decoded decoded = decode(text, true);
  if (!decoded.record) fail(Status::bad_record, "the entry {}", decoded.reason);
  return std::move(decoded.record->entry);
}

}  // namespace atc::store
