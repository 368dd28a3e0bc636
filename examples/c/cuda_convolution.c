/* Runs a tuned convolution on CUDA. The memory and the stream come from the CUDA runtime. The
 * convolution runs twice: by an eager call, and by a plan with a workspace that the program
 * allocates. Both results are compared with a loop on the host. Without a CUDA device the program
 * exits with 77, which ctest counts as skipped. */
#include <atc/atc.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 4, IN = 32, OUT = 64, SIDE = 28, KERNEL = 3, PADDING = 1 };
enum {
  X_COUNT = BATCH * IN * SIDE * SIDE,
  W_COUNT = OUT * IN * KERNEL * KERNEL,
  Y_COUNT = BATCH * OUT * SIDE * SIDE
};

static const int64_t x_shape[] = {BATCH, IN, SIDE, SIDE}, w_shape[] = {OUT, IN, KERNEL, KERNEL},
                     y_shape[] = {BATCH, OUT, SIDE, SIDE};
static float x[X_COUNT], w[W_COUNT], y[Y_COUNT], expected[Y_COUNT];

static void need_cuda(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(status));
  exit(1);
}

static void need_atc(atc_status status, const char* call) {
  if (status == ATC_OK) return;
  fprintf(stderr, "%s: %s: %s\n", call, atc_status_name(status), atc_last_error());
  exit(1);
}

/* Fills the array with -1, 0 and 1. So all products and sums are small integers, which fp32 and
 * TF32 represent exactly. */
static void fill(float* values, size_t count, unsigned seed) {
  for (size_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    values[i] = (float)((seed >> 16) % 3) - 1;
  }
}

static float expected_at(int n, int k, int row, int column) {
  float sum = 0;
  for (int c = 0; c < IN; ++c)
    for (int i = 0; i < KERNEL; ++i)
      for (int j = 0; j < KERNEL; ++j) {
        const int r = row + i - PADDING, s = column + j - PADDING;
        if (r < 0 || r >= SIDE || s < 0 || s >= SIDE) continue;
        sum +=
            x[((n * IN + c) * SIDE + r) * SIDE + s] * w[((k * IN + c) * KERNEL + i) * KERNEL + j];
      }
  return sum;
}

static void compute_expected(void) {
  float* next = expected;
  for (int n = 0; n < BATCH; ++n)
    for (int k = 0; k < OUT; ++k)
      for (int row = 0; row < SIDE; ++row)
        for (int column = 0; column < SIDE; ++column) *next++ = expected_at(n, k, row, column);
}

static void* on_device(const float* values, size_t size) {
  void* memory = NULL;
  need_cuda(cudaMalloc(&memory, size), "cudaMalloc");
  need_cuda(cudaMemcpy(memory, values, size, cudaMemcpyHostToDevice), "cudaMemcpy");
  return memory;
}

/* Makes each element a NaN, by setting all bits. If a call does not write an element, check() finds
 * the NaN. */
static void forget(void* result, cudaStream_t stream) {
  need_cuda(cudaMemsetAsync(result, 0xFF, sizeof y, stream), "cudaMemsetAsync");
}

/* Counts the wrong elements. An element may differ by less than 0.5 from the expected integer,
 * because kernels that transform their operands (Winograd, FFT) round intermediate values. A sum
 * has at most 288 products of magnitude 1, so this rounding error is below 0.5, even in TF32. One
 * missing or additional product changes the sum by 1. */
static int check(const char* what, const void* result, cudaStream_t stream) {
  int wrong = 0;
  need_cuda(cudaMemcpyAsync(y, result, sizeof y, cudaMemcpyDeviceToHost, stream), what);
  need_cuda(cudaStreamSynchronize(stream), what);
  for (int i = 0; i < Y_COUNT; ++i)
    if (!(y[i] > expected[i] - 0.5f && y[i] < expected[i] + 0.5f) && wrong++ == 0)
      fprintf(stderr, "%s: element %d is %g, not %g\n", what, i, y[i], expected[i]);
  printf("%s: %d elements, %d wrong\n", what, Y_COUNT, wrong);
  return wrong;
}

int main(void) {
  const atc_device device = {ATC_DEVICE_CUDA, 0};
  const atc_data_type fp32 = {ATC_CODE_FLOAT, 32, 1};
  int devices = 0, wrong = 0;
  const cudaError_t found = cudaGetDeviceCount(&devices);
  if (found == cudaErrorNoDevice || found == cudaErrorInsufficientDriver) {
    printf("skipped: %s\n", cudaGetErrorString(found));
    return 77;
  }
  need_cuda(found, "cudaGetDeviceCount");

  fill(x, X_COUNT, 1);
  fill(w, W_COUNT, 2);
  compute_expected();
  cudaStream_t stream;
  need_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  const atc_tensor_view x_view = {on_device(x, sizeof x), device, 4, fp32, x_shape, NULL, 0};
  const atc_tensor_view w_view = {on_device(w, sizeof w), device, 4, fp32, w_shape, NULL, 0};
  const atc_tensor_view y_view = {on_device(y, sizeof y), device, 4, fp32, y_shape, NULL, 0};
  /* When cudaMemcpy from pageable memory returns, the copy may not have finished. `stream` does not
   * wait for the copy, so the program waits here. */
  need_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");

  atc_conv_problem problem;
  need_atc(atc_conv_problem_init(&problem, 2), "atc_conv_problem_init");
  problem.batch = BATCH;
  problem.in_channels = IN;
  problem.out_channels = OUT;
  for (int i = 0; i < 2; ++i) {
    problem.input[i] = SIDE;
    problem.kernel[i] = KERNEL;
    problem.padding_low[i] = problem.padding_high[i] = PADDING;
  }

  /* The first call measures the candidates. Later calls use the decision, which the process
   * remembers. */
  need_atc(atc_set_benchmark_cudnn(1), "atc_set_benchmark_cudnn");
  forget(y_view.data, stream);
  need_atc(atc_convolution(&problem, &x_view, &w_view, NULL, &y_view, stream), "atc_convolution");
  wrong += check("eager call", y_view.data, stream);

  const atc_conv_options options = {.struct_size = sizeof options, .tune = ATC_ON};
  atc_conv_plan* plan = NULL;
  const char* choice = NULL;
  uint64_t workspace_size = 0;
  void* workspace = NULL;
  need_atc(atc_conv_plan_create(&plan, device, &problem, &options), "atc_conv_plan_create");
  need_atc(atc_conv_plan_choice(&choice, plan), "atc_conv_plan_choice");
  need_atc(atc_conv_plan_workspace_size(&workspace_size, plan), "atc_conv_plan_workspace_size");
  printf("choice: %s, %llu bytes of workspace\n", choice, (unsigned long long)workspace_size);
  if (workspace_size > 0) need_cuda(cudaMalloc(&workspace, workspace_size), "cudaMalloc");
  forget(y_view.data, stream);
  need_atc(atc_conv_plan_execute(plan, &x_view, &w_view, NULL, &y_view, workspace, workspace_size,
                                 stream),
           "atc_conv_plan_execute");
  wrong += check("plan", y_view.data, stream);

  atc_conv_plan_destroy(plan);
  need_cuda(cudaFree(workspace), "cudaFree");
  need_cuda(cudaFree(x_view.data), "cudaFree");
  need_cuda(cudaFree(w_view.data), "cudaFree");
  need_cuda(cudaFree(y_view.data), "cudaFree");
  need_cuda(cudaStreamDestroy(stream), "cudaStreamDestroy");
  return wrong != 0;
}
