/* Makes one decision, and prints which environment variables libatc has read in this process. */
#include <stdio.h>
#include <sys/auxv.h>

#include "atc/atc.h"

int main(void) {
  int32_t benchmark = -1;
  const char *path = "?", *pins = "?";
  atc_store* store = NULL;
  atc_conv_plan* plan = NULL;
  atc_conv_problem problem;
  atc_conv_problem_init(&problem, 2);
  problem.batch = 1, problem.in_channels = problem.out_channels = 2;
  problem.input[0] = problem.input[1] = 4, problem.kernel[0] = problem.kernel[1] = 1;
  const atc_status decided =
      atc_conv_plan_create(&plan, (atc_device){ATC_DEVICE_CPU, 0}, &problem, NULL);
  atc_conv_plan_destroy(plan);
  if (atc_get_benchmark_cudnn(&benchmark) || atc_get_library_path(&path) || atc_get_pins(&pins) ||
      atc_store_in_use(&store))
    fprintf(stderr, "%s\n", atc_last_error());
  printf("secure %d, decided %d, benchmark %d, store %d, library path '%s', pins '%s'\n",
         getauxval(AT_SECURE) != 0, decided == ATC_OK, (int)benchmark, store != NULL, path, pins);
  atc_store_close(store);
  return 0;
}
