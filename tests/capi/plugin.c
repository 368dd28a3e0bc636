/* A plug-in that registers one engine. The engine offers no candidates. */
#include "atc/atc.h"

static atc_status offers(void* user, const atc_conv_problem* problem,
                         const atc_engine_limits* limits, atc_offer_callback offer, void* payload) {
  (void)user, (void)problem, (void)limits, (void)offer, (void)payload;
  return ATC_OK;
}

static atc_status prepare(void** prepared, void* user, const atc_conv_problem* problem,
                          const atc_engine_limits* limits, const char* configuration) {
  (void)prepared, (void)user, (void)problem, (void)limits, (void)configuration;
  return ATC_ERROR_UNSUPPORTED;
}

static atc_status execute(void* user, void* prepared, atc_engine_operands* operands) {
  (void)user, (void)prepared, (void)operands;
  return ATC_ERROR_INTERNAL;
}

static void release(void* user, void* prepared) { (void)user, (void)prepared; }

__attribute__((visibility("default"))) atc_status atc1_plugin_init(void);
atc_status atc1_plugin_init(void) {
  const atc_engine engine = {.struct_size = sizeof engine,
                             .device_type = ATC_DEVICE_CPU,
                             .name = "plugged",
                             .version = "1",
                             .offers = offers,
                             .prepare = prepare,
                             .execute = execute,
                             .release = release};
  return atc_engine_register(&engine);
}
