// Tests the structs that the library writes and the caller reads.
#include "client.hpp"
#include "support/temp_folder.hpp"

namespace {

void check_store() {
  const atc::test::TempFolder folder;
  atc_store* store = nullptr;
  EXPECT(atc_store_open(&store, folder.c_str(), ATC_STORE_READ) == ATC_OK);
  writes<atc_store_info>([&](atc_store_info* out) { return atc_store_describe(out, store); });
  atc_store_close(store);
}

void check_entries() {
  const atc::test::TempFolder folder;
  atc_store* store = nullptr;
  EXPECT(atc_store_open(&store, folder.c_str(), ATC_STORE_READ_WRITE) == ATC_OK);
  const std::string entry =
      R"({"key": {"environment": {}, "problem": {}}, "value": {"choice": {}}})";
  EXPECT(atc_store_put(store, entry.data(), entry.size(), nullptr) == ATC_OK);
  atc_store_entries* entries = nullptr;
  EXPECT(atc_store_read(&entries, store) == ATC_OK);
  writes<atc_store_entry>(
      [&](atc_store_entry* out) { return atc_store_entries_describe(out, entries, 0); });
  atc_store_entries_destroy(entries);
  atc_store_close(store);
}

void check_explanation(const atc_conv_problem* problem) {
  atc_explanation* explanation = nullptr;
  EXPECT(atc_conv_explain(&explanation, kCpu, problem, nullptr) == ATC_OK);
  writes<atc_explained>(
      [&](atc_explained* out) { return atc_explanation_describe(out, explanation); });
  writes<atc_entrant>(
      [&](atc_entrant* out) { return atc_explanation_entrant(out, explanation, 0); });
  atc_explanation_destroy(explanation);
}

}  // namespace

void check_written_structs() {
  writes<atc_settings>(atc_settings_get);
  writes<atc_cache_statistics>(atc_cache_stats);
  writes<atc_device_info>([](atc_device_info* out) { return atc_device_describe(out, kCpu); });
  writes<atc_library_info>([](atc_library_info* out) { return atc_library_describe(out, 0); });
  writes<atc_engine_info>([](atc_engine_info* out) { return atc_engine_describe(out, 0); });
  writes<atc_reproducible_report>(
      [](atc_reproducible_report* out) { return atc_set_reproducible(out, 1); });
  check_store();
  check_entries();

  Guarded<atc_conv_problem> problem;
  fill(problem.get());
  atc_conv_plan* plan = nullptr;
  EXPECT(atc_conv_plan_create(&plan, kCpu, problem.get(), nullptr) == ATC_OK);
  writes<atc_candidate>([&](atc_candidate* out) { return atc_conv_plan_candidate(out, plan, 0); });
  atc_conv_plan_destroy(plan);
  check_explanation(problem.get());

  atc_trace* trace = nullptr;
  EXPECT(atc_trace_start(nullptr) == ATC_OK);
  EXPECT(atc_trace_stop(&trace) == ATC_OK);
  writes<atc_trace_row>([&](atc_trace_row* out) { return atc_trace_row_get(out, trace, 0); });
  atc_trace_destroy(trace);
}
