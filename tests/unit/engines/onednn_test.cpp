// Tests the offers, configurations, weights and threads of the engine onednn. onednn_grid_test.cpp
// tests its results.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <dnnl.hpp>
#include <set>
#include <thread>

#include "core/error.hpp"
#include "core/fill.hpp"
#include "core/half.hpp"
#include "core/walk.hpp"
#include "engines/onednn/onednn_engine.hpp"
#include "support/expected.hpp"
#include "support/problems.hpp"
#include "support/tensors.hpp"

namespace atc {
namespace {

using test::Fill;
using test::Memory;
using test::Spec;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<Offer> offers_of(const Engine& engine, const Problem& problem, Limits limits = {}) {
  std::string why_not;
  return engine.offers(problem, limits, why_not);
}

Spec resnet_layer() {
  Spec spec;
  spec.channels_in = spec.channels_out = 32;
  spec.in = {14, 14, 1};
  spec.pad_low = spec.pad_high = {1, 1, 0};
  return spec;
}

std::vector<double> elements(const Tensor& tensor, const GuardedBuffer& buffer) {
  std::vector<double> values;
  for_each_offset(tensor, [&](std::int64_t, std::int64_t offset) {
    values.push_back(load_element(buffer.data(), tensor.dtype, offset));
  });
  return values;
}

template <typename F>
Status status_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.status();
  }
  return Status::ok;
}

TEST(Onednn, SaysWhatItIs) {
  const auto engine = make_onednn_engine();
  EXPECT_EQ(engine->name(), "onednn");
  EXPECT_THAT(engine->version(), StartsWith("3."));
  EXPECT_TRUE(engine->serves(DeviceType::cpu));
  EXPECT_FALSE(engine->serves(DeviceType::cuda));
}

TEST(Onednn, OffersAreDistinctAndTheFirstIsTheHeuristicChoice) {
  const auto engine = make_onednn_engine();
  Spec spec = resnet_layer();
  const std::vector<Offer> first = offers_of(*engine, test::build(spec));
  std::set<std::string> names;
  for (const Offer& offer : first) EXPECT_TRUE(names.insert(offer.configuration).second);
  ASSERT_GE(first.size(), 3u);
  EXPECT_THAT(first[0].configuration, StartsWith("x=any;w=any;y=any;"));
  EXPECT_GT(first[0].workspace, 0u);
  spec.x_memory = spec.w_memory = spec.y_memory = Memory::last;
  const std::vector<Offer> last = offers_of(*engine, test::build(spec));
  ASSERT_GE(last.size(), 2u);
  EXPECT_THAT(last[0].configuration, StartsWith("x=last;w=any;y=last;"));
}

// Without AVX-512, the only matrix product of oneDNN 3.2 is `gemm:jit`, which has a known fault. So
// the test is skipped there.
TEST(Onednn, RacesA1x1AsMatmulInBothLayouts) {
  if (dnnl::get_effective_cpu_isa() < dnnl::cpu_isa::avx512_core)
    GTEST_SKIP() << "oneDNN may not use AVX-512 here";
  const auto engine = make_onednn_engine();
  for (Direction direction :
       {Direction::forward, Direction::backward_data, Direction::backward_weight})
    for (Memory memory : {Memory::first, Memory::last, Memory::strided}) {
      Spec spec = resnet_layer();
      spec.direction = direction;
      spec.kernel = {1, 1, 1};
      spec.pad_low = spec.pad_high = {};
      spec.x_memory = spec.y_memory = memory;
      const Problem problem = test::build(spec);
      SCOPED_TRACE(test::label(problem));
      bool matmul = false;
      for (const Offer& offer : offers_of(*engine, problem))
        matmul |= offer.configuration.find("algorithm=matmul") != std::string::npos;
      const bool possible = memory == Memory::last ||
                            (memory == Memory::first && direction != Direction::backward_weight);
      EXPECT_EQ(matmul, possible);
      spec.stride = {2, 2, 1};
      for (const Offer& offer : offers_of(*engine, test::build(spec)))
        EXPECT_EQ(offer.configuration.find("algorithm=matmul"), std::string::npos);
    }
}

