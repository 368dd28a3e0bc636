// The steps of the test's scripted session (session.hpp) that call functions of a store.
#include <gmock/gmock.h>

#include "steps.hpp"

namespace atc_sweep {
namespace {

void open_with(Session& session, int entries) {
  session.open();
  for (int n = 1; n <= entries; ++n) session.put(n, "old");
}

void open_with_compiled(Session& session) {
  session.open();
  session.import(compiled_bundle(), {1, 2, 3}, "bundled", false);
  session.put(4, "mine");
}

void describe(Session& session) {
  if (session.store == nullptr) return;
  atc_store_info info = ATC_STORE_INFO_INIT;
  session.call("atc_store_describe", [&] { return atc_store_describe(&info, session.store); });
}

void read_all(Session& session) {
  const std::string list = session.list();
  for (const auto& [number, configuration] : listed(list))
    EXPECT_THAT(session.ledger.at(number).values, ::testing::Contains(configuration));
  std::uint64_t number = 0;
  session.call("atc_store_digest", [&] { return atc_store_digest(&number, session.store); });
  session.call("atc_store_provisional",
               [&] { return atc_store_provisional(&number, session.store); });
  describe(session);
}

// Exports the store, and checks that the bundle can be read completely.
void export_all(Session& session) {
  const std::string bundle = session.bundle();
  if (bundle.empty()) return;
  const void* const bundles[] = {bundle.data()};
  const std::size_t sizes[] = {bundle.size()};
  atc_bytes* merged = nullptr;
  disarm();
  EXPECT_EQ(atc_store_merge(&merged, bundles, sizes, 1, nullptr), ATC_OK) << atc_last_error();
  session.take(merged);
}

void merge(Session& session) {
  const std::string bundle = compiled_bundle();
  const void* const bundles[] = {bundle.data(), bundle.data()};
  const std::size_t sizes[] = {bundle.size(), bundle.size()};
  for (const std::int32_t trust : {ATC_OFF, ATC_ON}) {
    atc_store_merge_options options = ATC_STORE_MERGE_OPTIONS_INIT;
    options.trust_compiled = trust;
    atc_bytes* merged = nullptr;
    const bool done = session.call(
        "atc_store_merge", [&] { return atc_store_merge(&merged, bundles, sizes, 2, &options); });
    const std::string text = session.take(merged);
    EXPECT_TRUE(!done || trust == ATC_OFF || text == bundle) << text;
  }
}

void verify(Session& session) {
  atc_bytes* lines = nullptr;
  session.call("atc_store_verify", [&] { return atc_store_verify(&lines, session.store); });
  // atc_store_verify may only name damaged files if the fault has made a file unreadable.
  const std::string text = session.take(lines);
  EXPECT_TRUE(text.empty() || last_hit()[0] != '\0') << text;
}

}  // namespace

const std::vector<Step>& store_steps() {
  static const std::vector<Step> steps = {
      {"Open",
       {},
       [](Session& session) {
         session.open();
         describe(session);
         session.close();
       }},
      {"FirstEntry",
       {},
       [](Session& session) {
         session.open();
         session.put(1, "new");
         session.list();
         session.close();
       }},
      {"OpenAgain",
       [](Session& session) {
         open_with_compiled(session);
         session.close();
       },
       [](Session& session) {
         session.open();
         describe(session);
       }},
      {"Put", [](Session& session) { open_with(session, 1); },
       [](Session& session) {
         session.put(1, "new");
         session.put(2, "new");
         session.put_provisional(1, "worse");
         session.put_provisional(3, "first");
       }},
      {"Read", [](Session& session) { open_with(session, 3); }, read_all},
      {"Export", open_with_compiled, export_all},
      {"Import",
       [](Session& session) {
         session.open();
         session.put(2, "mine");
       },
       [](Session& session) {
         session.import(compiled_bundle(), {1, 2, 3}, "bundled", false);
       }},
      {"ImportOver",
       [](Session& session) {
         session.open();
         session.put(2, "mine");
       },
       [](Session& session) {
         session.import(compiled_bundle(), {1, 2, 3}, "bundled", true);
       }},
      {"Merge", {}, merge},
      {"Verify", open_with_compiled, verify},
      {"Prune",
       [](Session& session) {
         open_with_compiled(session);
         session.put(5, "newest");
       },
       [](Session& session) {
         session.prune(2, {4, 5});
       }},
      {"Remove", open_with_compiled,
       [](Session& session) {
         session.remove(1);
         session.remove(4);
         session.remove(7);
       }},
  };
  return steps;
}

}  // namespace atc_sweep
