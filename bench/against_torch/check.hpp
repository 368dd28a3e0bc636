// Checks the status of a call of atc. If the call has failed, prints its error and exits.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "atc/base.h"

inline void check(atc_status status) {
  if (status == ATC_OK) return;
  std::fprintf(stderr, "%s: %s\n", atc_status_name(status), atc_last_error());
  std::exit(1);
}
