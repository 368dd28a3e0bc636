// Tests NULL for each pointer parameter of each function in the headers. Either the call is refused
// with a status and a sentence that names the parameter, or NULL is allowed because the header says
// so. The generated file pointers.inc lists all pointer parameters. The test fails if a parameter
// of the list is not tested here.
#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <cstring>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "atc/atc.h"
#include "support/temp_folder.hpp"

namespace {

// Returns whether `text` contains `word` as a whole word. For example, "without" does not contain
// "out".
bool has_word(const std::string& text, const std::string& word) {
  const auto joins = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !joins(text[at - 1])) && (end == text.size() || !joins(text[end]))) return true;
  }
  return false;
}

// Makes memory for the out parameters of a call, and fills the memory with a pattern. After a
// failed call the pattern must be unchanged.
class Outs {
 public:
  template <typename T>
  T* make() {
    return static_cast<T*>(place(sizeof(T), 0));
  }
  template <typename T>
  T* make_struct() {
    T* out = static_cast<T*>(place(sizeof(T), sizeof(std::uint32_t)));
    out->struct_size = sizeof(T);
    return out;
  }
  bool untouched() const {
    for (const Place& place : places_) {
      for (std::size_t i = place.skip; i < place.size; ++i) {
        if (place.bytes[i] != kPattern) return false;
      }
    }
    return true;
  }

 private:
  static constexpr unsigned char kPattern = 0xA5;
  struct Place {
    std::unique_ptr<unsigned char[]> bytes;
    std::size_t size, skip;
  };
  void* place(std::size_t size, std::size_t skip) {
    places_.push_back({std::make_unique<unsigned char[]>(size), size, skip});
    std::memset(places_.back().bytes.get(), kPattern, size);
    return places_.back().bytes.get();
  }
  std::vector<Place> places_;
};

using Refused = std::function<atc_status(Outs&)>;
using Allowed = std::function<void()>;

class NullPointers : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(atc_conv_problem_init(&problem_, 1), ATC_OK);
    problem_.input[0] = 4;
    ASSERT_EQ(atc_conv_plan_create(&plan_, kCpu, &problem_, nullptr), ATC_OK) << atc_last_error();
    with_bias_ = problem_;
    with_bias_.epilogue = ATC_EPILOGUE_BIAS;
    ASSERT_EQ(atc_conv_plan_create(&bias_plan_, kCpu, &with_bias_, nullptr), ATC_OK)
        << atc_last_error();
    ASSERT_EQ(atc_store_open(&store_, folder_.c_str(), ATC_STORE_READ_WRITE), ATC_OK)
        << atc_last_error();
    ASSERT_EQ(atc_store_export(&bundle_, store_), ATC_OK) << atc_last_error();
    atc_tune_options options{};
    options.struct_size = sizeof options;
    options.problem_budget_seconds = 0.05;
    ASSERT_EQ(atc_tune(&report_, kCpu, &problem_, 1, &options, nullptr, nullptr), ATC_OK)
        << atc_last_error();
    ASSERT_EQ(atc_conv_explain(&explanation_, kCpu, &problem_, nullptr), ATC_OK)
        << atc_last_error();
  }
  void TearDown() override {
    EXPECT_EQ(atc_store_use(nullptr), ATC_OK);
    atc_explanation_destroy(explanation_);
    atc_tune_report_destroy(report_);
    atc_bytes_destroy(bundle_);
    atc_store_close(store_);
    atc_conv_plan_destroy(bias_plan_);
    atc_conv_plan_destroy(plan_);
  }

  // Expects that `call`, which passes NULL for `parameter`, is refused. The form of `parameter` is
  // "function.parameter", with the names of the headers.
  void refused(const std::string& parameter, const Refused& call) {
    SCOPED_TRACE(parameter);
    seen(parameter);
    Outs outs;
    EXPECT_EQ(call(outs), ATC_ERROR_INVALID_ARGUMENT);
    const std::string name = parameter.substr(parameter.find('.') + 1);
    EXPECT_TRUE(has_word(atc_last_error(), name))
        << "the text does not name " << name << ": " << atc_last_error();
    EXPECT_TRUE(outs.untouched());
  }
  void allowed(const std::string& parameter, const Allowed& call) {
    SCOPED_TRACE(parameter);
    seen(parameter);
    call();
  }
  void seen(const std::string& parameter) {
    EXPECT_TRUE(seen_.insert(parameter).second) << parameter << " stands here twice";
  }

  void base_and_settings();
  void device();
  void conv();
  void conv_execution();
  void tune();
  void problems();
  void explain();
  void trace();
  void store();
  void store_contents();
  void store_entries();
  void extend();

  static constexpr atc_device kCpu = {ATC_DEVICE_CPU, 0};
  float data_[4] = {};
  std::int64_t shape_[3] = {1, 1, 4}, one_[3] = {1, 1, 1};
  atc_tensor_view xy_ = {data_, kCpu, 3, {ATC_CODE_FLOAT, 32, 1}, shape_, nullptr, 0};
  atc_tensor_view w_ = {data_, kCpu, 3, {ATC_CODE_FLOAT, 32, 1}, one_, nullptr, 0};
  atc_tensor_view bias_ = {data_, kCpu, 1, {ATC_CODE_FLOAT, 32, 1}, one_, nullptr, 0};
  atc_conv_problem problem_{}, with_bias_{};
  atc_conv_plan* plan_ = nullptr;
  atc_conv_plan* bias_plan_ = nullptr;
  atc_store* store_ = nullptr;
  atc_bytes* bundle_ = nullptr;
  atc_tune_report* report_ = nullptr;
  atc_explanation* explanation_ = nullptr;
  const atc::test::TempFolder folder_;
  std::set<std::string> seen_;
};

