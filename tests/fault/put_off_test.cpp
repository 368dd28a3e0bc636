// A call in a stream capture cannot measure. So a race (the timing of the candidates) that is due
// at this call has to be postponed. Whatever decision the call uses, the next call outside of a
// capture must make the race.
#include <string>

#include "fault/support.hpp"

namespace atc::fault {
namespace {

std::int32_t source_of(const atc_conv_problem& problem, const atc_conv_options& options) {
  atc_conv_plan* plan = nullptr;
  EXPECT_DONE(atc_conv_plan_acquire(&plan, kCuda, &problem, &options, nullptr));
  std::int32_t source = 0;
  EXPECT_DONE(atc_conv_plan_source(&source, plan));
  atc_conv_plan_release(plan);
  return source;
}

std::uint64_t put_off() {
  atc_cache_statistics statistics = ATC_CACHE_STATISTICS_INIT;
  EXPECT_DONE(atc_cache_stats(&statistics));
  return statistics.put_off;
}

// Expects that a captured call uses a decision whose source is `source`, and that the next call
// outside of a capture measures.
void expect_put_off(const atc_conv_problem& problem, const atc_conv_options& options,
                    std::int32_t source) {
  ASSERT_DONE(atc_set_benchmark_cudnn(1));
  machine().script.captures[nullptr] = 1;
  EXPECT_EQ(source_of(problem, options), source);
  EXPECT_EQ(put_off(), 1u);
  machine().script.captures.clear();
  EXPECT_EQ(source_of(problem, options), ATC_SOURCE_TUNED);

  machine().script.captures[nullptr] = 1;
  EXPECT_THAT(source_of(problem, options), testing::AnyOf(ATC_SOURCE_TUNED, ATC_SOURCE_RECORD));
  EXPECT_EQ(put_off(), 1u) << "nothing is due any more";
  machine().script.captures.clear();
}

atc_conv_options unhurried() {
  atc_conv_options options = ATC_CONV_OPTIONS_INIT;
  // a decision that is made with this technique is never provisional
  options.technique = ATC_TECHNIQUE_ONCE;
  // The budget of a race (the timing of the candidates), in seconds. It is so long that no race
  // reaches it, even on a busy machine.
  options.budget_seconds = 1000;
  return options;
}

TEST(PutOff, IsARaceInWhosePlaceTheNearestBatchDecides) {
  on_machine(usual_script(), [] {
    const OpenStore store;
    atc_conv_problem problem = tiny_problem();
    problem.batch = 2;
    ASSERT_EQ(tune(problem, cudnn_alone()).choice, choice_of(kFastest));
    problem.batch = 4;
    expect_put_off(problem, unhurried(), ATC_SOURCE_INHERITED);
  });
}

TEST(PutOff, IsARaceOfTheRecordAgainstNewcomers) {
  on_machine(usual_script(), [] {
    const OpenStore store;
    ASSERT_EQ(tune(tiny_problem(), cudnn_alone()).choice, choice_of(kFastest));
    expect_put_off(tiny_problem(), unhurried(), ATC_SOURCE_RECORD);
  });
}

TEST(PutOff, IsAnotherRaceOfAProvisionalRecordWithMoreBudget) {
  on_machine(usual_script(), [] {
    const OpenStore store;
    const atc_conv_problem problem = tiny_problem();
    const atc_conv_options options = unhurried();
    ASSERT_DONE(atc_set_benchmark_cudnn(1));
    atc_store* open = nullptr;
    ASSERT_DONE(atc_store_open(&open, store.folder().c_str(), ATC_STORE_READ_WRITE));
    // This call uses a store that only its options name. So its decision is not kept in the memory
    // of the process.
    atc_conv_options apart = options;
    apart.store = open;
    ASSERT_EQ(source_of(problem, apart), ATC_SOURCE_TUNED);
    atc_bytes* bytes = nullptr;
    ASSERT_DONE(atc_store_get(&bytes, open, kCuda, &problem, &options));
    std::string entry(atc_bytes_data(bytes), atc_bytes_size(bytes));
    atc_bytes_destroy(bytes);
    ASSERT_DONE(atc_store_remove(nullptr, open, entry.data(), entry.size()));
    entry = "{" + entry.substr(entry.find("\"key\":"));
    const std::string value = "\"value\":{";
    entry.insert(entry.find(value) + value.size(),
                 R"("provisional":{"risk":0.07,"why":"too noisy","budget":60},)");
    ASSERT_DONE(atc_store_put(open, entry.data(), entry.size(), nullptr));
    atc_store_close(open);
    expect_put_off(problem, options, ATC_SOURCE_RECORD);
  });
}

// A captured call that is not tuned runs the default candidate without a check of its results. The
// next call outside of a capture must check this candidate.
TEST(PutOff, IsTheCheckOfADefault) {
  Script script = usual_script();
  engine(script, kFirst).deed = Deed::leaves_one;
  on_machine(script, [] {
    const atc_conv_problem problem = tiny_problem();
    const auto choice = [&] {
      atc_conv_plan* plan = nullptr;
      EXPECT_DONE(atc_conv_plan_acquire(&plan, kCuda, &problem, nullptr, nullptr));
      const char* text = "";
      EXPECT_DONE(atc_conv_plan_choice(&text, plan));
      std::string copy = text;
      atc_conv_plan_release(plan);
      return copy;
    };
    machine().script.captures[nullptr] = 1;
    EXPECT_EQ(choice(), choice_of(kFirst));
    EXPECT_EQ(put_off(), 0u) << "no race is due";
    machine().script.captures.clear();
    EXPECT_EQ(choice(), choice_of(kFastest));
  });
}

}  // namespace
}  // namespace atc::fault
