// The marks of a value about its origin, and the parts of a value that run as they are (compiled
// parts). Each function also covers the decisions of the value's "others".
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace atc::store {

// The compiled text, in records older than sidecars.
inline constexpr const char* kCompiled = "compiled";
// True in decisions that this store received, by an import or a put, in place of measuring them.
inline constexpr const char* kReceived = "received";
// The results of the gate for a received decision, in files with a seal alone. Never in what leaves
// or enters a store.
inline constexpr const char* kChecked = "checked";
// The decisions of other rosters than the value's own.
inline constexpr const char* kOthers = "others";

// Whether it has compiled parts: texts, or names of sidecars.
bool has_compiled(const nlohmann::json& value);
void drop_compiled(nlohmann::json& value);
void mark_received(nlohmann::json& value);
void drop_checked(nlohmann::json& value);
// Puts the name of a sidecar in the place of each compiled text, so that the text is not loaded and
// the sidecar is written once the choice was compiled anew.
void name_compiled_texts(nlohmann::json& value);

}  // namespace atc::store
