// Marks of a value that say where it came from, and the compiled parts of a value (code that runs
// as it is). Each function also covers the decisions in the value's "others".
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace atc::store {

// The member that holds the compiled text, in records that are older than sidecars.
inline constexpr const char* kCompiled = "compiled";
// The member is true in a decision that this store did not measure but received, by an import or a
// put.
inline constexpr const char* kReceived = "received";
// The results of the gate for a received decision, in files with a seal alone. Never in what leaves
// or enters a store.
inline constexpr const char* kChecked = "checked";
// The decisions of other rosters than the value's own.
inline constexpr const char* kOthers = "others";

// Whether the value has compiled parts: texts, or names of sidecars.
bool has_compiled(const nlohmann::json& value);
void drop_compiled(nlohmann::json& value);
void mark_received(nlohmann::json& value);
void drop_checked(nlohmann::json& value);
// Replaces each compiled text by the name of a sidecar. So the text is not loaded, and the sidecar
// is written when the choice is compiled again.
void name_compiled_texts(nlohmann::json& value);

}  // namespace atc::store
