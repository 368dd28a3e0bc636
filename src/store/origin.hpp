// What a value tells about where it came from, and the parts of it that run as they are. Each
// function covers the decisions of the value's "others", too.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace atc::store {

// The compiled text, in records older than sidecars.
inline constexpr const char* kCompiled = "compiled";
// True in decisions that this store received, by an import or a put, in place of measuring them.
inline constexpr const char* kReceived = "received";

// Whether it has compiled parts: texts, or names of sidecars.
bool has_compiled(const nlohmann::json& value);
void drop_compiled(nlohmann::json& value);
void mark_received(nlohmann::json& value);

}  // namespace atc::store
