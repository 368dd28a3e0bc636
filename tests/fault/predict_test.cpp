// Tests ATC_TUNE_PREDICT: the choice of a call on CUDA is predicted from earlier races (timings of
// the candidates of other problems). Libraries of the tests replace CUDA's driver and cuDNN.
#include <limits>
#include <string>

#include "fault/support.hpp"

namespace atc::fault {
namespace {

// The number of earlier races in the store. After so many races, their results have more weight in
// a prediction than the assumptions that atc makes without any results.
constexpr std::int64_t kRaces = 16;

atc_conv_options predicting() {
  atc_conv_options options = ATC_CONV_OPTIONS_INIT;
  options.tune = ATC_TUNE_PREDICT;
  options.allow_tf32 = ATC_OFF;
  return options;
}

atc_conv_problem wider_by(std::int64_t columns) {
  atc_conv_problem problem = tiny_problem();
  problem.input[1] += columns;
  return problem;
}

// A store with the results of races (timings of candidates). In these races the engine kFastest
// took half of the time of the default engine. The store is closed and opened again, as if another
// process had made it.
class Taught {
 public:
  Taught() {
    open();
    atc_tune_options options = cudnn_alone();
    options.allow_tf32 = ATC_OFF;
    // A race on a busy machine might leave out candidates because their measurement is too
    // expensive, or might end early. The next two options prevent this.
    options.expected_calls = std::numeric_limits<double>::infinity();
    options.problem_budget_seconds = 60;
    options.technique = ATC_TECHNIQUE_ONCE;
    for (std::int64_t i = 0; i < kRaces; ++i) {
      const Tuned tuned = tune(wider_by(100 * (i + 1)), options);
      EXPECT_EQ(tuned.choice, choice_of(kFastest)) << tuned.why;
    }
    close();
    open();
    EXPECT_DONE(atc_cache_clear());
  }
  ~Taught() { close(); }
  Taught(const Taught&) = delete;
  Taught& operator=(const Taught&) = delete;

  std::uint64_t entries() const {
    atc_store_info info{};
    info.struct_size = sizeof(info);
    EXPECT_DONE(atc_store_describe(&info, store_));
    return info.entries;
  }

 private:
  void open() {
    EXPECT_DONE(atc_store_open(&store_, folder_.path().c_str(), ATC_STORE_READ_WRITE));
    EXPECT_DONE(atc_store_use(store_));
  }
  void close() {
    EXPECT_DONE(atc_store_use(nullptr));
    atc_store_close(store_);
  }

  const test::TempFolder folder_;
  atc_store* store_ = nullptr;
};

TEST(Predict, ACallRunsTheCandidateThatWasFastestElsewhere) {
  on_machine(usual_script(), [] {
    const Taught taught;
    Layer layer(tiny_problem());
    atc_conv_options off = predicting();
    off.tune = ATC_OFF;
    EXPECT_EQ(used(layer, off).choice, choice_of(kFirst));
    for (int i = 0; i < 3; ++i) {
      const Used now = used(layer, predicting());
      EXPECT_EQ(now.source, ATC_SOURCE_PREDICTED);
      EXPECT_EQ(now.choice, choice_of(kFastest));
    }
    layer.expect_right();
    EXPECT_EQ(taught.entries(), static_cast<std::uint64_t>(kRaces)) << "a prediction is not stored";
  });
}

TEST(Predict, ASimulatedDeviceIsNotOneThatTheLibraryKnows) {
  on_machine(usual_script(), [] {
    Layer layer(tiny_problem());
    const Used now = used(layer, predicting());
    EXPECT_EQ(now.source, ATC_SOURCE_DEFAULT);
    EXPECT_EQ(now.choice, choice_of(kFirst));
    layer.expect_right();
  });
}

TEST(Predict, ACapturedCallRunsThePredictedChoiceOnceAnotherCallHasCheckedIt) {
  on_machine(usual_script(), [] {
    const Taught taught;
    Layer layer(tiny_problem());
    const atc_conv_options options = predicting();
    used(layer, [] {
      atc_conv_options off = predicting();
      off.tune = ATC_OFF;
      return off;
    }());  // This call loads the kernels. A call in a capture cannot load kernels.
    machine().script.captures[nullptr] = 1;
    const Used captured = used(layer, options);
    EXPECT_EQ(captured.source, ATC_SOURCE_DEFAULT);
    EXPECT_EQ(captured.choice, choice_of(kFirst));
    machine().script.captures.clear();
    machine().graphs.destroy(1);
    EXPECT_EQ(used(layer, options).choice, choice_of(kFastest)) << "the plan was not kept";
    machine().script.captures[nullptr] = 2;
    EXPECT_EQ(used(layer, options).choice, choice_of(kFastest));
    machine().script.captures.clear();
    machine().graphs.destroy(2);
    EXPECT_DONE(atc_cache_clear());
  });
}

}  // namespace
}  // namespace atc::fault