TEST(Onednn, KeepsToTheWorkspaceLimit) {
  const auto engine = make_onednn_engine();
  const Problem problem = test::build(resnet_layer());
  const std::vector<Offer> all = offers_of(*engine, problem);
  std::uint64_t least = all[0].workspace, most = 0;
  for (const Offer& offer : all) {
    least = std::min(least, offer.workspace);
    most = std::max(most, offer.workspace);
  }
  ASSERT_LT(least, most);
  Limits limits;
  limits.workspace = most - 1;
  const std::vector<Offer> fewer = offers_of(*engine, problem, limits);
  EXPECT_LT(fewer.size(), all.size());
  EXPECT_FALSE(fewer.empty());
  for (const Offer& offer : fewer) EXPECT_LE(offer.workspace, limits.workspace);
  limits.workspace = 0;
  std::string why_not;
  const bool none_fits = least > 0;
  EXPECT_EQ(engine->offers(problem, limits, why_not).empty(), none_fits);
  if (none_fits) {
    EXPECT_THAT(why_not, HasSubstr("workspace"));
  }
}

TEST(Onednn, RebuildsExactlyTheNamedImplementation) {
  const auto engine = make_onednn_engine();
  const Problem problem = test::build(resnet_layer());
  for (const Offer& offer : offers_of(*engine, problem)) {
    const auto again = make_onednn_engine()->prepare(problem, {}, offer.configuration);
    EXPECT_EQ(again->workspace_size(), offer.workspace) << offer.configuration;
  }
}

TEST(Onednn, RefusesConfigurationsItCannotBuildExactly) {
  const auto engine = make_onednn_engine();
  const Problem problem = test::build(resnet_layer());
  const std::string good = offers_of(*engine, problem)[0].configuration;
  const std::string start = good.substr(0, good.find("impl="));
  const auto status = [&](const std::string& configuration) {
    return status_of([&] { engine->prepare(problem, {}, configuration); });
  };
  ASSERT_EQ(status(good), Status::ok);
  EXPECT_EQ(status(""), Status::unsupported);
  EXPECT_EQ(status("direct"), Status::unsupported);
  EXPECT_EQ(status(start), Status::unsupported);
  EXPECT_EQ(status(start + "impl="), Status::unsupported);
  EXPECT_EQ(status(start + "impl=nonesuch:avx512_core"), Status::unsupported);
  EXPECT_EQ(status(good + ";"), Status::unsupported);
  EXPECT_EQ(status(good + " "), Status::unsupported);
  EXPECT_EQ(status(" " + good), Status::unsupported);
  EXPECT_EQ(status("x=blocked" + good.substr(5)), Status::unsupported);
  // Each part of this configuration is valid, but for this problem oneDNN has no implementation
  // with this combination.
  EXPECT_EQ(status("x=first;w=any;y=first;math=f32;algorithm=matmul;impl=brg:avx512_core"),
            Status::unsupported);
  // Both of the following configurations must be refused. The first one would compute in bf16,
  // although the operands have more bits. The second one would run oneDNN's slow reference
  // implementation.
  EXPECT_EQ(status("x=any;w=any;y=any;math=bf16;algorithm=direct;impl=jit_bf16:avx512_core_bf16"),
            Status::unsupported);
  EXPECT_EQ(status(start + "impl=ref:any"), Status::unsupported);
}

std::vector<std::string> implementations_of(const Engine& engine, const Problem& problem) {
  std::vector<std::string> names;
  for (const Offer& offer : offers_of(engine, problem))
    names.push_back(offer.configuration.substr(offer.configuration.find("impl=") + 5));
  return names;
}

