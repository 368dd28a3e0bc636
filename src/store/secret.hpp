// The secret by which this user's processes recognise the files of stores that they wrote.
#pragma once

#include <optional>
#include <string>

#include "store/seal.hpp"

namespace atc::store {

// Returns the folder of the user's state, $XDG_STATE_HOME or $HOME/.local/state. Returns nothing if
// neither is an absolute path, or if the folder belongs to another user (as after `sudo -E`).
std::optional<std::string> state_folder();

// Returns the secret in the file atc/secret of that folder. The first process that writes a store
// makes the file, readable by its owner alone. Returns nothing if there is no such file and it
// cannot be made, or if other users may read it; then `trouble` says why.
std::optional<Secret> secret_in(const std::string& state_folder, bool makes, std::string* trouble);

// Returns the secret in the user's folder. If there is none, returns a secret that this process
// makes for itself: then the process recognises only the files that it wrote itself, and logs one
// line. `makes`: the process writes a store. The result is empty only if the system gives no random
// numbers.
std::optional<Secret> secret_of_process(bool makes);

}  // namespace atc::store
