#include "group_job.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <set>
#include <thread>

#include "conv_call.hpp"
#include "own_extensions.hpp"

namespace atc_test {

namespace {

constexpr int kConfigurations = 4;

const RankScript* running = nullptr;
bool tunes_together = false;
std::size_t executions = 0;

// Returns a pointwise problem with one channel. The engine of these tests supports it, so there is
// a race in every build.
atc_conv_problem pointwise(std::int64_t width) {
  atc_conv_problem problem;
  atc_conv_problem_init(&problem, 2);
  problem.batch = 1;
  problem.in_channels = problem.out_channels = 1;
  problem.input[0] = 64;
  problem.input[1] = width;
  problem.kernel[0] = problem.kernel[1] = 1;
  return problem;
}

struct Prepared {
  std::int64_t elements;
  bool is_fast;
};

// Returns an engine that computes y = w * x. It has several configurations, of which one is fast.
atc_engine engine_of(const RankScript& script) {
  atc_engine engine{};
  engine.struct_size = sizeof(engine);
  engine.device_type = ATC_DEVICE_CPU;
  engine.name = "own";
  engine.version = script.engine_version.c_str();
  engine.offers = [](void*, const atc_conv_problem* problem, const atc_engine_limits*,
                     atc_offer_callback offer, void* payload) -> atc_status {
    if (problem->in_channels != 1 || problem->kernel[0] != 1) return ATC_OK;
    for (int i = 0; i < kConfigurations; ++i) {
      const std::string name = "loop" + std::to_string(i);
      atc_engine_offer made{};
      made.struct_size = sizeof(made);
      made.configuration = name.c_str();
      if (const atc_status status = offer(&made, payload); status != ATC_OK) return status;
    }
    return ATC_OK;
  };
  engine.prepare = [](void** prepared, void*, const atc_conv_problem* problem,
                      const atc_engine_limits*, const char* configuration) -> atc_status {
    if (running->prepare_fails) return ATC_ERROR_UNSUPPORTED;
    const std::string fast = "loop" + std::to_string(running->fast % kConfigurations);
    *prepared =
        new Prepared{problem->batch * problem->input[0] * problem->input[1], fast == configuration};
    return ATC_OK;
  };
  engine.execute = [](void*, void* prepared, atc_engine_operands* operands) -> atc_status {
    ++executions;
    if (tunes_together && running->in_race) running->in_race();
    const auto& own = *static_cast<Prepared*>(prepared);
    if (!own.is_fast) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const auto* const x = static_cast<const float*>(operands->x);
    auto* const y = static_cast<float*>(operands->y);
    const float w = *static_cast<const float*>(operands->w) + (running->wrong_results ? 1.0F : 0);
    for (std::int64_t i = 0; i < own.elements; ++i) y[i] = w * x[i];
    return ATC_OK;
  };
  engine.release = [](void*, void* prepared) { delete static_cast<Prepared*>(prepared); };
  return engine;
}

// A group (the processes that tune together) that communicates through a folder. The group calls
// the functions `before` and `after` of a rank's script, by which a test can observe the group's
// operations and can make them fail.
struct Watched {
  const RankScript& script;
  atc_group folder;

