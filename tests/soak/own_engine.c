#include "own_engine.h"

#include <stdlib.h>
#include <string.h>

/* The caller's problem, always with three spatial dimensions. An added dimension has one input
 * element and one filter element. */
struct layer {
  int64_t batch, in_channels, out_channels, groups;
  int64_t input[3], kernel[3], stride[3], dilation[3], low[3], output[3];
  int64_t x[5], w[5], y[5]; /* the strides of the operands */
  atc_epilogue epilogue;
  int32_t accumulate;
  int staged; /* true if the output is first computed in the workspace and then copied */
};

static void widen(int64_t (*to)[5], const int64_t* from, int dims) {
  for (int i = 0; i < 5; ++i) (*to)[i] = i < dims + 2 ? from[i] : 0;
}

static void describe(struct layer* layer, const atc_conv_problem* p) {
  memset(layer, 0, sizeof *layer);
  layer->batch = p->batch;
  layer->in_channels = p->in_channels;
  layer->out_channels = p->out_channels;
  layer->groups = p->groups;
  for (int i = 0; i < 3; ++i) {
    const int has = i < p->spatial_dims;
    layer->input[i] = has ? p->input[i] : 1;
    layer->kernel[i] = has ? p->kernel[i] : 1;
    layer->stride[i] = has ? p->stride[i] : 1;
    layer->dilation[i] = has ? p->dilation[i] : 1;
    layer->low[i] = has ? p->padding_low[i] : 0;
    const int64_t padded = layer->input[i] + (has ? p->padding_low[i] + p->padding_high[i] : 0);
    layer->output[i] =
        (padded - layer->dilation[i] * (layer->kernel[i] - 1) - 1) / layer->stride[i] + 1;
  }
  widen(&layer->x, p->x_strides, p->spatial_dims);
  widen(&layer->w, p->w_strides, p->spatial_dims);
  widen(&layer->y, p->y_strides, p->spatial_dims);
  layer->epilogue = p->epilogue;
  layer->accumulate = p->accumulate;
}

static int64_t elements(const struct layer* layer) {
  return layer->batch * layer->out_channels * layer->output[0] * layer->output[1] *
         layer->output[2];
}

/* Returns the index in dimension `dim` of the input element for output position `at` and tap `tap`;
 * -1 if this element is padding. */
static int64_t source(const struct layer* layer, int dim, int64_t at, int64_t tap) {
  const int64_t place = at * layer->stride[dim] + tap * layer->dilation[dim] - layer->low[dim];
  return place < layer->input[dim] ? place : -1;
}

static double dot(const struct layer* l, const float* x, const float* w, int64_t n, int64_t k,
                  const int64_t* at) {
  const int64_t depth = l->in_channels / l->groups;
  const int64_t first = k / (l->out_channels / l->groups) * depth;
  double sum = 0;
  for (int64_t c = 0; c < depth; ++c)
    for (int64_t i = 0; i < l->kernel[0]; ++i)
      for (int64_t j = 0; j < l->kernel[1]; ++j)
        for (int64_t m = 0; m < l->kernel[2]; ++m) {
          const int64_t a = source(l, 0, at[0], i), b = source(l, 1, at[1], j),
                        d = source(l, 2, at[2], m);
          if (a < 0 || b < 0 || d < 0) continue;
          sum +=
              (double)
                  x[n * l->x[0] + (first + c) * l->x[1] + a * l->x[2] + b * l->x[3] + d * l->x[4]] *
              w[k * l->w[0] + c * l->w[1] + i * l->w[2] + j * l->w[3] + m * l->w[4]];
        }
  return sum;
}

static void convolve(const struct layer* l, const atc_engine_operands* operands) {
  const float* const bias = operands->bias;
  float* const y = operands->y;
  float* const stage = l->staged ? operands->workspace : NULL;
  /* If `staged` is set, the first pass computes into the workspace, and the second pass copies the
   * workspace to the output. */
  for (int pass = 0; pass < (l->staged ? 2 : 1); ++pass) {
    int64_t next = 0;
    for (int64_t n = 0; n < l->batch; ++n)
      for (int64_t k = 0; k < l->out_channels; ++k)
        for (int64_t i = 0; i < l->output[0]; ++i)
          for (int64_t j = 0; j < l->output[1]; ++j)
            for (int64_t m = 0; m < l->output[2]; ++m, ++next) {
              float* const element =
                  &y[n * l->y[0] + k * l->y[1] + i * l->y[2] + j * l->y[3] + m * l->y[4]];
              if (pass == 1) {
                *element = stage[next];
                continue;
              }
              const int64_t at[3] = {i, j, m};
              double sum = dot(l, operands->x, operands->w, n, k, at);
              if (l->epilogue != ATC_EPILOGUE_NONE) sum += bias[k];
              if (l->accumulate) sum += *element;
              if (l->epilogue == ATC_EPILOGUE_BIAS_RELU && sum < 0) sum = 0;
              *(stage != NULL ? &stage[next] : element) = (float)sum;
            }
  }
}

static atc_status offers(void* user, const atc_conv_problem* problem,
                         const atc_engine_limits* limits, atc_offer_callback offer, void* payload) {
  (void)user;
  if (limits->device.type != ATC_DEVICE_CPU || problem->direction != ATC_FORWARD ||
      problem->x_dtype != ATC_DTYPE_F32 || problem->w_dtype != ATC_DTYPE_F32 ||
      problem->y_dtype != ATC_DTYPE_F32)
    return ATC_OK;
  struct layer layer;
  describe(&layer, problem);
  atc_engine_offer direct = ATC_ENGINE_OFFER_INIT;
  direct.configuration = "direct";
  const atc_status status = offer(&direct, payload);
  if (status != ATC_OK) return status;
  atc_engine_offer staged = ATC_ENGINE_OFFER_INIT;
  staged.configuration = "staged";
  staged.workspace = (uint64_t)elements(&layer) * sizeof(float);
  return offer(&staged, payload);
}

static atc_status prepare(void** prepared, void* user, const atc_conv_problem* problem,
                          const atc_engine_limits* limits, const char* configuration) {
  (void)limits;
  struct layer* const layer = malloc(sizeof *layer);
  if (layer == NULL) return ATC_ERROR_OUT_OF_MEMORY;
  describe(layer, problem);
  layer->staged = strcmp(configuration, "staged") == 0;
  __atomic_fetch_add(&((soak_engine_counts*)user)->prepared, 1, __ATOMIC_RELAXED);
  *prepared = layer;
  return ATC_OK;
}

static atc_status execute(void* user, void* prepared, atc_engine_operands* operands) {
  (void)user;
  convolve(prepared, operands);
  return ATC_OK;
}

static void release(void* user, void* prepared) {
  __atomic_fetch_sub(&((soak_engine_counts*)user)->prepared, 1, __ATOMIC_RELAXED);
  free(prepared);
}

static void destroy(void* user) {
  __atomic_fetch_add(&((soak_engine_counts*)user)->destroyed, 1, __ATOMIC_RELAXED);
}

atc_engine soak_own_engine(const char* name, soak_engine_counts* counts) {
  atc_engine engine = ATC_ENGINE_INIT;
  engine.device_type = ATC_ENGINE_EVERY_DEVICE;
  engine.name = name;
  engine.version = "1";
  engine.user = counts;
  engine.offers = offers;
  engine.prepare = prepare;
  engine.execute = execute;
  engine.release = release;
  engine.destroy = destroy;
  return engine;
}
