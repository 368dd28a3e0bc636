#include "store/sidecar.hpp"

#include <zlib.h>

#include <algorithm>
#include <new>
#include <utility>

#include "core/format.hpp"
#include "core/json_object.hpp"
#include "store/entry.hpp"
#include "store/origin.hpp"
#include "store/seal.hpp"

namespace atc::store {
namespace {

// zlib's input pointer is not const, but zlib does not write to the input.
Bytef* input_of(std::string_view bytes) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
}

class Inflating {
 public:
  explicit Inflating(std::string_view packed) {
    stream_.next_in = input_of(packed);
    stream_.avail_in = static_cast<uInt>(packed.size());
    if (inflateInit(&stream_) != Z_OK) throw std::bad_alloc();
  }
  ~Inflating() { inflateEnd(&stream_); }
  Inflating(const Inflating&) = delete;
  Inflating& operator=(const Inflating&) = delete;

  // Unpacks at most `limit` bytes. Afterwards ended() says whether the zlib stream was complete,
  // and rest() returns how many bytes of the input follow the stream.
  std::string text(std::size_t limit) {
    std::string text;
    int state = Z_OK;
    while (state == Z_OK && text.size() < limit) {
      const std::size_t before = text.size();
      text.resize(std::min(limit, std::max<std::size_t>(kFirstBytes, 2 * before)));
      stream_.next_out = reinterpret_cast<Bytef*>(text.data() + before);
      stream_.avail_out = static_cast<uInt>(text.size() - before);
      state = inflate(&stream_, Z_NO_FLUSH);
      text.resize(text.size() - stream_.avail_out);
    }
    ended_ = state == Z_STREAM_END;
    return text;
  }
  bool ended() const { return ended_; }
  std::size_t rest() const { return stream_.avail_in; }

 private:
  static constexpr std::size_t kFirstBytes = std::size_t{64} << 10;
  z_stream stream_{};
  bool ended_ = false;
};

// Returns whether a file begins with a seal. (The seal stands before the zlib stream. If it stood
// at the end, a file whose end was cut off by a power loss could pass for a valid file without a
// seal.)
bool starts_with_seal(std::string_view packed) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  return packed.size() >= kSealBytes &&
         packed.substr(0, kSealBytes).find_first_not_of(kDigits) == std::string_view::npos;
}

void add_named(const Json& decision, std::vector<SidecarName>& names) {
  const auto member = decision.find(kSidecar);
  if (member == decision.end()) return;
  if (const auto name = sidecar_from_json(*member)) names.push_back(*name);
}

}  // namespace

SidecarName name_of_sidecar(std::string_view text) { return {hash128(text), text.size()}; }

Json to_json(const SidecarName& name) {
  return json_object({{"hash", hex128(name.hash)}, {"bytes", name.bytes}});
}

std::optional<SidecarName> sidecar_from_json(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto digits = json.find("hash");
  const auto bytes = json.find("bytes");
  if (digits == json.end() || !digits->is_string() || bytes == json.end() ||
      !bytes->is_number_unsigned())
    return std::nullopt;
  const auto hash = hash128_from_hex(digits->get_ref<const std::string&>());
  if (!hash || *bytes > kMaxSidecarBytes) return std::nullopt;
  return SidecarName{*hash, bytes->get<std::uint64_t>()};
}

std::vector<SidecarName> sidecars_of(const Json& value) {
  std::vector<SidecarName> names;
  add_named(value, names);
  if (const auto others = value.find(kOthers); others != value.end() && others->is_array())
    for (const Json& other : *others)
      if (other.is_object()) add_named(other, names);
  return names;
}

std::string pack(std::string_view text) {
  uLongf size = compressBound(static_cast<uLong>(text.size()));
  std::string packed(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size, input_of(text),
                static_cast<uLong>(text.size()), Z_DEFAULT_COMPRESSION) != Z_OK)
    throw std::bad_alloc();
  packed.resize(size);
  return packed;
}

Unpacked unpack(std::string_view packed, const Hash128& hash, std::optional<std::uint64_t> bytes,
                std::string* seal) {
  const std::size_t sealed = seal != nullptr && starts_with_seal(packed) ? kSealBytes : 0;
  if (seal != nullptr) *seal = packed.substr(0, sealed);
  Inflating stream(packed.substr(sealed));
  std::string text = stream.text(kMaxSidecarBytes + 1);
  if (text.size() > kMaxSidecarBytes)
    return {std::nullopt, format("holds more than the {} bytes it may", kMaxSidecarBytes)};
  if (!stream.ended() || stream.rest() != 0) return {std::nullopt, "is no whole zlib stream"};
  if (hash128(text) != hash) return {std::nullopt, "does not match the hash in its name"};
  if (bytes && text.size() != *bytes)
    return {std::nullopt, format("holds {} bytes, its entry says {}", text.size(), *bytes)};
  return {std::move(text), {}};
}

SidecarFile read_sidecar(const std::string& folder, const std::string& name, const Hash128& hash,
                         std::optional<std::uint64_t> bytes) {
  SidecarFile sidecar{read_file(folder, name, kMaxSidecarBytes + kSealBytes), {}, {}};
  FileText& file = sidecar.file;
  if (file.state != FileText::State::read) return sidecar;
  Unpacked unpacked = unpack(file.text, hash, bytes, &sidecar.seal);
  if (unpacked.text) {
    sidecar.text = *std::move(unpacked.text);
    file.text.erase(0, sidecar.seal.size());
  } else {
    file.state = FileText::State::refused;
    file.reason = std::move(unpacked.reason);
  }
  return sidecar;
}

}  // namespace atc::store
