/* Tunes a convolution, runs it and prints the choice. */
#include <atc/atc.h>
#include <stdio.h>

static float image[8 * 64 * 56 * 56], weights[64 * 64 * 3 * 3], result[8 * 64 * 54 * 54];

int main(void) {
  const atc_device cpu = {ATC_DEVICE_CPU, 0};
  const int64_t image_shape[] = {8, 64, 56, 56}, weights_shape[] = {64, 64, 3, 3},
                result_shape[] = {8, 64, 54, 54};
  const atc_tensor_view x = {image, cpu, 4, {ATC_CODE_FLOAT, 32, 1}, image_shape, NULL, 0};
  const atc_tensor_view w = {weights, cpu, 4, {ATC_CODE_FLOAT, 32, 1}, weights_shape, NULL, 0};
  const atc_tensor_view y = {result, cpu, 4, {ATC_CODE_FLOAT, 32, 1}, result_shape, NULL, 0};
  /* [readme] */
  const char* choice = NULL;
  atc_conv_plan* plan = NULL;
  atc_conv_problem p;           /* the convolution of the tensor views x, w and y */
  atc_conv_problem_init(&p, 2); /* two spatial dims; forward, fp32, stride 1, no padding */
  p.batch = 8, p.in_channels = p.out_channels = 64;
  p.input[0] = p.input[1] = 56, p.kernel[0] = p.kernel[1] = 3;
  atc_conv_options tuned = ATC_CONV_OPTIONS_INIT;
  tuned.tune = ATC_ON;
  if (atc_conv_plan_create(&plan, cpu, &p, &tuned) || atc_conv_plan_choice(&choice, plan) ||
      atc_conv_plan_execute(plan, &x, &w, NULL, &y, NULL, 0, NULL))
    fprintf(stderr, "%s\n", atc_last_error());
  puts(choice ? choice : "none"); /* the fastest candidate: engine, version, configuration */
  atc_conv_plan_destroy(plan);
  /* [/readme] */
  return choice == NULL;
}
