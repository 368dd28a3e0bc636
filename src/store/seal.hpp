// Seals of files. A seal is a keyed checksum (SipHash-2-4 of 128 bits) with a secret that only this
// user's processes know. A file without a valid seal was not written by this user on this machine,
// or an atc without seals wrote it. A checksum can be made by whoever writes a download; a seal
// cannot.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "store/hash.hpp"

namespace atc::store {

using Secret = Hash128;

constexpr std::size_t kSealBytes = 32;

// 32 hexadecimal digits.
std::string seal_of(const Secret& secret, std::string_view bytes);

// Returns the message that is sealed for a part of an entry. `kind` separates the parts of one
// entry.
std::string sealed_message(std::string_view kind, std::string_view key_text, std::string_view part);

}  // namespace atc::store
