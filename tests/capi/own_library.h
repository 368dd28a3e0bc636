/* Declares the functions of own_library.c as a table of pointers. */
#ifndef ATC_TESTS_OWN_LIBRARY_H_
#define ATC_TESTS_OWN_LIBRARY_H_

#include "atc/atc.h"

typedef struct own_library {
  atc_status (*open)(const char* directory, atc_store_mode mode);
  void (*close)(void);
  /* Tunes the problems into the library's store. `*measured` is set to the number of problems that
   * were measured. */
  atc_status (*tune)(const atc_conv_problem* problems, size_t count, uint64_t* measured);
  /* Makes a plan, and stores in `*out` the source of its decision. `tune` is a switch of atc: 0,
   * ATC_ON or ATC_OFF. */
  atc_status (*source)(int32_t* out, const atc_conv_problem* problem, int32_t tune);
  /* Returns the number of allocations of the library's allocator. `held` returns the number of
   * allocations that are not yet freed. */
  uint64_t (*allocations)(void);
  uint64_t (*held)(void);
} own_library;

typedef const own_library* (*own_library_function)(void);

#endif /* ATC_TESTS_OWN_LIBRARY_H_ */
