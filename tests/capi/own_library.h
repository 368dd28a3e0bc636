/* The functions of own_library.c. */
#ifndef ATC_TESTS_OWN_LIBRARY_H_
#define ATC_TESTS_OWN_LIBRARY_H_

#include "atc/atc.h"

typedef struct own_library {
  atc_status (*open)(const char* directory, atc_store_mode mode);
  void (*close)(void);
  /* Tunes the problems into the library's store. `*measured` becomes the number of problems that
   * a race decided. */
  atc_status (*tune)(const atc_conv_problem* problems, size_t count, uint64_t* measured);
  /* Writes the source of the decision of a plan that the library makes. `tune` is a switch. */
  atc_status (*source)(int32_t* out, const atc_conv_problem* problem, int32_t tune);
  /* The number of allocations of the library's allocator, and of those that are not yet freed. */
  uint64_t (*allocations)(void);
  uint64_t (*held)(void);
} own_library;

typedef const own_library* (*own_library_function)(void);

#endif /* ATC_TESTS_OWN_LIBRARY_H_ */
