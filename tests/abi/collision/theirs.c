#include "theirs.h"

static int calls;

int theirs_calls(void) { return calls; }

/* Returns a number that no function of atc returns as a status or a value. So a test can see
 * whether a function of this file or a function of atc has run. */
static int answer(void) {
  ++calls;
  return 4242;
}

int atc_cuda_device_count(void) { return answer(); }
int atc_cuda_is_available(void) { return answer(); }
int atc_cudnn_is_available(void) { return answer(); }
int atc_user_enabled_cudnn(void) { return answer(); }

void atc_manual_seed(int64_t seed) {
  (void)seed;
  ++calls;
}
void atc_manual_seed_all(int64_t seed) {
  (void)seed;
  ++calls;
}
void atc_synchronize(int64_t index) {
  (void)index;
  ++calls;
}
void atc_set_user_enabled_cudnn(int enabled) {
  (void)enabled;
  ++calls;
}
void atc_set_benchmark_cudnn(int enabled) {
  (void)enabled;
  ++calls;
}