template <typename Function>
Refused getter(Function function) {
  return [function](Outs&) { return function(nullptr); };
}

void NullPointers::base_and_settings() {
  allowed("atc_error_set.text", [] {
    atc_error_set(nullptr);
    EXPECT_STREQ(atc_last_error(), "");
  });
  allowed("atc_bytes_data.bytes", [] { EXPECT_EQ(atc_bytes_data(nullptr), nullptr); });
  allowed("atc_bytes_size.bytes", [] { EXPECT_EQ(atc_bytes_size(nullptr), 0u); });
  allowed("atc_bytes_destroy.bytes", [] { atc_bytes_destroy(nullptr); });

  refused("atc_get_benchmark_cudnn.out", getter(atc_get_benchmark_cudnn));
  refused("atc_get_benchmark_limit_cudnn.out", getter(atc_get_benchmark_limit_cudnn));
  refused("atc_get_user_enabled_cudnn.out", getter(atc_get_user_enabled_cudnn));
  refused("atc_get_deterministic_cudnn.out", getter(atc_get_deterministic_cudnn));
  refused("atc_get_deterministic_algorithms.out", getter(atc_get_deterministic_algorithms));
  refused("atc_get_allow_tf32_cudnn.out", getter(atc_get_allow_tf32_cudnn));
  refused("atc_get_benchmark_technique.out", getter(atc_get_benchmark_technique));
  refused("atc_get_workspace_limit.out", getter(atc_get_workspace_limit));
  refused("atc_get_race_memory_limit.out", getter(atc_get_race_memory_limit));
  refused("atc_get_plan_memory_limit.out", getter(atc_get_plan_memory_limit));
  refused("atc_get_library_path.out", getter(atc_get_library_path));
  allowed("atc_set_library_path.directories",
          [] { EXPECT_EQ(atc_set_library_path(nullptr), ATC_OK); });
  refused("atc_get_pins.out", getter(atc_get_pins));
  refused("atc_get_pins_hash.out", getter(atc_get_pins_hash));
  allowed("atc_set_pins.file", [] { EXPECT_EQ(atc_set_pins(nullptr), ATC_OK); });
  refused("atc_settings_get.out", getter(atc_settings_get));
  refused("atc_settings_apply.settings", getter(atc_settings_apply));
  allowed("atc_set_reproducible.out", [] {
    atc_settings before{};
    before.struct_size = sizeof before;
    ASSERT_EQ(atc_settings_get(&before), ATC_OK);
    EXPECT_EQ(atc_set_reproducible(nullptr, 1), ATC_OK);
    EXPECT_EQ(atc_settings_apply(&before), ATC_OK);
  });
}

void NullPointers::device() {
  refused("atc_cuda_is_available.out", getter(atc_cuda_is_available));
  refused("atc_cuda_device_count.out", getter(atc_cuda_device_count));
  refused("atc_cudnn_is_available.out", getter(atc_cudnn_is_available));
  refused("atc_cudnn_version.out", getter(atc_cudnn_version));
  refused("atc_cudnn_compiled_version.out", getter(atc_cudnn_compiled_version));
  refused("atc_device_describe.out", [](Outs&) { return atc_device_describe(nullptr, kCpu); });
  refused("atc_library_count.out", getter(atc_library_count));
  refused("atc_faults_describe.out", [](Outs&) { return atc_faults_describe(nullptr); });
  refused("atc_library_describe.out", [](Outs&) { return atc_library_describe(nullptr, 0); });
}

