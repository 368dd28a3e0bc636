// The secret by which this user's processes recognise the files of stores that they wrote.
#pragma once

#include <optional>
#include <string>

#include "store/seal.hpp"

namespace atc::store {

// The folder of the user's state, $XDG_STATE_HOME or $HOME/.local/state. None where neither is set
// to an absolute path, or where it is another user's (as after `sudo -E`).
std::optional<std::string> state_folder();

// The secret in the file atc/secret of that folder, which the first writer makes, readable by its
// owner alone. None where there is no such file and it cannot be made, or where others may read it;
// `trouble` then says why.
std::optional<Secret> secret_in(const std::string& state_folder, bool makes, std::string* trouble);

// The secret in the user's folder. If there is none, a secret of this process, by which the process
// recognises the files that it wrote itself; one line is logged then. `makes`: the process writes a
// store. Empty only if the system gives no random numbers.
std::optional<Secret> secret_of_process(bool makes);

}  // namespace atc::store