// For these problems some implementations of oneDNN write beyond their scratchpad, which is too
// small (uxlfoundation/oneDNN#6035). The engine must not offer them.
TEST(Onednn, KeepsFromStrided1x1GradientsThatWriteBehindTheirScratchpad) {
  const auto engine = make_onednn_engine();
  Spec spec;
  spec.direction = Direction::backward_weight;
  spec.kernel = {1, 1, 1};
  spec.stride = {2, 2, 2};
  spec.batch = 8;
  spec.channels_in = 4;
  spec.channels_out = 8;
  spec.in = {32, 32, 32};
  for (int spatial = 1; spatial <= 2; ++spatial)
    for (const Memory memory : {Memory::first, Memory::last})
      for (const Dtype dtype : {Dtype::f32, Dtype::bf16}) {
        spec.spatial = spatial;
        spec.x_memory = spec.y_memory = memory;
        spec.x = spec.w = spec.y = dtype;
        const Problem problem = build(spec);
        SCOPED_TRACE(test::label(problem));
        test::Inputs inputs(problem, Fill::ternary, 1);
        const test::Expected expected(problem, inputs, Fill::ternary);
        const auto offers = offers_of(*engine, problem);
        EXPECT_FALSE(offers.empty());
        for (const Offer& offer : offers) {
          SCOPED_TRACE(offer.configuration);
          const auto prepared = engine->prepare(problem, {}, offer.configuration);
          test::Workspace workspace(prepared->workspace_size());
          GuardedBuffer output(problem.output());
          inputs.reset(output);
          prepared->execute(inputs.with_output(output.data()), workspace.data(), nullptr);
          EXPECT_EQ(workspace.violation(), "");
          EXPECT_EQ(expected.compare(output), "");
        }
        for (const char* name : {"jit_1x1:avx512_core", "jit_1x1:avx2", "jit_bf16_1x1:avx512_core"})
          EXPECT_EQ(status_of([&] {
                      engine->prepare(problem, {},
                                      "x=last;w=any;y=last;math=f32;algorithm=direct;impl=" +
                                          std::string(name));
                    }),
                    Status::unsupported);
      }
}

// In these problems no window reaches the last planes of x. The AMX kernels of oneDNN 3.2 do not
// write the gradient of these planes, so the engine must use other kernels.
TEST(Onednn, WritesWhatNoWindowReaches) {
  const auto engine = make_onednn_engine();
  Spec spec;
  spec.direction = Direction::backward_data;
  spec.spatial = 3;
  spec.batch = 2;
  spec.channels_in = spec.channels_out = 16;
  spec.in = {16, 16, 17};
  spec.stride = {2, 2, 2};
  for (const Memory memory : {Memory::first, Memory::last})
    for (const Dtype dtype : {Dtype::bf16, Dtype::f16}) {
      spec.x_memory = spec.y_memory = memory;
      spec.x = spec.w = spec.y = dtype;
      const Problem problem = build(spec);
      SCOPED_TRACE(test::label(problem));
      test::Inputs inputs(problem, Fill::ternary, 1);
      const test::Expected expected(problem, inputs, Fill::ternary);
      for (const Offer& offer : offers_of(*engine, problem)) {
        SCOPED_TRACE(offer.configuration);
        const auto prepared = engine->prepare(problem, {}, offer.configuration);
        test::Workspace workspace(prepared->workspace_size());
        GuardedBuffer output(problem.output());
        inputs.reset(output);
        prepared->execute(inputs.with_output(output.data()), workspace.data(), nullptr);
        EXPECT_EQ(workspace.violation(), "");
        EXPECT_EQ(expected.compare(output), "");
      }
    }
  const auto amx = static_cast<unsigned>(dnnl_cpu_isa_avx512_core_amx);
  if ((static_cast<unsigned>(dnnl_get_effective_cpu_isa()) & amx) != amx)
    GTEST_SKIP() << "no AMX on this processor: the kernels at fault were not among the offers";
}