void NullPointers::conv() {
  refused("atc_conv_problem_init_sized.out",
          [](Outs&) { return atc_conv_problem_init(nullptr, 2); });
  allowed("atc_conv_operand_shape.shape", [&] {
    std::int64_t strides[3];
    EXPECT_EQ(atc_conv_operand_shape(nullptr, strides, &problem_, ATC_OPERAND_X), ATC_OK);
  });
  allowed("atc_conv_operand_shape.strides", [&] {
    std::int64_t shape[3];
    EXPECT_EQ(atc_conv_operand_shape(shape, nullptr, &problem_, ATC_OPERAND_X), ATC_OK);
  });
  refused("atc_conv_problem_describe.out",
          [&](Outs&) { return atc_conv_problem_describe(nullptr, &problem_); });
  refused("atc_conv_problem_describe.problem",
          [](Outs& outs) { return atc_conv_problem_describe(outs.make<atc_bytes*>(), nullptr); });
  refused("atc_conv_operand_shape.problem", [](Outs& outs) {
    return atc_conv_operand_shape(*outs.make<std::int64_t[5]>(), *outs.make<std::int64_t[5]>(),
                                  nullptr, ATC_OPERAND_X);
  });
  refused("atc_conv_plan_create.out",
          [&](Outs&) { return atc_conv_plan_create(nullptr, kCpu, &problem_, nullptr); });
  refused("atc_conv_plan_create.problem", [](Outs& outs) {
    return atc_conv_plan_create(outs.make<atc_conv_plan*>(), kCpu, nullptr, nullptr);
  });
  allowed("atc_conv_plan_create.options", [&] {
    atc_conv_plan* plan = nullptr;
    EXPECT_EQ(atc_conv_plan_create(&plan, kCpu, &problem_, nullptr), ATC_OK);
    atc_conv_plan_destroy(plan);
  });
  const char* choice = "";
  ASSERT_EQ(atc_conv_plan_choice(&choice, plan_), ATC_OK);
  refused("atc_conv_plan_create_with_choice.out", [&](Outs&) {
    return atc_conv_plan_create_with_choice(nullptr, kCpu, &problem_, nullptr, choice);
  });
  refused("atc_conv_plan_create_with_choice.problem", [&](Outs& outs) {
    return atc_conv_plan_create_with_choice(outs.make<atc_conv_plan*>(), kCpu, nullptr, nullptr,
                                            choice);
  });
  refused("atc_conv_plan_create_with_choice.choice", [&](Outs& outs) {
    return atc_conv_plan_create_with_choice(outs.make<atc_conv_plan*>(), kCpu, &problem_, nullptr,
                                            nullptr);
  });
  allowed("atc_conv_plan_create_with_choice.options", [&] {
    atc_conv_plan* plan = nullptr;
    EXPECT_EQ(atc_conv_plan_create_with_choice(&plan, kCpu, &problem_, nullptr, choice), ATC_OK);
    atc_conv_plan_destroy(plan);
  });
  refused("atc_conv_pins.out",
          [&](Outs&) { return atc_conv_pins(nullptr, kCpu, &problem_, nullptr); });
  refused("atc_conv_pins.problem", [](Outs& outs) {
    return atc_conv_pins(outs.make<atc_bytes*>(), kCpu, nullptr, nullptr);
  });
  allowed("atc_conv_pins.options", [&] {
    atc_bytes* pins = nullptr;
    EXPECT_EQ(atc_conv_pins(&pins, kCpu, &problem_, nullptr), ATC_OK);
    atc_bytes_destroy(pins);
  });
  refused("atc_conv_pins_effect.out",
          [&](Outs&) { return atc_conv_pins_effect(nullptr, kCpu, &problem_, nullptr); });
  refused("atc_conv_pins_effect.problem", [](Outs& outs) {
    return atc_conv_pins_effect(outs.make<std::int32_t>(), kCpu, nullptr, nullptr);
  });
  allowed("atc_conv_pins_effect.options", [&] {
    std::int32_t effect = -1;
    EXPECT_EQ(atc_conv_pins_effect(&effect, kCpu, &problem_, nullptr), ATC_OK);
  });
  allowed("atc_conv_plan_destroy.plan", [] { atc_conv_plan_destroy(nullptr); });
  refused("atc_conv_plan_acquire.out",
          [&](Outs&) { return atc_conv_plan_acquire(nullptr, kCpu, &problem_, nullptr, nullptr); });
  refused("atc_conv_plan_acquire.problem", [](Outs& outs) {
    return atc_conv_plan_acquire(outs.make<atc_conv_plan*>(), kCpu, nullptr, nullptr, nullptr);
  });
  allowed("atc_conv_plan_acquire.options", [&] {
    atc_conv_plan* plan = nullptr;
    EXPECT_EQ(atc_conv_plan_acquire(&plan, kCpu, &problem_, nullptr, nullptr), ATC_OK);
    atc_conv_plan_release(plan);
  });
  allowed("atc_conv_plan_release.plan", [] { atc_conv_plan_release(nullptr); });
  refused("atc_conv_plan_own_run_begin.plan", [](Outs& outs) {
    return atc_conv_plan_own_run_begin(outs.make<std::int32_t>(), nullptr, nullptr);
  });
  allowed("atc_conv_plan_own_run_begin.timed",
          [&] { EXPECT_EQ(atc_conv_plan_own_run_begin(nullptr, plan_, nullptr), ATC_OK); });
  refused("atc_conv_plan_own_run_end.plan",
          [](Outs&) { return atc_conv_plan_own_run_end(nullptr, nullptr); });
}

