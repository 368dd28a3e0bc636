/* The part of the program that means atc, in a process that also has torch-sys's nine names. */
#include <stdio.h>

#include "atc/atc.h"

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
  CHECK(atc_get_benchmark_cudnn(&value) == ATC_OK);
  return value;
}

static int32_t user_enabled(void) {
  int32_t value = -1;
  CHECK(atc_get_user_enabled_cudnn(&value) == ATC_OK);
  return value;
}

int main(void) {
  int32_t value = -1;
  CHECK(atc_set_benchmark_cudnn(1) == ATC_OK);
  CHECK(benchmark() == 1);
  CHECK(atc_set_benchmark_cudnn(7) == ATC_ERROR_INVALID_ARGUMENT);
  CHECK(benchmark() == 1);
  CHECK(atc_set_user_enabled_cudnn(0) == ATC_OK);
  CHECK(user_enabled() == 0);
  CHECK(atc_manual_seed(3) == ATC_OK);
  CHECK(atc_manual_seed_all(3) == ATC_OK);
  CHECK(atc_synchronize(-1) == ATC_OK);
  CHECK(atc_cuda_device_count(&value) == ATC_OK && value >= 0 && value != 4242);
  value = -1;
  CHECK(atc_cuda_is_available(&value) == ATC_OK && (value == 0 || value == 1));
  value = -1;
  CHECK(atc_cudnn_is_available(&value) == ATC_OK && (value == 0 || value == 1));
  CHECK(theirs_calls() == 0);

  CHECK(call_theirs());
  CHECK(benchmark() == 1);
  CHECK(user_enabled() == 0);
  printf("%d of torch-sys's functions called, %d checks failed\n", theirs_calls(), failures);
  return failures != 0;
}
