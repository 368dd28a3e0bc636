// Tunes the three convolutions of a training step (forward, backward-data, backward-weight) in one
// call that prints its progress. Then runs the convolutions by eager calls, for which atc itself
// caches the plans.
#include <atc/atc.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void check(atc_status status) {
  if (status != ATC_OK) {
    throw std::runtime_error(std::string(atc_status_name(status)) + ": " + atc_last_error());
  }
}

struct DestroyReport {
  void operator()(atc_tune_report* report) const { atc_tune_report_destroy(report); }
};
using Report = std::unique_ptr<atc_tune_report, DestroyReport>;

// A dense fp32 tensor, and the atc_tensor_view by which it is passed to atc.
class Tensor {
 public:
  Tensor(const atc_conv_problem& problem, std::int32_t operand, float value) {
    check(atc_conv_operand_shape(shape_.data(), nullptr, &problem, operand));
    std::size_t size = 1;
    for (const std::int64_t extent : shape_) size *= static_cast<std::size_t>(extent);
    data_.assign(size, value);
  }
  float& operator[](std::size_t i) { return data_[i]; }
  atc_tensor_view view() {
    return {
        data_.data(), {ATC_DEVICE_CPU, 0}, 4, {ATC_CODE_FLOAT, 32, 1}, shape_.data(), nullptr, 0};
  }

 private:
  std::array<std::int64_t, 4> shape_{};
  std::vector<float> data_;
};

std::int32_t show_progress(const atc_tune_progress* progress, void* /*payload*/) {
  std::fprintf(stderr, "problem %llu of %llu, %.0f %%: %s\n",
               static_cast<unsigned long long>(progress->problem + 1),
               static_cast<unsigned long long>(progress->problems),
               100 * progress->problem_fraction, progress->description);
  return 0;  // if the callback returned another value, the tuning would be cancelled
}

atc_conv_problem problem_of(atc_direction direction) {
  atc_conv_problem problem;
  check(atc_conv_problem_init(&problem, 2));
  problem.direction = direction;
  problem.batch = 2;
  problem.in_channels = 8;
  problem.out_channels = 16;
  problem.input[0] = problem.input[1] = 14;
  problem.kernel[0] = problem.kernel[1] = 1;
  return problem;
}

Report tune(const std::vector<atc_conv_problem>& problems) {
  atc_tune_options options = ATC_TUNE_OPTIONS_INIT;
  options.problem_budget_seconds = 1;
  atc_tune_report* report = nullptr;
  check(atc_tune(&report, {ATC_DEVICE_CPU, 0}, problems.data(), problems.size(), &options,
                 show_progress, nullptr));
  return Report(report);
}

void print(const atc_tune_report& report) {
  std::size_t count = 0;
  check(atc_tune_report_count(&count, &report));
  for (std::size_t i = 0; i < count; ++i) {
    atc_tuned_problem problem = ATC_TUNED_PROBLEM_INIT;
    check(atc_tune_report_problem(&problem, &report, i));
    std::printf("%s -> %s (%llu candidates)\n", problem.description, problem.choice,
                static_cast<unsigned long long>(problem.candidates));
  }
}

bool close(float value, float expected) { return std::fabs(value - expected) <= 1e-5f * expected; }

int run() {
  const std::vector<atc_conv_problem> problems = {
      problem_of(ATC_FORWARD), problem_of(ATC_BACKWARD_DATA), problem_of(ATC_BACKWARD_WEIGHT)};
  print(*tune(problems));

  Tensor x(problems[0], ATC_OPERAND_X, 1), w(problems[0], ATC_OPERAND_W, 1),
      y(problems[0], ATC_OPERAND_Y, 0);
  const atc_tensor_view xv = x.view(), wv = w.view(), yv = y.view();
  for (const atc_conv_problem& problem : problems) {
    check(atc_convolution(&problem, &xv, &wv, nullptr, &yv, nullptr));
  }
  // The expected values. The three convolutions run in this order. Forward: x and w are all ones,
  // and there are 8 input channels, so each element of y becomes 8. Backward-data overwrites x:
  // each element is a sum over 16 output channels of 1 * 8, so it becomes 128. Backward-weight
  // overwrites w: each element is a sum over 2 * 14 * 14 positions of 128 * 8.
  const bool right = close(y[0], 8) && close(x[0], 16 * 8) && close(w[0], 2 * 14 * 14 * 128 * 8);
  std::printf("y %g, x %g, w %g: %s\n", y[0], x[0], w[0], right ? "right" : "wrong");
  return right ? 0 : 1;
}

}  // namespace

int main() try { return run(); } catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