void NullPointers::conv_execution() {
  refused("atc_conv_plan_workspace_size.out",
          [&](Outs&) { return atc_conv_plan_workspace_size(nullptr, plan_); });
  refused("atc_conv_plan_workspace_size.plan", [](Outs& outs) {
    return atc_conv_plan_workspace_size(outs.make<std::uint64_t>(), nullptr);
  });
  using View = const atc_tensor_view*;
  const auto execute = [](atc_conv_plan* plan, View x, View w, View bias, View y) {
    return [=](Outs&) { return atc_conv_plan_execute(plan, x, w, bias, y, nullptr, 0, nullptr); };
  };
  refused("atc_conv_plan_execute.plan", execute(nullptr, &xy_, &w_, nullptr, &xy_));
  refused("atc_conv_plan_execute.x", execute(plan_, nullptr, &w_, nullptr, &xy_));
  refused("atc_conv_plan_execute.w", execute(plan_, &xy_, nullptr, nullptr, &xy_));
  refused("atc_conv_plan_execute.bias", execute(bias_plan_, &xy_, &w_, nullptr, &xy_));
  refused("atc_conv_plan_execute.y", execute(plan_, &xy_, &w_, nullptr, nullptr));
  float out[4];
  atc_tensor_view y = xy_;
  y.data = out;
  allowed("atc_conv_plan_execute.workspace", [&] {
    EXPECT_EQ(atc_conv_plan_execute(plan_, &xy_, &w_, nullptr, &y, nullptr, 0, nullptr), ATC_OK);
  });
  atc_conv_operands operands = ATC_CONV_OPERANDS_INIT;
  operands.x = &xy_;
  operands.w = &w_;
  operands.y = &y;
  refused("atc_conv_plan_execute_v2.plan",
          [&](Outs&) { return atc_conv_plan_execute_v2(nullptr, &operands, nullptr, 0, nullptr); });
  refused("atc_conv_plan_execute_v2.operands",
          [&](Outs&) { return atc_conv_plan_execute_v2(plan_, nullptr, nullptr, 0, nullptr); });
  allowed("atc_conv_plan_execute_v2.workspace", [&] {
    EXPECT_EQ(atc_conv_plan_execute_v2(plan_, &operands, nullptr, 0, nullptr), ATC_OK);
  });
  refused("atc_convolution_v2.problem",
          [&](Outs&) { return atc_convolution_v2(nullptr, &operands, nullptr); });
  refused("atc_convolution_v2.operands",
          [&](Outs&) { return atc_convolution_v2(&problem_, nullptr, nullptr); });
  refused("atc_conv_plan_set_weights.plan",
          [&](Outs&) { return atc_conv_plan_set_weights(nullptr, &w_); });
  refused("atc_conv_plan_set_weights.w",
          [&](Outs&) { return atc_conv_plan_set_weights(plan_, nullptr); });
  refused("atc_conv_plan_sample.out",
          [&](Outs&) { return atc_conv_plan_sample(nullptr, 1, plan_, 1); });
  refused("atc_conv_plan_sample.plan",
          [](Outs& outs) { return atc_conv_plan_sample(outs.make<double>(), 1, nullptr, 1); });
  refused("atc_conv_plan_choice.out", [&](Outs&) { return atc_conv_plan_choice(nullptr, plan_); });
  refused("atc_conv_plan_choice.plan",
          [](Outs& outs) { return atc_conv_plan_choice(outs.make<const char*>(), nullptr); });
  refused("atc_conv_plan_source.out", [&](Outs&) { return atc_conv_plan_source(nullptr, plan_); });
  refused("atc_conv_plan_source.plan",
          [](Outs& outs) { return atc_conv_plan_source(outs.make<std::int32_t>(), nullptr); });
  refused("atc_conv_plan_provisional.out",
          [&](Outs&) { return atc_conv_plan_provisional(nullptr, nullptr, plan_); });
  allowed("atc_conv_plan_provisional.risk", [&] {
    std::int32_t out = 0;
    EXPECT_EQ(atc_conv_plan_provisional(&out, nullptr, plan_), ATC_OK) << atc_last_error();
  });
  refused("atc_conv_plan_provisional.plan", [](Outs& outs) {
    return atc_conv_plan_provisional(outs.make<std::int32_t>(), outs.make<double>(), nullptr);
  });
  refused("atc_conv_plan_candidate_count.out",
          [&](Outs&) { return atc_conv_plan_candidate_count(nullptr, plan_); });
  refused("atc_conv_plan_candidate_count.plan", [](Outs& outs) {
    return atc_conv_plan_candidate_count(outs.make<std::size_t>(), nullptr);
  });
  refused("atc_conv_plan_candidate.out",
          [&](Outs&) { return atc_conv_plan_candidate(nullptr, plan_, 0); });
  refused("atc_conv_plan_candidate.plan", [](Outs& outs) {
    return atc_conv_plan_candidate(outs.make_struct<atc_candidate>(), nullptr, 0);
  });
  const auto eager = [](const atc_conv_problem* problem, View x, View w, View bias, View y) {
    return [=](Outs&) { return atc_convolution(problem, x, w, bias, y, nullptr); };
  };
  refused("atc_convolution.problem", eager(nullptr, &xy_, &w_, nullptr, &y));
  refused("atc_convolution.x", eager(&problem_, nullptr, &w_, nullptr, &y));
  refused("atc_convolution.w", eager(&problem_, &xy_, nullptr, nullptr, &y));
  refused("atc_convolution.bias", eager(&with_bias_, &xy_, &w_, nullptr, &y));
  refused("atc_convolution.y", eager(&problem_, &xy_, &w_, nullptr, nullptr));
  refused("atc_cache_stats.out", getter(atc_cache_stats));
}

