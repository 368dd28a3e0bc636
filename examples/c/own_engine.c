/* Shows how a program registers an engine of its own (a source of implementations): a plain direct
 * convolution. atc checks the results of the engine, times it together with the built-in engines,
 * lists it among the candidates, and runs it if a choice names it.
 *
 * The same engine can be a plug-in (atc_plugin_load). A plug-in is a shared library that is linked
 * with libatc. Its function `atc_status atc1_plugin_init(void)` registers the engine. */
#include <atc/atc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The engine ------------------------------------------------------------------------------
 * The callbacks of an engine must return normally. They may call atc_error_set,
 * atc_conv_operand_shape and the queries of base.h; extend.h has the rules for other functions. */

/* The object with which the engine is registered. atc owns the object until atc calls `destroy`. */
typedef struct {
  const char* notes;
  int* destroyed;
} engine_data;

static atc_status offers(void* user, const atc_conv_problem* p, const atc_engine_limits* limits,
                         atc_offer_callback offer, void* payload) {
  const engine_data* data = user;
  (void)limits;
  if (p->direction != ATC_FORWARD || p->spatial_dims != 2 || p->x_dtype != ATC_DTYPE_F32 ||
      p->w_dtype != ATC_DTYPE_F32 || p->y_dtype != ATC_DTYPE_F32 || p->accumulate ||
      p->epilogue != ATC_EPILOGUE_NONE) {
    atc_error_set("plain_direct: only fp32, forward, two spatial dims, no epilogue");
    return ATC_ERROR_UNSUPPORTED;
  }
  const atc_engine_offer loops = {
      .struct_size = sizeof loops, .configuration = "loops", .notes = data->notes};
  return offer(&loops, payload);
}

static atc_status prepare(void** prepared, void* user, const atc_conv_problem* problem,
                          const atc_engine_limits* limits, const char* configuration) {
  (void)user;
  (void)limits;
  if (strcmp(configuration, "loops") != 0) return ATC_ERROR_UNSUPPORTED;
  atc_conv_problem* copy = malloc(sizeof *copy);
  if (copy == NULL) return ATC_ERROR_OUT_OF_MEMORY;
  *copy = *problem;
  *prepared = copy;
  return ATC_OK;
}

static void release(void* user, void* prepared) {
  (void)user;
  free(prepared);
}

/* atc calls this function once, when it no longer uses the engine. */
static void destroy(void* user) {
  engine_data* data = user;
  ++*data->destroyed;
  free(data);
}

static int64_t output_extent(const atc_conv_problem* p, int i) {
  return (p->input[i] + p->padding_low[i] + p->padding_high[i] -
          p->dilation[i] * (p->kernel[i] - 1) - 1) /
             p->stride[i] +
         1;
}

/* Computes one element of y: the sum over the input channels of the group and over the taps of the
 * kernel that lie inside the image.
 */
static float element(const atc_conv_problem* p, const float* x, const float* w, int64_t n,
                     int64_t k, int64_t row, int64_t column) {
  const int64_t channels = p->in_channels / p->groups;
  const int64_t first_channel = k / (p->out_channels / p->groups) * channels;
  float sum = 0;
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t i = 0; i < p->kernel[0]; ++i) {
      const int64_t h = row * p->stride[0] - p->padding_low[0] + i * p->dilation[0];
      if (h < 0 || h >= p->input[0]) continue;
      for (int64_t j = 0; j < p->kernel[1]; ++j) {
        const int64_t v = column * p->stride[1] - p->padding_low[1] + j * p->dilation[1];
        if (v < 0 || v >= p->input[1]) continue;
        sum += x[n * p->x_strides[0] + (first_channel + c) * p->x_strides[1] + h * p->x_strides[2] +
                 v * p->x_strides[3]] *
               w[k * p->w_strides[0] + c * p->w_strides[1] + i * p->w_strides[2] +
                 j * p->w_strides[3]];
      }
    }
  }
  return sum;
}

