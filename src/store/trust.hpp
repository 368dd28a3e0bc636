// Decides which users are trusted. Compiled parts of a file are used only if the file's owner is
// trusted: cuDNN runs a compiled part as it is, so whoever writes the file can run code in this
// process.
#pragma once

#include <string>

#include "store/files.hpp"

namespace atc::store {

// The users whose files are trusted, besides root and the process's effective user.
enum class Sharing {
  nobody,
  group,  // the members of a group to which this process belongs
  // No files are trusted, not even those of root or of the user. (They may have been copied from
  // another machine or user.)
  owner_neither,
};

// Returns the meaning of ATC_STORE_TRUST in the environment: "owner", "group" or "none". The
// variable is read at the first call. Any other text is logged, and is treated like "owner".
Sharing sharing_of_process();

// Returns the reason, as a part of a sentence, why compiled parts of a file or folder with this
// ownership must not be used; "" if they may be used.
std::string distrust(const Ownership& ownership, Sharing sharing);

// Return the permission bits for new files and folders. The umask restricts them further.
unsigned file_mode(Sharing sharing);
unsigned folder_mode(Sharing sharing);

}  // namespace atc::store