// oneDNN's matrix product for f32 (gemm:jit) has the fault uxlfoundation/oneDNN#4845. So it is
// offered only if oneDNN has no other implementation for the problem. The test test_onednn_signals
// shows that this use is safe.
TEST(Onednn, TakesTheF32ProductWhereThereIsNothingElse) {
  if (const dnnl_version_t* const v = dnnl_version();
      v->major > 3 || v->minor > 11 || (v->minor == 11 && v->patch > 1))
    GTEST_SKIP() << "oneDNN " << v->major << "." << v->minor << "." << v->patch
                 << " has no such fault";
  const auto engine = make_onednn_engine();
  const auto is_product = [](const std::string& name) {
    return name.find("gemm:jit") != std::string::npos;
  };
  // a layer for which oneDNN also has implementations other than the matrix product
  Spec pointwise;
  pointwise.channels_in = 64;
  pointwise.channels_out = 128;
  pointwise.kernel = {1, 1, 1};
  for (const Memory memory : {Memory::first, Memory::last})
    for (const Direction direction :
         {Direction::forward, Direction::backward_data, Direction::backward_weight}) {
      pointwise.direction = direction;
      pointwise.x_memory = pointwise.y_memory = memory;
      const auto names = implementations_of(*engine, build(pointwise));
      EXPECT_FALSE(names.empty());
      EXPECT_TRUE(std::none_of(names.begin(), names.end(), is_product));
    }
  pointwise.x_memory = pointwise.y_memory = Memory::last;
  pointwise.direction = Direction::forward;
  try {
    engine->prepare(build(pointwise), {},
                    "x=last;w=any;y=last;math=f32;algorithm=direct;impl=x64:gemm:jit");
    ADD_FAILURE() << "was built";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::unsupported);
    EXPECT_THAT(error.what(), HasSubstr("uxlfoundation/oneDNN#4845"));
  }
  Spec sparse;  // a layer for which oneDNN 3.2 has no implementation other than the matrix product
  sparse.direction = Direction::backward_weight;
  sparse.channels_in = 38;
  sparse.channels_out = 17;
  sparse.in = {28, 28, 1};
  sparse.stride = {2, 2, 1};
  sparse.dilation = {2, 2, 1};
  sparse.pad_low = sparse.pad_high = {2, 2, 0};
  const Problem problem = build(sparse);
  const auto offers = offers_of(*engine, problem);
  ASSERT_FALSE(offers.empty());
  EXPECT_THAT(offers[0].configuration, HasSubstr("gemm:jit"));
  EXPECT_NE(engine->prepare(problem, {}, offers[0].configuration), nullptr);
}

// For problems like these, oneDNN would need minutes or gigabytes to list all of its
// implementations. So the engine asks oneDNN for fewer memory layouts and algorithms.
TEST(Onednn, OffersLittleForVastImagesAndLongRows) {
  const auto engine = make_onednn_engine();
  Spec spec;
  spec.channels_in = spec.channels_out = 8;
  spec.batch = 1;
  spec.x_memory = spec.w_memory = spec.y_memory = Memory::last;
  spec.kernel = {1, 1, 1};
  spec.in = {4096, 2048, 1};
  for (Direction direction : {Direction::forward, Direction::backward_data}) {
    spec.direction = direction;
    const auto offers = offers_of(*engine, build(spec));
    EXPECT_FALSE(offers.empty());
    for (const Offer& offer : offers)
      EXPECT_THAT(offer.configuration, HasSubstr("algorithm=matmul"));
  }
  spec.kernel = {1, 3, 1};
  spec.in = {1, (1 << 18) + 3, 1};
  for (Direction direction : {Direction::forward, Direction::backward_data}) {
    spec.direction = direction;
    const Problem problem = build(spec);
    const auto offers = offers_of(*engine, problem);
    ASSERT_EQ(offers.size(), 1U);
    EXPECT_NE(engine->prepare(problem, {}, offers[0].configuration), nullptr);
  }
  spec.in = {1, (1 << 24) + 3, 1};
  std::string why_not;
  EXPECT_TRUE(engine->offers(build(spec), {}, why_not).empty());
  EXPECT_THAT(why_not, HasSubstr("2^24"));
  EXPECT_EQ(status_of([&] {
              engine->prepare(build(spec), {},
                              "x=last;w=any;y=last;math=f32;algorithm=direct;impl=jit");
            }),
            Status::unsupported);
}

