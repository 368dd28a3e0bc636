/* A library that uses atc with its own store and its own allocator. So its calls do not affect
 * other users of atc in the process. The file is compiled twice, so that a test can load two such
 * libraries into one process. */
#include "own_library.h"

#include <stdlib.h>

static atc_store* store;
static uint64_t allocated, freed;

static void* allocate(void* user, uint64_t size, atc_device device, atc_stream stream) {
  (void)user, (void)device, (void)stream;
  ++allocated;
  return aligned_alloc(64, (size_t)((size + 63) / 64 * 64));
}

static void release(void* user, void* pointer, atc_device device, atc_stream stream) {
  (void)user, (void)device, (void)stream;
  ++freed;
  free(pointer);
}

static const atc_allocator allocator = {
    .struct_size = sizeof allocator, .alloc = allocate, .free = release};
static const atc_device cpu = {ATC_DEVICE_CPU, 0};

static atc_status open(const char* directory, atc_store_mode mode) {
  return atc_store_open(&store, directory, mode);
}

static void close(void) {
  atc_store_close(store);
  store = NULL;
}

static atc_status tune(const atc_conv_problem* problems, size_t count, uint64_t* measured) {
  const atc_tune_options options = {.struct_size = sizeof options,
                                    /* The budget of a race, in seconds. */
                                    .problem_budget_seconds = 60,
                                    .store = store,
                                    .allocator = &allocator};
  atc_tune_report* report = NULL;
  atc_status status = atc_tune(&report, cpu, problems, count, &options, NULL, NULL);
  *measured = 0;
  for (size_t i = 0; status == ATC_OK && i < count; ++i) {
    atc_tuned_problem tuned = {.struct_size = sizeof tuned};
    status = atc_tune_report_problem(&tuned, report, i);
    if (status == ATC_OK) status = tuned.status;
    if (tuned.source == ATC_SOURCE_TUNED) ++*measured;
  }
  atc_tune_report_destroy(report);
  return status;
}

static atc_status source(int32_t* out, const atc_conv_problem* problem, int32_t switch_of_tune) {
  const atc_conv_options options = {.struct_size = sizeof options,
                                    .tune = switch_of_tune,
                                    .budget_seconds = 60,
                                    .store = store,
                                    .allocator = &allocator};
  atc_conv_plan* plan = NULL;
  atc_status status = atc_conv_plan_create(&plan, cpu, problem, &options);
  if (status == ATC_OK) status = atc_conv_plan_source(out, plan);
  atc_conv_plan_destroy(plan);
  return status;
}

static uint64_t allocations(void) { return allocated; }
static uint64_t held(void) { return allocated - freed; }

__attribute__((visibility("default"))) const own_library* own_library_calls(void);
const own_library* own_library_calls(void) {
  static const own_library calls = {open, close, tune, source, allocations, held};
  return &calls;
}