void NullPointers::tune() {
  const auto call = [&](atc_tune_report** out, const atc_conv_problem* problems) {
    atc_tune_options options{};
    options.struct_size = sizeof options;
    options.problem_budget_seconds = 0.05;
    return atc_tune(out, kCpu, problems, 1, &options, nullptr, nullptr);
  };
  allowed("atc_tune.out", [&] { EXPECT_EQ(call(nullptr, &problem_), ATC_OK) << atc_last_error(); });
  refused("atc_tune.problems",
          [&](Outs& outs) { return call(outs.make<atc_tune_report*>(), nullptr); });
  allowed("atc_tune.options", [&] {
    atc_conv_problem empty = problem_;
    empty.batch = 0;
    EXPECT_EQ(atc_tune(nullptr, kCpu, &empty, 1, nullptr, nullptr, nullptr), ATC_OK)
        << atc_last_error();
  });
  allowed("atc_tune.callback", [] {});  // every call of atc_tune above passes NULL for `callback`
  allowed("atc_tune.payload", [] {});
  allowed("atc_tune_report_destroy.report", [] { atc_tune_report_destroy(nullptr); });
  refused("atc_tune_report_count.out",
          [&](Outs&) { return atc_tune_report_count(nullptr, report_); });
  refused("atc_tune_report_count.report",
          [](Outs& outs) { return atc_tune_report_count(outs.make<std::size_t>(), nullptr); });
  refused("atc_tune_report_provisional.out",
          [&](Outs&) { return atc_tune_report_provisional(nullptr, report_); });
  refused("atc_tune_report_provisional.report", [](Outs& outs) {
    return atc_tune_report_provisional(outs.make<std::size_t>(), nullptr);
  });
  refused("atc_tune_report_problem.out",
          [&](Outs&) { return atc_tune_report_problem(nullptr, report_, 0); });
  refused("atc_tune_report_problem.report", [](Outs& outs) {
    return atc_tune_report_problem(outs.make_struct<atc_tuned_problem>(), nullptr, 0);
  });
  refused("atc_tune_report_candidate.out",
          [&](Outs&) { return atc_tune_report_candidate(nullptr, report_, 0, 0); });
  refused("atc_tune_report_candidate.report", [](Outs& outs) {
    return atc_tune_report_candidate(outs.make_struct<atc_candidate>(), nullptr, 0, 0);
  });
  refused("atc_tune_report_agreement.out",
          [&](Outs&) { return atc_tune_report_agreement(nullptr, report_); });
  refused("atc_tune_report_agreement.report", [](Outs& outs) {
    return atc_tune_report_agreement(outs.make_struct<atc_agreement>(), nullptr);
  });
  refused("atc_tune_report_class.out",
          [&](Outs&) { return atc_tune_report_class(nullptr, report_, 0); });
  refused("atc_tune_report_class.report", [](Outs& outs) {
    return atc_tune_report_class(outs.make_struct<atc_agreement_class>(), nullptr, 0);
  });
  const std::string folder = (folder_ / "group").string();
  refused("atc_group_open_folder.out",
          [&](Outs&) { return atc_group_open_folder(nullptr, folder.c_str(), 0, 1, "prefix"); });
  refused("atc_group_open_folder.path", [](Outs& outs) {
    return atc_group_open_folder(outs.make_struct<atc_group>(), nullptr, 0, 1, "prefix");
  });
  refused("atc_group_open_folder.prefix", [&](Outs& outs) {
    return atc_group_open_folder(outs.make_struct<atc_group>(), folder.c_str(), 0, 1, nullptr);
  });
  allowed("atc_group_close.group", [] { atc_group_close(nullptr); });
}

void NullPointers::problems() {
  atc_problems* list = nullptr;
  ASSERT_EQ(atc_problems_create(&list), ATC_OK) << atc_last_error();
  ASSERT_EQ(atc_problems_add(list, nullptr, &problem_, nullptr, 1), ATC_OK) << atc_last_error();
  refused("atc_problems_create.out", [](Outs&) { return atc_problems_create(nullptr); });
  allowed("atc_problems_destroy.problems", [] { atc_problems_destroy(nullptr); });
  refused("atc_problems_add_noted.problems", [](Outs&) { return atc_problems_add_noted(nullptr); });
  refused("atc_problems_add_json.problems",
          [](Outs&) { return atc_problems_add_json(nullptr, "{}", 2); });
  refused("atc_problems_add_json.text",
          [&](Outs&) { return atc_problems_add_json(list, nullptr, 0); });
  refused("atc_problems_add.problems",
          [&](Outs&) { return atc_problems_add(nullptr, &kCpu, &problem_, nullptr, 1); });
  // Nothing is called for this parameter: the first call of atc_problems_add has passed NULL for
  // `device`.
  allowed("atc_problems_add.device", [] {});
  refused("atc_problems_add.problem",
          [&](Outs&) { return atc_problems_add(list, &kCpu, nullptr, nullptr, 1); });
  // Nothing is called for this parameter: the first call of atc_problems_add has passed NULL for
  // `options`.
  allowed("atc_problems_add.options", [] {});
  refused("atc_problems_count.out", [&](Outs&) { return atc_problems_count(nullptr, list); });
  refused("atc_problems_count.problems",
          [](Outs& outs) { return atc_problems_count(outs.make<std::size_t>(), nullptr); });
  for (const char* const out : {"device", "problem", "options", "count"})
    allowed(std::string("atc_problems_get.") + out, [&] {
      EXPECT_EQ(atc_problems_get(nullptr, nullptr, nullptr, nullptr, list, 0), ATC_OK);
    });
  refused("atc_problems_get.problems", [](Outs& outs) {
    return atc_problems_get(nullptr, nullptr, nullptr, outs.make<std::uint64_t>(), nullptr, 0);
  });
  refused("atc_problems_json.out", [&](Outs&) { return atc_problems_json(nullptr, list); });
  refused("atc_problems_json.problems",
          [](Outs& outs) { return atc_problems_json(outs.make<atc_bytes*>(), nullptr); });
  atc_problems_destroy(list);
}

