/* The part of the test program that calls the functions named like those of torch-sys (theirs.h).
 * It is a file of its own, because theirs.h and atc.h declare the same names differently. */
#include "theirs.h"

int call_theirs(void);

int call_theirs(void) {
  const int before = theirs_calls();
  atc_manual_seed(1);
  atc_manual_seed_all(2);
  atc_synchronize(-1);
  atc_set_user_enabled_cudnn(1);
  atc_set_benchmark_cudnn(0);
  const int answers = (atc_cuda_device_count() == 4242) + (atc_cuda_is_available() == 4242) +
                      (atc_cudnn_is_available() == 4242) + (atc_user_enabled_cudnn() == 4242);
  return theirs_calls() - before == 9 && answers == 4;
}
