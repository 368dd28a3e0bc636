// Includes the headers inside extern "C", as programs that were written for C may do.
extern "C" {
#include "atc/atc.h"
}

static_assert(atc_conv_options(ATC_CONV_OPTIONS_INIT).struct_size == sizeof(atc_conv_options));