static atc_status execute(void* user, void* prepared, atc_engine_operands* operands) {
  (void)user;
  const atc_conv_problem* p = prepared;
  float* y = operands->y;
  for (int64_t n = 0; n < p->batch; ++n)
    for (int64_t k = 0; k < p->out_channels; ++k)
      for (int64_t row = 0; row < output_extent(p, 0); ++row)
        for (int64_t column = 0; column < output_extent(p, 1); ++column)
          y[n * p->y_strides[0] + k * p->y_strides[1] + row * p->y_strides[2] +
            column * p->y_strides[3]] = element(p, operands->x, operands->w, n, k, row, column);
  return ATC_OK;
}

/* ---- The program, which registers and uses the engine ---------------------------------------- */

static int failed(atc_status status, const char* what) {
  if (status != ATC_OK)
    fprintf(stderr, "%s: %s: %s\n", what, atc_status_name(status), atc_last_error());
  return status != ATC_OK;
}

/* Prints the candidates of a plan. Returns the number of candidates of our engine that were
 * timed. */
static int print_candidates(const atc_conv_plan* plan) {
  size_t count = 0;
  int ours = 0;
  if (failed(atc_conv_plan_candidate_count(&count, plan), "count")) return 0;
  for (size_t i = 0; i < count; ++i) {
    atc_candidate c = ATC_CANDIDATE_INIT;
    if (failed(atc_conv_plan_candidate(&c, plan, i), "candidate")) return 0;
    printf("%-24s %9.1f us  %s %s  %s\n", atc_outcome_name(c.outcome), c.median * 1e6, c.engine,
           c.configuration, c.reason);
    ours += strcmp(c.engine, "plain_direct") == 0 && c.samples > 0;
  }
  return ours;
}

int main(void) {
  int destroyed = 0;
  engine_data* data = malloc(sizeof *data);
  if (data == NULL) return 1;
  *data = (engine_data){.notes = "seven nested loops", .destroyed = &destroyed};
  const atc_engine engine = {.struct_size = sizeof engine,
                             .device_type = ATC_DEVICE_CPU,
                             .name = "plain_direct",
                             .version = "1",
                             .user = data,
                             .offers = offers,
                             .prepare = prepare,
                             .execute = execute,
                             .release = release,
                             .destroy = destroy};
  const atc_device cpu = {ATC_DEVICE_CPU, 0};
  atc_conv_options tuned = ATC_CONV_OPTIONS_INIT;
  atc_conv_problem problem;
  atc_conv_plan *raced = NULL, *chosen = NULL;
  const char* choice = "";

  tuned.tune = ATC_ON;
  tuned.budget_seconds = 60;
  if (failed(atc_engine_register(&engine), "register")) {
    free(data); /* the registration failed, so atc does not own `data` */
    return 1;
  }
  if (failed(atc_conv_problem_init(&problem, 2), "problem")) return 1;
  problem.in_channels = problem.out_channels = 4;
  problem.input[0] = problem.input[1] = 12;
  problem.kernel[0] = problem.kernel[1] = 3;

  /* Creates a plan by a race: our candidate is checked against the reference, then timed like the
   * others. */
  if (failed(atc_conv_plan_create(&raced, cpu, &problem, &tuned), "race")) return 1;
  const int ours = print_candidates(raced);

  /* Creates a plan of our engine, whichever candidate won the race. */
  if (failed(atc_conv_plan_create_with_choice(&chosen, cpu, &problem, NULL, "plain_direct@1:loops"),
             "choice"))
    return 1;
  if (failed(atc_conv_plan_choice(&choice, chosen), "choice")) return 1;
  printf("asked for: %s\n", choice);

  /* While plans of an engine exist, the engine cannot be unregistered. */
  const atc_status busy = atc_engine_unregister("plain_direct");
  printf("unregister with a plan alive: %s: %s\n", atc_status_name(busy), atc_last_error());
  atc_conv_plan_destroy(chosen);
  atc_conv_plan_destroy(raced);
  if (failed(atc_engine_unregister("plain_direct"), "unregister")) return 1;
  printf("unregistered; the engine's data was destroyed %d time\n", destroyed);
  return ours != 1 || busy != ATC_ERROR_BUSY || destroyed != 1;
}