void NullPointers::explain() {
  refused("atc_conv_explain.out",
          [&](Outs&) { return atc_conv_explain(nullptr, kCpu, &problem_, nullptr); });
  refused("atc_conv_explain.problem", [](Outs& outs) {
    return atc_conv_explain(outs.make<atc_explanation*>(), kCpu, nullptr, nullptr);
  });
  allowed("atc_conv_explain.options", [] {});  // SetUp passes NULL for `options`
  const char* const choice = "absent@1:none";
  refused("atc_tune_refuse.problem",
          [&](Outs&) { return atc_tune_refuse(kCpu, nullptr, nullptr, choice, "why"); });
  allowed("atc_tune_refuse.options", [&] {
    EXPECT_EQ(atc_tune_refuse(kCpu, &problem_, nullptr, choice, "why"), ATC_OK) << atc_last_error();
  });
  refused("atc_tune_refuse.choice",
          [&](Outs&) { return atc_tune_refuse(kCpu, &problem_, nullptr, nullptr, "why"); });
  refused("atc_tune_refuse.reason",
          [&](Outs&) { return atc_tune_refuse(kCpu, &problem_, nullptr, choice, nullptr); });
  refused("atc_conv_decisions_digest.out",
          [&](Outs&) { return atc_conv_decisions_digest(nullptr, kCpu, &problem_, 1, nullptr); });
  refused("atc_conv_decisions_digest.problems", [](Outs& outs) {
    return atc_conv_decisions_digest(outs.make<std::uint64_t>(), kCpu, nullptr, 1, nullptr);
  });
  // Calls of atc_conv_explain show that NULL options are allowed.
  allowed("atc_conv_decisions_digest.options", [] {});
  refused("atc_conv_measure_ceilings.problem",
          [](Outs&) { return atc_conv_measure_ceilings(kCpu, nullptr, nullptr); });
  // Calls of atc_conv_explain show that NULL options are allowed.
  allowed("atc_conv_measure_ceilings.options", [] {});
  refused("atc_conv_ceilings.problem", [](Outs& outs) {
    return atc_conv_ceilings(outs.make<double>(), outs.make<double>(), kCpu, nullptr, nullptr);
  });
  const auto without = [&](const char* parameter) {
    allowed(parameter, [&] {
      EXPECT_EQ(atc_conv_ceilings(nullptr, nullptr, kCpu, &problem_, nullptr), ATC_OK)
          << atc_last_error();
    });
  };
  without("atc_conv_ceilings.bytes_per_second");
  without("atc_conv_ceilings.flops_per_second");
  without("atc_conv_ceilings.options");
  allowed("atc_explanation_destroy.explanation", [] { atc_explanation_destroy(nullptr); });
  refused("atc_explanation_describe.out",
          [&](Outs&) { return atc_explanation_describe(nullptr, explanation_); });
  refused("atc_explanation_describe.explanation", [](Outs& outs) {
    return atc_explanation_describe(outs.make_struct<atc_explained>(), nullptr);
  });
  refused("atc_explanation_candidate.out",
          [&](Outs&) { return atc_explanation_candidate(nullptr, explanation_, 0); });
  refused("atc_explanation_candidate.explanation", [](Outs& outs) {
    return atc_explanation_candidate(outs.make_struct<atc_candidate>(), nullptr, 0);
  });
  refused("atc_explanation_entrant.out",
          [&](Outs&) { return atc_explanation_entrant(nullptr, explanation_, 0); });
  refused("atc_explanation_entrant.explanation", [](Outs& outs) {
    return atc_explanation_entrant(outs.make_struct<atc_entrant>(), nullptr, 0);
  });
}

void NullPointers::trace() {
  atc_trace* trace = nullptr;
  allowed("atc_trace_start.options",
          [] { EXPECT_EQ(atc_trace_start(nullptr), ATC_OK) << atc_last_error(); });
  refused("atc_trace_is_running.out", getter(atc_trace_is_running));
  refused("atc_trace_call_begin.out",
          [&](Outs&) { return atc_trace_call_begin(nullptr, kCpu, &problem_, "c", nullptr); });
  refused("atc_trace_call_begin.choice", [&](Outs& outs) {
    return atc_trace_call_begin(outs.make<atc_trace_call*>(), kCpu, &problem_, nullptr, nullptr);
  });
  allowed("atc_trace_call_begin.problem", [] {
    atc_trace_call* call = nullptr;
    EXPECT_EQ(atc_trace_call_begin(&call, kCpu, nullptr, "c", nullptr), ATC_OK) << atc_last_error();
    atc_trace_call_end(call);
  });
  allowed("atc_trace_call_end.call", [] { atc_trace_call_end(nullptr); });
  EXPECT_EQ(atc_trace_stop(&trace), ATC_OK) << atc_last_error();
  allowed("atc_trace_stop.out", [] {
    EXPECT_EQ(atc_trace_start(nullptr), ATC_OK) << atc_last_error();
    EXPECT_EQ(atc_trace_stop(nullptr), ATC_OK) << atc_last_error();
  });
  refused("atc_trace_row_count.out", [&](Outs&) { return atc_trace_row_count(nullptr, trace); });
  refused("atc_trace_row_count.trace",
          [](Outs& outs) { return atc_trace_row_count(outs.make<std::size_t>(), nullptr); });
  refused("atc_trace_row_get.out", [&](Outs&) { return atc_trace_row_get(nullptr, trace, 0); });
  refused("atc_trace_row_get.trace", [](Outs& outs) {
    return atc_trace_row_get(outs.make_struct<atc_trace_row>(), nullptr, 0);
  });
  refused("atc_trace_text.out",
          [&](Outs&) { return atc_trace_text(nullptr, trace, ATC_TRACE_TABLE); });
  refused("atc_trace_text.trace", [](Outs& outs) {
    return atc_trace_text(outs.make<atc_bytes*>(), nullptr, ATC_TRACE_TABLE);
  });
  allowed("atc_trace_destroy.trace", [] { atc_trace_destroy(nullptr); });
  atc_trace_destroy(trace);
}

