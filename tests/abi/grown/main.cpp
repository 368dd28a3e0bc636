// Tests the promises of docs/abi.md about structs that grow. Usage: "client older" or "client
// newer". The argument names the library on which the program runs. The exit status is 0 if all
// promises hold.
#include <vector>

#include "client.hpp"
#include "support/temp_folder.hpp"

namespace {

void check_init() {
  Guarded<atc_conv_problem> problem;
  fill(problem.get());
  EXPECT(problem->struct_size == sizeof(atc_conv_problem));
  EXPECT(problem->y_strides[4] == 0);
#ifdef ATC_CLIENT_IS_NEWER
  EXPECT(problem->appended == 0);
#endif
  EXPECT(atc_conv_operand_shape(nullptr, nullptr, problem.get(), ATC_OPERAND_X) == ATC_OK);
}

int32_t watch(const atc_tune_progress* progress, void* calls) {
  EXPECT(progress->struct_size == library_size<atc_tune_progress>());
  EXPECT(progress->problems == 3 && progress->description != nullptr);
  ++*static_cast<int*>(calls);
  return 0;
}

// Tunes the problems in a group (processes, called ranks, that tune together through a folder).
// This process is the only rank of the group.
template <typename Problems>
void tune_in_a_group(const Problems& problems) {
  const atc::test::TempFolder folder;
  atc_group opened{};
  writes<atc_group>([&](atc_group* out) {
    const atc_status status = atc_group_open_folder(out, folder.path().c_str(), 0, 1, "client");
    opened = *out;
    return status;
  });
  Guarded<atc_group> group;
  group.set(opened);
  group->struct_size = sizeof(atc_group);
  atc_tune_options options = ATC_TUNE_OPTIONS_INIT;
  options.group = group.get();
  atc_tune_report* report = nullptr;
  const auto tune = [&] {
    atc_tune_report_destroy(report);
    report = nullptr;
    return atc_tune(&report, kCpu, problems.data(), problems.size(), &options, nullptr, nullptr);
  };
  reads("atc_group", group, tune);
  // The previous call may have been refused, and then it has made no report. So this call tunes
  // once more.
  EXPECT(tune() == ATC_OK);
  writes<atc_agreement>([&](atc_agreement* out) { return atc_tune_report_agreement(out, report); });
  writes<atc_agreement_class>(
      [&](atc_agreement_class* out) { return atc_tune_report_class(out, report, 0); });
  atc_tune_report_destroy(report);
  atc_group_close(&opened);
}

// Checks that the library reads an array of structs with the size that the struct has in the
// caller's headers, and not with the size in the library's headers.
void check_array() {
  std::vector<atc_conv_problem> problems(3);
  for (std::size_t i = 0; i < problems.size(); ++i) {
    fill(&problems[i]);
    problems[i].batch = static_cast<std::int64_t>(i) + 1;
  }
  Guarded<atc_tune_options> options;
  options.set(atc_tune_options{});
  options->struct_size = sizeof(atc_tune_options);
  options->problem_budget_seconds = 0.05;
  reads("atc_tune_options", options, [&] {
    return atc_tune(nullptr, kCpu, problems.data(), problems.size(), options.get(), nullptr,
                    nullptr);
  });

  atc_tune_report* report = nullptr;
  int calls = 0;
  options->retune = ATC_ON;
  EXPECT(atc_tune(&report, kCpu, problems.data(), problems.size(), options.get(), watch, &calls) ==
         ATC_OK);
  EXPECT(calls > 0);
  std::string before;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    writes<atc_tuned_problem>([&](atc_tuned_problem* out) {
      const atc_status status = atc_tune_report_problem(out, report, i);
      EXPECT(out->status == ATC_OK && out->description != before);
      before = out->description;
      return status;
    });
    writes<atc_candidate>(
        [&](atc_candidate* out) { return atc_tune_report_candidate(out, report, i, 0); });
  }
  atc_tune_report_destroy(report);
  tune_in_a_group(problems);
#ifdef ATC_CLIENT_IS_NEWER
  problems[2].appended = 1;
  if (!library_is_newer) {
    EXPECT(atc_tune(nullptr, kCpu, problems.data(), problems.size(), nullptr, nullptr, nullptr) ==
           ATC_ERROR_INVALID_ARGUMENT);
    EXPECT(error_names({"problems[2]", "atc_conv_problem"}));
  }
  problems[2].appended = 0;
#endif
  problems[1].struct_size += kAppended;
  EXPECT(atc_tune(nullptr, kCpu, problems.data(), problems.size(), nullptr, nullptr, nullptr) ==
         ATC_ERROR_INVALID_ARGUMENT);
  EXPECT(error_names({"problems[1]", std::to_string(sizeof(atc_conv_problem))}));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  library_is_newer = std::string(argv[1]) == "newer";
  check_init();
  check_array();
  check_read_structs();
  check_written_structs();
  check_callbacks();
  return failures == 0 ? 0 : 1;
}
