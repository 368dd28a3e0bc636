/* Shows the switches of a process (settings such as benchmark_cudnn). Each switch has a setter and
 * a getter. A snapshot restores all switches. Queries return whether this machine has a GPU, on
 * which the switch benchmark_cudnn has an effect. */
#include <atc/atc.h>
#include <stdio.h>

static int failed(atc_status status, const char* what) {
  if (status != ATC_OK)
    fprintf(stderr, "%s: %s: %s\n", what, atc_status_name(status), atc_last_error());
  return status != ATC_OK;
}

int main(void) {
  atc_settings before = ATC_SETTINGS_INIT, now = ATC_SETTINGS_INIT;
  atc_reproducible_report report = ATC_REPRODUCIBLE_REPORT_INIT;
  int32_t benchmark = 0, devices = 0;

  /* With and without a GPU every setter of a switch succeeds, and the getter returns the value that
   * was set. */
  if (failed(atc_settings_get(&before), "snapshot")) return 1;
  if (failed(atc_set_benchmark_cudnn(1), "benchmark on")) return 1;
  if (failed(atc_get_benchmark_cudnn(&benchmark), "benchmark")) return 1;
  if (failed(atc_cuda_device_count(&devices), "devices")) return 1;
  printf("benchmark_cudnn %d, CUDA devices %d%s\n", (int)benchmark, (int)devices,
         devices == 0 ? " (so it has no effect here)" : "");

  /* A switch of the process is 0 (off) or 1 (on). A switch in the options of a call is 0 (inherit),
   * ATC_OFF or ATC_ON, and ATC_OFF is 1. The functions atc_option_… are used, so that nobody writes
   * 1 for ATC_ON by mistake. */
  atc_conv_options options = ATC_CONV_OPTIONS_INIT;
  atc_option_enable(&options.tune);
  atc_option_set(&options.deterministic, benchmark == 0);
  printf("options: tune %s, deterministic %s\n", options.tune == ATC_ON ? "on" : "off",
         options.deterministic == ATC_ON ? "on" : "off");

  /* A setter refuses an invalid value, and the error text says why. */
  const atc_status refused = atc_set_benchmark_cudnn(7);
  printf("benchmark_cudnn 7: %s: %s\n", atc_status_name(refused), atc_last_error());

  /* Prepares a repeatable run (equal bits in each run), and prints the conditions that atc could
   * not establish. */
  if (failed(atc_set_reproducible(&report, 42), "reproducible")) return 1;
  printf("missing for a repeatable run:\n%s\n", report.text);

  /* Sets all switches to the values of the snapshot. On an error no switch is changed. */
  if (failed(atc_settings_apply(&before), "restore")) return 1;
  if (failed(atc_settings_get(&now), "snapshot")) return 1;
  printf("benchmark_cudnn is %d again\n", (int)now.benchmark_cudnn);
  return refused != ATC_ERROR_INVALID_ARGUMENT || benchmark != 1 || options.tune != ATC_ON ||
         options.deterministic != ATC_OFF || now.benchmark_cudnn != before.benchmark_cudnn ||
         now.deterministic_cudnn != before.deterministic_cudnn;
}
