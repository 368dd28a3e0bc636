// Which users are trusted so far that compiled parts of their files are used. cuDNN loads a
// compiled part as it is, so whoever writes one can run code in this process.
#pragma once

#include <string>

#include "store/files.hpp"

namespace atc::store {

// The users whose files are trusted, in addition to root and the process's effective user.
enum class Sharing {
  nobody,
  group,          // the members of a group to which this process belongs
  owner_neither,  // nobody, not even root or the user, because the files came from elsewhere
};

// Returns the value of ATC_STORE_TRUST in the environment: "owner", "group" or "none". The first
// call reads it. Any other text is logged, and counts as "owner".
Sharing sharing_of_process();

// Returns why compiled parts of a file or folder with this ownership are not used (part of a
// sentence); "" if they are used.
std::string distrust(const Ownership& ownership, Sharing sharing);

// Return the permission bits of new files and folders, which the umask restricts further.
unsigned file_mode(Sharing sharing);
unsigned folder_mode(Sharing sharing);

}  // namespace atc::store
