// The members of a value that describe its origin, and its compiled parts (code that is run as it
// is). Each function here also processes the decisions in the value's member "others".
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace atc::store {

// The member that contains the compiled text. It exists only in records that were written before
// atc had sidecars (files with the large texts of entries).
inline constexpr const char* kCompiled = "compiled";
// This member is true in a decision that was not measured for this store but was copied into it, by
// an import or by atc_store_put.
inline constexpr const char* kReceived = "received";
// The member with the results of the gate (the check against the reference) for a received
// decision. It exists only in files with a seal. It is removed whenever an entry leaves or enters a
// store.
inline constexpr const char* kChecked = "checked";
// The member with the decisions that have other rosters (sets of engines that were compared) than
// the value's own decision.
inline constexpr const char* kOthers = "others";

// Returns whether the value has compiled parts: compiled texts, or names of sidecars (large texts
// that belong to entries).
bool has_compiled(const nlohmann::json& value);
void drop_compiled(nlohmann::json& value);
void mark_received(nlohmann::json& value);
void drop_checked(nlohmann::json& value);
// Used for values that are not trusted enough to run their compiled texts: replaces each compiled
// text by the name that a sidecar with this text would have. There is no such sidecar yet. So the
// choice is compiled again, and the sidecar is written then.
void name_compiled_texts(nlohmann::json& value);

}  // namespace atc::store
