// Checks that the headers can be included inside of extern "C". Some programs that were first
// written in C do so.
extern "C" {
#include "atc/atc.h"
}

static_assert(atc_conv_options(ATC_CONV_OPTIONS_INIT).struct_size == sizeof(atc_conv_options));
