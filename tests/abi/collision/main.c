/* The part of the test program that calls atc. The process also contains nine functions named like
 * those of torch-sys. This file includes atc.h. If ATC1_HEADER is defined, it includes the header
 * of that name instead, which declares the functions under the names that the library exports. */
#include <stdio.h>

#ifdef ATC1_HEADER
#include ATC1_HEADER
#define ATC(name) atc1_##name
#else
#include "atc/atc.h"
#define ATC(name) atc_##name
#endif

int theirs_calls(void);
int call_theirs(void);

static int failures;

#define CHECK(condition)                                                \
  do {                                                                  \
    if (!(condition)) {                                                 \
      fprintf(stderr, "line %d: not true: %s\n", __LINE__, #condition); \
      ++failures;                                                       \
    }                                                                   \
  } while (0)

static int32_t benchmark(void) {
  int32_t value = -1;
  CHECK(ATC(get_benchmark_cudnn)(&value) == ATC_OK);
  return value;
}

static int32_t user_enabled(void) {
  int32_t value = -1;
  CHECK(ATC(get_user_enabled_cudnn)(&value) == ATC_OK);
  return value;
}

/* Checks that a handle, a struct and 64-bit constants can be used in C. */
static void check_types(void) {
  atc_store* store = NULL;
  CHECK(ATC(store_in_use)(&store) == ATC_OK);
  ATC(store_close)(store);

  CHECK(ATC(set_workspace_limit)(ATC_UNLIMITED) == ATC_OK);
  atc_settings settings = {0};
  settings.struct_size = sizeof settings;
  CHECK(ATC(settings_get)(&settings) == ATC_OK);
  CHECK(settings.benchmark_cudnn == 1 && settings.workspace_limit == UINT64_C(4) << 30);
}

int main(void) {
  int32_t value = -1;
  CHECK(ATC(set_benchmark_cudnn)(1) == ATC_OK);
  CHECK(benchmark() == 1);
  CHECK(ATC(set_benchmark_cudnn)(7) == ATC_ERROR_INVALID_ARGUMENT);
  CHECK(benchmark() == 1);
  CHECK(ATC(set_user_enabled_cudnn)(0) == ATC_OK);
  CHECK(user_enabled() == 0);
  CHECK(ATC(manual_seed)(3) == ATC_OK);
  CHECK(ATC(manual_seed_all)(3) == ATC_OK);
  CHECK(ATC(synchronize)(-1) == ATC_OK);
  CHECK(ATC(cuda_device_count)(&value) == ATC_OK && value >= 0 && value != 4242);
  value = -1;
  CHECK(ATC(cuda_is_available)(&value) == ATC_OK && (value == 0 || value == 1));
  value = -1;
  CHECK(ATC(cudnn_is_available)(&value) == ATC_OK && (value == 0 || value == 1));
  check_types();
  CHECK(theirs_calls() == 0);

  CHECK(call_theirs());
  CHECK(benchmark() == 1);
  CHECK(user_enabled() == 0);
  printf("%d of torch-sys's functions called, %d checks failed\n", theirs_calls(), failures);
  return failures != 0;
}