TEST(Onednn, DeclinesAnEmptyBatchWithAReason) {
  Spec spec;
  spec.batch = 0;
  std::string why_not;
  EXPECT_TRUE(make_onednn_engine()->offers(test::build(spec), {}, why_not).empty());
  EXPECT_THAT(why_not, HasSubstr("empty"));
}

TEST(Onednn, PrepackedWeightsGiveTheSameBitsAndAreCopied) {
  const auto engine = make_onednn_engine();
  for (Memory memory : {Memory::first, Memory::last, Memory::strided})
    for (std::int64_t kernel : {1, 3}) {
      Spec spec = resnet_layer();
      spec.x_memory = spec.w_memory = spec.y_memory = memory;
      spec.kernel = {kernel, kernel, 1};
      spec.pad_low = spec.pad_high = {kernel / 2, kernel / 2, 0};
      spec.epilogue = Epilogue::bias_relu;
      const Problem problem = test::build(spec);
      Limits limits;
      limits.constant_weights = true;
      for (const Offer& offer : offers_of(*engine, problem, limits)) {
        SCOPED_TRACE(offer.configuration);
        test::Inputs inputs(problem, Fill::normal, 5);
        GuardedBuffer plain(problem.y), packed(problem.y);
        const auto prepared = engine->prepare(problem, limits, offer.configuration);
        test::Workspace workspace(prepared->workspace_size());
        Operands operands = inputs.with_output(plain.data());
        prepared->execute(operands, workspace.data(), nullptr);
        prepared->set_weights(operands.w);
        // The prepared convolution has a copy of the weights, so overwriting them must have no
        // effect.
        fill_ternary(problem.w, operands.w, 99);
        operands.w = nullptr;
        operands.y = packed.data();
        prepared->execute(operands, workspace.data(), nullptr);
        EXPECT_EQ(packed.violation(), "");
        EXPECT_EQ(elements(problem.y, plain), elements(problem.y, packed));
      }
    }
}

TEST(Onednn, NeedsWeightsFromSomewhere) {
  const auto engine = make_onednn_engine();
  Spec spec = resnet_layer();
  const Problem problem = test::build(spec);
  test::Inputs inputs(problem, Fill::normal, 5);
  GuardedBuffer output(problem.y);
  const auto prepared = engine->prepare(problem, {}, offers_of(*engine, problem)[0].configuration);
  test::Workspace workspace(prepared->workspace_size());
  Operands operands = inputs.with_output(output.data());
  operands.w = nullptr;
  EXPECT_EQ(status_of([&] { prepared->execute(operands, workspace.data(), nullptr); }),
            Status::invalid_argument);
  spec.direction = Direction::backward_weight;
  const Problem gradient = test::build(spec);
  const auto weights = engine->prepare(gradient, {}, offers_of(*engine, gradient)[0].configuration);
  EXPECT_EQ(status_of([&] { weights->set_weights(output.data()); }), Status::invalid_argument);
}

