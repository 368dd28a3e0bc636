// Programs written for C may have the headers inside extern "C".
extern "C" {
#include "atc/atc.h"
}

static_assert(atc_conv_options(ATC_CONV_OPTIONS_INIT).struct_size == sizeof(atc_conv_options));