void NullPointers::store() {
  refused("atc_store_open.out", [&](Outs&) { return atc_store_open(nullptr, folder_.c_str(), 0); });
  refused("atc_store_open_layers.out", [&](Outs&) {
    const char* const one = folder_.c_str();
    return atc_store_open_layers(nullptr, &one, 1, ATC_STORE_READ);
  });
  refused("atc_store_open_layers.directories", [](Outs& outs) {
    return atc_store_open_layers(outs.make<atc_store*>(), nullptr, 1, ATC_STORE_READ);
  });
  refused("atc_store_open.directory",
          [](Outs& outs) { return atc_store_open(outs.make<atc_store*>(), nullptr, 0); });
  allowed("atc_store_close.store", [] { atc_store_close(nullptr); });
  allowed("atc_store_use.store", [] { EXPECT_EQ(atc_store_use(nullptr), ATC_OK); });
  refused("atc_store_in_use.out", getter(atc_store_in_use));
  refused("atc_store_describe.out", [&](Outs&) { return atc_store_describe(nullptr, store_); });
  refused("atc_store_describe.store", [](Outs& outs) {
    return atc_store_describe(outs.make_struct<atc_store_info>(), nullptr);
  });
  refused("atc_store_provisional.out",
          [&](Outs&) { return atc_store_provisional(nullptr, store_); });
  refused("atc_store_provisional.store",
          [](Outs& outs) { return atc_store_provisional(outs.make<std::uint64_t>(), nullptr); });
  refused("atc_store_digest.out", [&](Outs&) { return atc_store_digest(nullptr, store_); });
  refused("atc_store_digest.store",
          [](Outs& outs) { return atc_store_digest(outs.make<std::uint64_t>(), nullptr); });
  refused("atc_store_verify.out", [&](Outs&) { return atc_store_verify(nullptr, store_); });
  refused("atc_store_verify.store",
          [](Outs& outs) { return atc_store_verify(outs.make<atc_bytes*>(), nullptr); });
  allowed("atc_store_prune.removed",
          [&] { EXPECT_EQ(atc_store_prune(nullptr, store_, 1), ATC_OK) << atc_last_error(); });
  refused("atc_store_prune.store",
          [](Outs& outs) { return atc_store_prune(outs.make<std::uint64_t>(), nullptr, 1); });
}

void NullPointers::store_entries() {
  refused("atc_store_read.out", [&](Outs&) { return atc_store_read(nullptr, store_); });
  refused("atc_store_read.store",
          [](Outs& outs) { return atc_store_read(outs.make<atc_store_entries*>(), nullptr); });
  allowed("atc_store_entries_destroy.entries", [] { atc_store_entries_destroy(nullptr); });
  atc_store_entries* entries = nullptr;
  ASSERT_EQ(atc_store_read(&entries, store_), ATC_OK) << atc_last_error();
  refused("atc_store_entries_count.out",
          [&](Outs&) { return atc_store_entries_count(nullptr, entries); });
  refused("atc_store_entries_count.entries",
          [](Outs& outs) { return atc_store_entries_count(outs.make<std::size_t>(), nullptr); });
  refused("atc_store_entries_describe.entries", [](Outs& outs) {
    return atc_store_entries_describe(outs.make_struct<atc_store_entry>(), nullptr, 0);
  });
  refused("atc_store_entries_candidate.entries", [](Outs& outs) {
    return atc_store_entries_candidate(outs.make_struct<atc_candidate>(), nullptr, 0, 0);
  });
  atc_store_entries_destroy(entries);
  const std::string entry =
      R"({"key": {"environment": {}, "problem": {}}, "value": {"choice": {}}})";
  ASSERT_EQ(atc_store_put(store_, entry.data(), entry.size(), nullptr), ATC_OK) << atc_last_error();
  ASSERT_EQ(atc_store_read(&entries, store_), ATC_OK) << atc_last_error();
  refused("atc_store_entries_describe.out",
          [&](Outs&) { return atc_store_entries_describe(nullptr, entries, 0); });
  refused("atc_store_entries_candidate.out",
          [&](Outs&) { return atc_store_entries_candidate(nullptr, entries, 0, 0); });
  atc_store_entries_destroy(entries);
  ASSERT_EQ(atc_store_remove(nullptr, store_, entry.data(), entry.size()), ATC_OK);
}

