// Tests the structs that the library passes to callbacks of an engine, and that an engine passes
// back.
#include "client.hpp"

namespace {

// An engine for the convolutions that `fill` (client.hpp) describes: one channel, and a filter of
// one element.
struct Engine {
  Guarded<atc_engine_offer> offer;
  atc_status answer = ATC_OK;  // the status that the last atc_engine_offer call returned
  int executions = 0;
};

atc_status offers(void* user, const atc_conv_problem* problem, const atc_engine_limits* limits,
                  atc_offer_callback offer, void* payload) {
  EXPECT(problem->struct_size == library_size<atc_conv_problem>());
  EXPECT(limits->struct_size == library_size<atc_engine_limits>());
  EXPECT(problem->input[0] == 4 && limits->device.type == ATC_DEVICE_CPU);
  auto& engine = *static_cast<Engine*>(user);
  return engine.answer = offer(engine.offer.get(), payload);
}

atc_status prepare(void** prepared, void* user, const atc_conv_problem* problem,
                   const atc_engine_limits* limits, const char*) {
  EXPECT(problem->struct_size == library_size<atc_conv_problem>());
  EXPECT(limits->struct_size == library_size<atc_engine_limits>());
  *prepared = user;
  return ATC_OK;
}

atc_status execute(void* user, void*, atc_engine_operands* operands) {
  EXPECT(operands->struct_size == library_size<atc_engine_operands>());
  for (int i = 0; i < 4; ++i)
    static_cast<float*>(operands->y)[i] =
        static_cast<const float*>(operands->x)[i] * static_cast<const float*>(operands->w)[0];
  ++static_cast<Engine*>(user)->executions;
  return ATC_OK;
}

void release(void*, void*) {}

// Runs one convolution on the test's engine, and returns the first status that is not ATC_OK.
atc_status run() {
  Guarded<atc_conv_problem> problem;
  fill(problem.get());
  atc_conv_plan* plan = nullptr;
  atc_status status =
      atc_conv_plan_create_with_choice(&plan, kCpu, problem.get(), nullptr, "client@1:product");
  Tensors tensors;
  if (status == ATC_OK)
    status = atc_conv_plan_execute(plan, &tensors.x, &tensors.w, nullptr, &tensors.y, nullptr, 0,
                                   nullptr);
  EXPECT(status != ATC_OK || tensors.right());
  atc_conv_plan_destroy(plan);
  return status;
}

}  // namespace

void check_callbacks() {
  Engine state;
  state.offer.set(atc_engine_offer{});
  state.offer->struct_size = sizeof(atc_engine_offer);
  state.offer->configuration = "product";
  Guarded<atc_engine> engine;
  engine.set(atc_engine{});
  engine->struct_size = sizeof(atc_engine);
  engine->device_type = ATC_DEVICE_CPU;
  engine->name = "client";
  engine->version = "1";
  engine->user = &state;
  engine->offers = offers;
  engine->prepare = prepare;
  engine->execute = execute;
  engine->release = release;
  reads("atc_engine", engine, [&] {
    const atc_status status = atc_engine_register(engine.get());
    if (status == ATC_OK) EXPECT(atc_engine_unregister("client") == ATC_OK);
    return status;
  });

  EXPECT(atc_engine_register(engine.get()) == ATC_OK);
  reads("atc_engine_offer", state.offer, [&] {
    const atc_status status = run();
    EXPECT((status == ATC_OK) == (state.answer == ATC_OK));
    return state.answer;
  });
  EXPECT(state.executions > 0);
  EXPECT(atc_engine_unregister("client") == ATC_OK);
}