  bool may(const char* what, const char* key) const {
    return !script.before || script.before(what, key);
  }
  void done(const char* what, const char* key) const {
    if (script.after) script.after(what, key);
  }
  static const Watched& of(void* user) { return *static_cast<const Watched*>(user); }
};

atc_group watched(Watched& watched) {
  atc_group group = watched.folder;
  group.bound_seconds = watched.script.bound;
  group.user = &watched;
  group.destroy = nullptr;
  group.create = [](void* user, const char* key, const void* value, std::size_t size,
                    atc_group_answer answer, void* payload) -> atc_status {
    const Watched& own = Watched::of(user);
    if (!own.may("create", key)) return ATC_ERROR_DEVICE;
    const atc_status status = own.folder.create(own.folder.user, key, value, size, answer, payload);
    own.done("create", key);
    return status;
  };
  group.get = [](void* user, const char* key, double seconds, atc_group_answer answer,
                 void* payload) -> atc_status {
    const Watched& own = Watched::of(user);
    if (!own.may("get", key)) return ATC_ERROR_DEVICE;
    const atc_status status = own.folder.get(own.folder.user, key, seconds, answer, payload);
    own.done("get", key);
    return status;
  };
  return group;
}

atc_allocator failing_allocator() {
  atc_allocator allocator = ATC_SIZED(atc_allocator);
  allocator.alloc = [](void*, std::uint64_t, atc_device, atc_stream) -> void* { return nullptr; };
  allocator.free = [](void*, void*, atc_device, atc_stream) {};
  return allocator;
}

class Teller {
 public:
  explicit Teller(const std::string& path) : out_(path, std::ios::app) {}
  void tell(const std::string& word, const std::string& rest) {
    out_ << word << ' ' << rest << std::endl;
  }
  void tell_report(atc_tune_report* report) {
    std::size_t count = 0;
    std::size_t measured = 0;
    if (report == nullptr || atc_tune_report_count(&count, report) != ATC_OK) return;
    for (std::size_t i = 0; i < count; ++i) {
      atc_tuned_problem row = ATC_TUNED_PROBLEM_INIT;
      if (atc_tune_report_problem(&row, report, i) != ATC_OK) continue;
      if (row.executions > 0) ++measured;
      tell("row", std::string(atc_status_name(row.status)) + " " + atc_source_name(row.source) +
                      " " + row.choice + " | " + row.why);
    }
    tell("measured", std::to_string(measured));
    atc_agreement agreement = ATC_AGREEMENT_INIT;
    if (atc_tune_report_agreement(&agreement, report) != ATC_OK) return;
    tell("digest", agreement.digest);
    tell("classes", std::to_string(agreement.classes));
    for (std::size_t i = 0; i < agreement.classes; ++i) {
      atc_agreement_class one = ATC_AGREEMENT_CLASS_INIT;
      if (atc_tune_report_class(&one, report, i) == ATC_OK) tell("differences", one.differences);
    }
  }

