// Seals of files. A seal is a keyed checksum (SipHash-2-4 with 128 bits). Its key is a secret that
// only this user's processes know. If a file has no valid seal, it was not written by this user on
// this machine, or a version of atc without seals wrote it. A plain checksum can be computed by
// anybody who makes a file for download; a seal cannot.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "store/hash.hpp"

namespace atc::store {

using Secret = Hash128;

constexpr std::size_t kSealBytes = 32;

// Returns the seal of the bytes: 32 hexadecimal digits.
std::string seal_of(const Secret& secret, std::string_view bytes);

// Returns the message from which the seal for a part of an entry is computed. `kind` distinguishes
// the parts of one entry, so that the seal of one part is not valid for another part.
std::string sealed_message(std::string_view kind, std::string_view key_text, std::string_view part);

}  // namespace atc::store
