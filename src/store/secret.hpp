// The secret by which this user's processes recognise those files of a store that they have
// written.
#pragma once

#include <optional>
#include <string>

#include "store/seal.hpp"

namespace atc::store {

// Returns the folder of the user's state: $XDG_STATE_HOME or $HOME/.local/state. Returns nothing if
// neither is an absolute path, or if the folder belongs to another user (as after `sudo -E`).
std::optional<std::string> state_folder();

// Returns the secret in the file atc/secret of `state_folder`. If the file does not exist and
// `makes` is true, the file is made, readable by its owner alone. Returns nothing if there is no
// file and none can be made, or if other users may read the file; in these cases `trouble` is set
// to the reason.
std::optional<Secret> secret_in(const std::string& state_folder, bool makes, std::string* trouble);

// Returns the user's secret, from the file in state_folder(). If there is none, returns a secret
// that is valid only in this process, and logs one line. With such a secret the process recognises
// only files that it wrote itself. `makes` must be true if the process writes a store. Returns
// nothing if the system gives no random numbers.
std::optional<Secret> secret_of_process(bool makes);

}  // namespace atc::store