 private:
  std::ofstream out_;
};

atc_tune_options measuring(const RankScript& script) {
  atc_tune_options options = ATC_TUNE_OPTIONS_INIT;
  // The budget of a race in seconds. It is so long that it never ends the race, even on a busy
  // machine.
  options.problem_budget_seconds = 20;
  options.technique = ATC_TECHNIQUE_ONCE;
  if (script.own_engine_alone) options.engines_allowed = "own,reference";
  return options;
}

void tell_eager(Teller& teller, const RankScript& script) {
  executions = 0;
  for (const std::int64_t width : script.widths) {
    const atc_conv_problem problem = pointwise(width);
    atc_conv_options options = ATC_CONV_OPTIONS_INIT;
    options.tune = ATC_TUNE_LATER;
    if (script.eager_tunes) atc_option_enable(&options.tune);
    atc_conv_plan* plan = nullptr;
    if (atc_conv_plan_acquire(&plan, kCpu, &problem, &options, nullptr) != ATC_OK) {
      teller.tell("eager", atc_last_error());
      continue;
    }
    const char* choice = nullptr;
    std::int32_t source = 0;
    atc_conv_plan_choice(&choice, plan);
    atc_conv_plan_source(&source, plan);
    teller.tell("eager", std::string(atc_source_name(source)) + " " + choice);
    atc_conv_plan_release(plan);
  }
  teller.tell("executed", std::to_string(executions));
}

std::int32_t cancel(const atc_tune_progress*, void*) { return 1; }

}  // namespace

void run_rank(const RankScript& script, const std::string& told) {
  running = &script;
  Teller teller(told);
  const auto must = [&](atc_status status) {
    if (status != ATC_OK) teller.tell("trouble", atc_last_error());
  };
  const atc_engine engine = engine_of(script);
  if (!script.is_second) must(atc_engine_register(&engine));
  if (!script.store.empty()) {
    atc_store* store = nullptr;
    must(atc_store_open(&store, script.store.c_str(), ATC_STORE_READ_WRITE));
    must(atc_store_use(store));
    atc_store_close(store);
  }
  if (!script.pins.empty()) must(atc_set_pins(script.pins.c_str()));
  atc_tune_options options = measuring(script);
  std::vector<atc_conv_problem> problems;
  for (const std::int64_t width : script.warm) problems.push_back(pointwise(width));
  if (!problems.empty())
    must(atc_tune(nullptr, kCpu, problems.data(), problems.size(), &options, nullptr, nullptr));
  problems.clear();
  for (const std::int64_t width : script.widths) problems.push_back(pointwise(width));
  Watched state{script, ATC_GROUP_INIT};
  if (script.open)
    state.folder = script.open(script);
  else
    must(atc_group_open_folder(&state.folder, script.folder.c_str(), script.rank, script.size,
                               script.prefix.c_str()));
  const atc_group group = watched(state);
  const atc_allocator allocator = failing_allocator();
  options.group = &group;
  if (script.deterministic) options.deterministic = ATC_ON;
  if (script.no_memory) options.allocator = &allocator;
  atc_tune_report* report = nullptr;
  tunes_together = true;
  const atc_status status = atc_tune(&report, kCpu, problems.data(), problems.size(), &options,
                                     script.cancels ? cancel : nullptr, nullptr);
  tunes_together = false;
  teller.tell("status", atc_status_name(status));
  if (status != ATC_OK) teller.tell("text", atc_last_error());
  teller.tell_report(report);
  atc_tune_report_destroy(report);
  atc_group_close(&state.folder);
  tell_eager(teller, script);
  if (script.again) script.again();
}

std::vector<Told> run_job(const std::vector<RankScript>& scripts, const std::string& folder) {
  static int jobs = 0;
  ++jobs;
  std::vector<std::pair<pid_t, std::string>> children;
  for (const RankScript& script : scripts) {
    const std::string told =
        folder + "/told-" + std::to_string(jobs) + "-" + std::to_string(script.rank);
    const pid_t child = fork();
    if (child == 0) {
      // If the process hangs, this signal kills it after 240 seconds and the test fails.
      alarm(240);
      run_rank(script, told);
      _exit(0);
    }
    children.emplace_back(child, told);
  }
  std::vector<Told> all;
  for (const auto& [child, path] : children) {
    int ended = 0;
    waitpid(child, &ended, 0);
    Told one;
    one.signal = WIFSIGNALED(ended) ? WTERMSIG(ended) : 0;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
      const std::size_t space = line.find(' ');
      one.lines.emplace(line.substr(0, space), line.substr(std::min(line.size(), space + 1)));
    }
    for (const std::string& trouble : one.all("trouble")) ADD_FAILURE() << trouble;
    EXPECT_NE(one.signal, SIGALRM) << "a rank waits for ever";
    all.push_back(std::move(one));
  }
  return all;
}

void expect_agreed(const std::vector<Told>& all) {
  std::set<std::string> digests;
  std::set<std::vector<std::string>> eager;
  for (const Told& one : all) {
    if (one.signal == SIGKILL) continue;
    EXPECT_EQ(one.status(), "ATC_OK") << one.one("text");
    digests.insert(one.one("digest"));
    eager.insert(one.all("eager"));
  }
  EXPECT_THAT(digests, testing::SizeIs(1));
  EXPECT_THAT(eager, testing::SizeIs(1)) << "calls of the ranks run different choices";
  EXPECT_NE(*digests.begin(), "");
}

std::size_t measured(const std::vector<Told>& all) {
  std::size_t count = 0;
  for (const Told& one : all) count += std::stoul("0" + one.one("measured"));
  return count;
}

std::vector<RankScript> job_of(std::uint32_t size, const std::string& folder,
                               const std::vector<std::int64_t>& widths) {
  std::vector<RankScript> scripts(size);
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    scripts[rank].rank = rank;
    scripts[rank].size = size;
    scripts[rank].folder = folder;
    scripts[rank].widths = widths;
    scripts[rank].fast = static_cast<int>(rank);
  }
  return scripts;
}

bool is_first(const std::string& folder, const std::string& name, std::uint32_t rank) {
  const std::string path = folder + "/" + name;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return false;
  const std::string text = std::to_string(rank);
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(file);
  return written;
}

int first_of(const std::string& folder, const std::string& name) {
  std::ifstream in(folder + "/" + name);
  int rank = -1;
  in >> rank;
  return in ? rank : -1;
}

}  // namespace atc_test
