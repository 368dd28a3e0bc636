/* Stands in for libtorch_cpu.so. The library only has a version. If VERSION is not defined, it has
 * no version either. */
#include <stdint.h>

#ifdef VERSION
uint64_t aoti_torch_abi_version(void);
uint64_t aoti_torch_abi_version(void) { return VERSION; }
#else
int stand_in_for_libtorch(void);
int stand_in_for_libtorch(void) { return 1; }
#endif