void NullPointers::store_contents() {
  refused("atc_store_get.out",
          [&](Outs&) { return atc_store_get(nullptr, store_, kCpu, &problem_, nullptr); });
  refused("atc_store_get.store", [&](Outs& outs) {
    return atc_store_get(outs.make<atc_bytes*>(), nullptr, kCpu, &problem_, nullptr);
  });
  refused("atc_store_get.problem", [&](Outs& outs) {
    return atc_store_get(outs.make<atc_bytes*>(), store_, kCpu, nullptr, nullptr);
  });
  allowed("atc_store_get.options", [&] {
    atc_bytes* entry = nullptr;
    EXPECT_EQ(atc_store_get(&entry, store_, kCpu, &problem_, nullptr), ATC_ERROR_NOT_TUNED);
  });
  refused("atc_store_put.store", [](Outs&) { return atc_store_put(nullptr, "{}", 2, nullptr); });
  refused("atc_store_put.entry", [&](Outs&) { return atc_store_put(store_, nullptr, 2, nullptr); });
  allowed("atc_store_put.options", [&] {
    EXPECT_EQ(atc_store_put(store_, "{}", 2, nullptr), ATC_ERROR_BAD_RECORD) << atc_last_error();
  });
  refused("atc_store_list.out", [&](Outs&) { return atc_store_list(nullptr, store_); });
  refused("atc_store_list.store",
          [](Outs& outs) { return atc_store_list(outs.make<atc_bytes*>(), nullptr); });
  allowed("atc_store_remove.removed", [&] {
    EXPECT_EQ(atc_store_remove(nullptr, store_, "{}", 2), ATC_ERROR_BAD_RECORD) << atc_last_error();
  });
  refused("atc_store_remove.store",
          [](Outs& outs) { return atc_store_remove(outs.make<std::int32_t>(), nullptr, "{}", 2); });
  refused("atc_store_remove.entry", [&](Outs& outs) {
    return atc_store_remove(outs.make<std::int32_t>(), store_, nullptr, 2);
  });
  refused("atc_store_export.out", [&](Outs&) { return atc_store_export(nullptr, store_); });
  refused("atc_store_export.store",
          [](Outs& outs) { return atc_store_export(outs.make<atc_bytes*>(), nullptr); });

  const void* bundle = atc_bytes_data(bundle_);
  const std::size_t size = atc_bytes_size(bundle_);
  std::uint64_t count = 0;
  allowed("atc_store_import.added", [&] {
    EXPECT_EQ(atc_store_import(nullptr, &count, store_, bundle, size, nullptr), ATC_OK);
  });
  allowed("atc_store_import.kept", [&] {
    EXPECT_EQ(atc_store_import(&count, nullptr, store_, bundle, size, nullptr), ATC_OK);
  });
  allowed("atc_store_import.options", [&] {
    EXPECT_EQ(atc_store_import(&count, &count, store_, bundle, size, nullptr), ATC_OK);
  });
  refused("atc_store_import.store", [&](Outs& outs) {
    return atc_store_import(outs.make<std::uint64_t>(), outs.make<std::uint64_t>(), nullptr, bundle,
                            size, nullptr);
  });
  refused("atc_store_import.bundle", [&](Outs& outs) {
    return atc_store_import(outs.make<std::uint64_t>(), outs.make<std::uint64_t>(), store_, nullptr,
                            size, nullptr);
  });
  refused("atc_store_merge.out",
          [&](Outs&) { return atc_store_merge(nullptr, &bundle, &size, 1, nullptr); });
  refused("atc_store_merge.bundles", [&](Outs& outs) {
    return atc_store_merge(outs.make<atc_bytes*>(), nullptr, &size, 1, nullptr);
  });
  refused("atc_store_merge.sizes", [&](Outs& outs) {
    return atc_store_merge(outs.make<atc_bytes*>(), &bundle, nullptr, 1, nullptr);
  });
  allowed("atc_store_merge.options", [&] {
    atc_bytes* merged = nullptr;
    EXPECT_EQ(atc_store_merge(&merged, &bundle, &size, 1, nullptr), ATC_OK);
    atc_bytes_destroy(merged);
  });
}

void NullPointers::extend() {
  refused("atc_engine_register.engine", getter(atc_engine_register));
  refused("atc_engine_unregister.name", getter(atc_engine_unregister));
  refused("atc_engine_count.out", getter(atc_engine_count));
  refused("atc_engine_describe.out", [](Outs&) { return atc_engine_describe(nullptr, 0); });
  refused("atc_plugin_load.file", getter(atc_plugin_load));
  allowed("atc_settings_source_set.source",
          [] { EXPECT_EQ(atc_settings_source_set(nullptr), ATC_OK) << atc_last_error(); });
  allowed("atc_allocator_set.allocator",
          [] { EXPECT_EQ(atc_allocator_set(nullptr), ATC_OK) << atc_last_error(); });
  allowed("atc_log_sink_set.sink",
          [] { EXPECT_EQ(atc_log_sink_set(nullptr), ATC_OK) << atc_last_error(); });
  refused("atc_log_level_get.out", getter(atc_log_level_get));
}

TEST_F(NullPointers, AreRefusedUnlessTheHeaderAllowsThem) {
  base_and_settings();
  device();
  conv();
  conv_execution();
  tune();
  problems();
  explain();
  trace();
  store();
  store_contents();
  store_entries();
  extend();

  const std::set<std::string> declared = {
#include "pointers.inc"
  };
  for (const std::string& parameter : declared)
    EXPECT_EQ(seen_.count(parameter), 1u) << parameter << " is a pointer that is not tested here";
  for (const std::string& parameter : seen_)
    EXPECT_EQ(declared.count(parameter), 1u) << parameter << " is in no header";
}

}  // namespace
