// Whose files are trusted with compiled parts, too. cuDNN loads a compiled part as it is, so
// whoever writes one can run code here.
#pragma once

#include <string>

#include "store/files.hpp"

namespace atc::store {

// The users, besides root and the process's effective user, whose files are trusted.
enum class Sharing {
  nobody,
  group,          // members of a group that this process is in, too
  owner_neither,  // not even these two: the files came from elsewhere, whoever unpacked them
};

// ATC_STORE_TRUST in the environment, read by the first call: "owner", "group" or "none". Another
// text is logged, and counts as "owner".
Sharing sharing_of_process();

// Why compiled parts of a file or folder of this owner are not used (part of a sentence), or "".
std::string distrust(const Ownership& ownership, Sharing sharing);

// The permission bits of new files and folders, which the umask restricts further.
unsigned file_mode(Sharing sharing);
unsigned folder_mode(Sharing sharing);

}  // namespace atc::store
