// The steps of the test's scripted session (session.hpp) that make convolutions on the CPU. In
// races the engine `reference` is timed against an engine of this program. oneDNN does not compute,
// because this test is not about oneDNN's behaviour when memory runs out.
#include <gmock/gmock.h>

#include <array>
#include <fstream>

#include "steps.hpp"

namespace atc_sweep {
namespace {

constexpr atc_device kCpu = {ATC_DEVICE_CPU, 0};
constexpr std::size_t kElements = 12;

// Returns a problem with one channel and one filter element: y = w * x.
atc_conv_problem problem() {
  atc_conv_problem made;
  atc_conv_problem_init(&made, 2);
  made.input[0] = 3;
  made.input[1] = 4;
  return made;
}

struct Operands {
  std::array<float, kElements> x{}, y{};
  float w = 3;
  std::array<std::int64_t, 4> image = {1, 1, 3, 4}, filter = {1, 1, 1, 1};

  Operands() {
    for (std::size_t i = 0; i < kElements; ++i) x.at(i) = static_cast<float>(i);
  }
  static atc_tensor_view view(void* data, std::array<std::int64_t, 4>& shape) {
    atc_tensor_view made{};
    made.data = data;
    made.device = kCpu;
    made.ndim = 4;
    made.dtype = {ATC_CODE_FLOAT, 32, 1};
    made.shape = shape.data();
    return made;
  }
  void expect_result() const {
    for (std::size_t i = 0; i < kElements; ++i) EXPECT_EQ(y.at(i), 3 * x.at(i)) << i;
  }
};

extern "C" {
static atc_status loop_offers(void*, const atc_conv_problem*, const atc_engine_limits*,
                              atc_offer_callback offer, void* payload) {
  atc_engine_offer made = ATC_ENGINE_OFFER_INIT;
  made.configuration = "loop";
  return offer(&made, payload);
}
static atc_status loop_prepare(void** prepared, void* user, const atc_conv_problem*,
                               const atc_engine_limits*, const char*) {
  *prepared = user;
  return ATC_OK;
}
static atc_status loop_execute(void*, void*, atc_engine_operands* operands) {
  const auto* const x = static_cast<const float*>(operands->x);
  auto* const y = static_cast<float*>(operands->y);
  for (std::size_t i = 0; i < kElements; ++i) y[i] = *static_cast<const float*>(operands->w) * x[i];
  return ATC_OK;
}
static void loop_release(void*, void*) {}
}

atc_status register_loop() {
  static int user = 0;
  atc_engine engine = ATC_ENGINE_INIT;
  engine.device_type = ATC_DEVICE_CPU;
  engine.name = "loop";
  engine.version = "1";
  engine.user = &user;
  engine.offers = loop_offers;
  engine.prepare = loop_prepare;
  engine.execute = loop_execute;
  engine.release = loop_release;
  return atc_engine_register(&engine);
}

void execute(Session& session, atc_conv_plan* plan) {
  Operands operands;
  const atc_tensor_view x = Operands::view(operands.x.data(), operands.image);
  const atc_tensor_view w = Operands::view(&operands.w, operands.filter);
  const atc_tensor_view y = Operands::view(operands.y.data(), operands.image);
  if (session.call("atc_conv_plan_execute", [&] {
        return atc_conv_plan_execute(plan, &x, &w, nullptr, &y, nullptr, 0, nullptr);
      }))
    operands.expect_result();
}

void destroy(atc_conv_plan* plan) {
  const InsideAtc inside;
  atc_conv_plan_destroy(plan);
}

void plan(Session& session) {
  const atc_conv_problem given = problem();
  atc_conv_plan* made = nullptr;
  if (!session.call("atc_conv_plan_create_with_choice", [&] {
        return atc_conv_plan_create_with_choice(&made, kCpu, &given, nullptr, "reference@1:direct");
      }))
    return;
  execute(session, made);
  destroy(made);
}

std::string pin_file(const Session& session) { return session.folder.string() + ".pins.json"; }

void write_pins(Session& session) {
  std::filesystem::create_directories(session.folder.parent_path());
  std::ofstream(pin_file(session))
      << R"({"schema": 1, "pins": [{"match": {}, "choice": "reference@1:direct"}]})";
}

void call_eagerly(Session& session) {
  write_pins(session);
  const std::string pins = pin_file(session);
  if (!session.call("atc_set_pins", [&] { return atc_set_pins(pins.c_str()); })) return;
  const atc_conv_problem given = problem();
  Operands operands;
  const atc_tensor_view x = Operands::view(operands.x.data(), operands.image);
  const atc_tensor_view w = Operands::view(&operands.w, operands.filter);
  const atc_tensor_view y = Operands::view(operands.y.data(), operands.image);
  for (int repeat = 0; repeat < 2; ++repeat) {
    operands.y.fill(0);
    if (session.call("atc_convolution",
                     [&] { return atc_convolution(&given, &x, &w, nullptr, &y, nullptr); }))
      operands.expect_result();
  }
}

void end_eager_calls() {
  const InsideAtc inside;
  EXPECT_EQ(atc_set_pins(nullptr), ATC_OK);
  EXPECT_EQ(atc_cache_clear(), ATC_OK);
}

void arrange_race(Session& session) {
  static const atc_status registered = register_loop();
  ASSERT_EQ(registered, ATC_OK) << atc_last_error();
  session.open();
}

void tune(Session& session) {
  const atc_conv_problem given = problem();
  atc_tune_options options = ATC_TUNE_OPTIONS_INIT;
  options.technique = ATC_TECHNIQUE_ONCE;
  options.retune = ATC_ON;
  options.engines_barred = "onednn";
  options.store = session.store;
  atc_tune_report* report = nullptr;
  if (!session.call("atc_tune",
                    [&] { return atc_tune(&report, kCpu, &given, 1, &options, nullptr, nullptr); }))
    return;
  atc_tuned_problem tuned = ATC_TUNED_PROBLEM_INIT;
  EXPECT_EQ(atc_tune_report_problem(&tuned, report, 0), ATC_OK);
  if (tuned.status == ATC_OK && (tuned.flags & ATC_TUNED_STORED) != 0)
    session.also = [given](const atc_store* store) {
      atc_bytes* entry = nullptr;
      EXPECT_EQ(atc_store_get(&entry, store, kCpu, &given, nullptr), ATC_OK) << atc_last_error();
      atc_bytes_destroy(entry);
    };
  session.call("a problem of atc_tune", [&] { return tuned.status; });
  const InsideAtc inside;
  atc_tune_report_destroy(report);
}

void plan_of_record(Session& session) {
  const atc_conv_problem given = problem();
  atc_conv_options options = ATC_CONV_OPTIONS_INIT;
  options.store = session.store;
  atc_bytes* entry = nullptr;
  session.call("atc_store_get",
               [&] { return atc_store_get(&entry, session.store, kCpu, &given, &options); },
               {ATC_ERROR_NOT_TUNED});
  session.take(entry);
  atc_conv_plan* made = nullptr;
  if (!session.call("atc_conv_plan_create",
                    [&] { return atc_conv_plan_create(&made, kCpu, &given, &options); },
                    {ATC_ERROR_NOT_TUNED}))
    return;
  execute(session, made);
  destroy(made);
}

}  // namespace

const std::vector<Step>& convolution_steps() {
  static const std::vector<Step> steps = {
      {"Plan", {}, plan},
      {"EagerCall", {}, call_eagerly, end_eager_calls},
      {"Tune", arrange_race, tune},
      {"PlanOfRecord",
       [](Session& session) {
         arrange_race(session);
         tune(session);
         session.close();
         session.open(ATC_STORE_REPLAY_ONLY);
       },
       plan_of_record},
  };
  return steps;
}

}  // namespace atc_sweep
