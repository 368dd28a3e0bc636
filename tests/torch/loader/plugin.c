/* Loads the bridge as a plug-in into a program without LibTorch. Usage: "plugin LIBATC_TORCH
 * WORDS", where LIBATC_TORCH is the path of the bridge. Loading must fail with an error that
 * contains WORDS, and the program must be able to continue. */
#include <stdio.h>
#include <string.h>

#include "atc/conv.h"
#include "atc/extend.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const atc_status status = atc_plugin_load(argv[1]);
  printf("%s: %s\n", atc_status_name(status), atc_last_error());
  if (status != ATC_ERROR_LIBRARY || strstr(atc_last_error(), argv[2]) == NULL) return 1;
  atc_conv_problem problem;
  atc_conv_plan* plan = NULL;
  if (atc_conv_problem_init(&problem, 2) != ATC_OK) return 1;
  if (atc_conv_plan_create(&plan, (atc_device){ATC_DEVICE_CPU, 0}, &problem, NULL) != ATC_OK)
    return 1;
  atc_conv_plan_destroy(plan);
  return 0;
}
