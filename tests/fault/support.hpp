// Helpers for tests with stand-ins: libraries that replace CUDA's driver and cuDNN. Also makes a
// small layer on the simulated device.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "capi/cuda_calls.hpp"
#include "fault/machine/machine.hpp"
#include "support/temp_folder.hpp"

namespace atc::fault {

using atc_test::kCuda;

// Runs `check` with the stand-ins (libraries that replace CUDA's driver and cuDNN) in `folders`,
// and with a new simulated machine that follows this script. The test fails if `check` uses a
// stand-in wrongly, or leaves objects other than handles and cached plans. Call this function at
// most once in a test. A process loads its libraries only once. So if the program runs several
// tests, `check` runs in a child process. If the program runs only one test, `check` runs in this
// process, in which a sanitizer finds leaks.
void with_libraries(const std::string& folders, const Script& script,
                    const std::function<void()>& check);
// Like with_libraries(), with the usual libraries that replace cuDNN and CUDA's driver.
void on_machine(const Script& script, const std::function<void()>& check);
// Runs `check` in a child process, with the libraries that replace CUDA's driver and cuDNN. A test
// may call this function several times.
void on_each_machine(const Script& script, const std::function<void()>& check);

// The indices of three cuDNN engines with right results: the engine that cuDNN proposes first, the
// fastest engine, and an engine that only the mode "fallback" of cuDNN's heuristics proposes.
constexpr std::int64_t kFirst = 3, kFastest = 5, kFallback = 8;
Script usual_script();
Engine& engine(Script& script, std::int64_t index);
// Returns the text that names the choice of cuDNN's engine `index`, with the version of cuDNN in
// usual_script().
std::string choice_of(std::int64_t index);

// A layer that is so small that tuning it hundreds of times takes a second. The sums of its data
// are exact, in whatever order they are added.
struct Layer {
  explicit Layer(const atc_conv_problem& problem);

  atc_status eager() { return call.eager(); }
  // Makes a plan for the layer with the given choice, executes the plan and destroys it.
  atc_status run(const std::string& choice);
  void unwrite();
  void expect_right();

  atc_test::Call call;
  std::vector<float> expected;
};
atc_conv_problem tiny_problem();

// Makes a new store (folder of decisions) that atc uses as long as this object exists. The
// destructor removes the folder.
class OpenStore {
 public:
  OpenStore() {
    EXPECT_DONE(atc_store_open(&store_, folder_.c_str(), ATC_STORE_READ_WRITE));
    EXPECT_DONE(atc_store_use(store_));
  }
  ~OpenStore() {
    EXPECT_DONE(atc_store_use(nullptr));
    atc_store_close(store_);
  }
  OpenStore(const OpenStore&) = delete;
  OpenStore& operator=(const OpenStore&) = delete;

  const std::filesystem::path& folder() const { return folder_.path(); }
  const atc_store* get() const { return store_; }
  std::uint64_t entries() const {
    atc_store_info info{};
    info.struct_size = sizeof(info);
    EXPECT_DONE(atc_store_describe(&info, store_));
    return info.entries;
  }

 private:
  const test::TempFolder folder_;
  atc_store* store_ = nullptr;
};

// The way in which one eager call ran: the source of its decision, and the choice that ran.
struct Used {
  std::int32_t source = 0;
  std::string choice;
};
Used used(Layer& layer, const atc_conv_options& options);

struct Candidate {
  std::int32_t outcome = 0;
  std::string configuration, notes, reason;
};

// The result of a call of atc_tune for one problem: its status, the choice and the candidates.
struct Tuned {
  atc_status status = ATC_OK;
  std::int32_t source = 0;
  std::uint32_t flags = 0;
  std::uint64_t memory_bytes = 0;
  std::string choice, why;
  std::vector<Candidate> candidates;

  // Returns the timed candidate of cuDNN's engine `index`. If there is none, the test fails.
  const Candidate& of(std::int64_t index) const;
  bool has(std::int64_t index) const;
};

// Returns options under which only cuDNN's engines are timed.
atc_tune_options cudnn_alone();
Tuned tune(const atc_conv_problem& problem, const atc_tune_options& options);

}  // namespace atc::fault