TEST(Onednn, TakesAWorkspaceAndOperandsOfAnyAlignment) {
  const auto engine = make_onednn_engine();
  const Problem problem = test::build(resnet_layer());
  test::Inputs inputs(problem, Fill::ternary, 5);
  const test::Expected expected(problem, inputs, Fill::ternary);
  for (const Offer& offer : offers_of(*engine, problem)) {
    SCOPED_TRACE(offer.configuration);
    const auto prepared = engine->prepare(problem, {}, offer.configuration);
    test::Workspace workspace(prepared->workspace_size() + 3);
    Operands operands = inputs.with_output(nullptr);
    std::vector<float> x(static_cast<std::size_t>(problem.x.elements()) + 1);
    std::vector<float> y(static_cast<std::size_t>(problem.y.elements()) + 1);
    std::memcpy(x.data() + 1, operands.x, static_cast<std::size_t>(problem.x.span_bytes()));
    operands.x = x.data() + 1;
    operands.y = y.data() + 1;
    prepared->execute(operands, static_cast<char*>(workspace.data()) + 3, nullptr);
    EXPECT_FALSE(workspace.overrun());
    GuardedBuffer output(problem.y);
    std::memcpy(output.data(), y.data() + 1, static_cast<std::size_t>(problem.y.span_bytes()));
    EXPECT_EQ(expected.compare(output), "");
  }
}

// Finds a function of libgomp, which oneDNN has loaded. The test itself is not linked to libgomp.
template <typename F>
F* openmp(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
}

TEST(Onednn, LeavesOpenMpSettingsAlone) {
  auto* get_threads = openmp<int()>("omp_get_max_threads");
  auto* set_threads = openmp<void(int)>("omp_set_num_threads");
  auto* get_dynamic = openmp<int()>("omp_get_dynamic");
  auto* get_levels = openmp<int()>("omp_get_max_active_levels");
  if (!get_threads || !set_threads || !get_dynamic || !get_levels)
    GTEST_SKIP() << "oneDNN was built without OpenMP: there are no settings to leave alone";
  const int before = get_threads();
  for (int threads : {1, 3}) {
    set_threads(threads);
    const int dynamic = get_dynamic(), levels = get_levels();
    const auto engine = make_onednn_engine();
    Spec spec = resnet_layer();
    for (Direction direction :
         {Direction::forward, Direction::backward_data, Direction::backward_weight}) {
      spec.direction = direction;
      const Problem problem = test::build(spec);
      test::Inputs inputs(problem, Fill::ternary, 1);
      const test::Expected expected(problem, inputs, Fill::ternary);
      for (const Offer& offer : offers_of(*engine, problem)) {
        SCOPED_TRACE(offer.configuration);
        const auto prepared = engine->prepare(problem, {}, offer.configuration);
        test::Workspace workspace(prepared->workspace_size());
        GuardedBuffer output(problem.output());
        prepared->execute(inputs.with_output(output.data()), workspace.data(), nullptr);
        EXPECT_EQ(expected.compare(output), "");
      }
    }
    EXPECT_EQ(get_threads(), threads);
    EXPECT_EQ(get_dynamic(), dynamic);
    EXPECT_EQ(get_levels(), levels);
  }
  set_threads(before);
}

TEST(Onednn, PreparedObjectsOfOneEngineRunSideBySide) {
  const auto engine = make_onednn_engine();
  const Problem problem = test::build(resnet_layer());
  const std::vector<Offer> offers = offers_of(*engine, problem);
  std::vector<std::string> reasons(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < reasons.size(); ++i)
    threads.emplace_back([&, i] {
      test::Inputs inputs(problem, Fill::ternary, i);
      const test::Expected expected(problem, inputs, Fill::ternary);
      for (const Offer& offer : offers) {
        const auto prepared = engine->prepare(problem, {}, offer.configuration);
        test::Workspace workspace(prepared->workspace_size());
        GuardedBuffer output(problem.y);
        prepared->execute(inputs.with_output(output.data()), workspace.data(), nullptr);
        reasons[i] += expected.compare(output);
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& reason : reasons) EXPECT_EQ(reason, "");
}

}  // namespace
}  // namespace atc
