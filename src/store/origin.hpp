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

// Whether the value has compiled parts: texts, or names of sidecars.
bool has_compiled(const nlohmann::json& value);
void drop_compiled(nlohmann::json& value);
void mark_received(nlohmann::json& value);
// Replaces each compiled text by the name of a sidecar. So the text is not loaded, and the sidecar
// is written when the choice is compiled again.
void name_compiled_texts(nlohmann::json& value);

}  // namespace atc::store
