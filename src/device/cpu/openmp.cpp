#include "device/cpu/openmp.hpp"

#include <dlfcn.h>

namespace atc {

void* openmp_function(const char* name) {
  void* scope = RTLD_DEFAULT;
#ifdef ATC_WITH_ONEDNN
  if (void* const onednn = dlopen("libdnnl.so.3", RTLD_LAZY | RTLD_NOLOAD)) scope = onednn;
#endif
  return dlsym(scope, name);
}

}  // namespace atc
