/* Stands in for a libtorch_cpu.so. It has only a version, and not even that without VERSION. */
#include <stdint.h>

#ifdef VERSION
uint64_t aoti_torch_abi_version(void);
uint64_t aoti_torch_abi_version(void) { return VERSION; }
#else
int stand_in_for_libtorch(void);
int stand_in_for_libtorch(void) { return 1; }
#endif
