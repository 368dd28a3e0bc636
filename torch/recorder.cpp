#include "recorder.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <system_error>

#include "convolve.hpp"
#include "guard.hpp"
#include "hooks.hpp"
#include "output_layout.hpp"
#include "packed_weights.hpp"
#include "problem.hpp"
#include "recording.hpp"
#include "warning.hpp"

namespace atc_torch {

namespace {

struct Recorder {
  std::mutex mutex;
  std::unique_ptr<Recording> recording;
  // The number of the process that started the recording; 0 if there is no recording. A forked
  // child has a copy of the recording, but must not use the copy. The child also has a copy of the
  // mutex, which a thread of the parent may have locked. So the mutex is locked only after this
  // number was compared with the number of the running process.
  std::atomic<pid_t> process{0};
};

Recorder& recorder() {
  // This object is never destroyed, because detached threads may use it until the process ends.
  static auto* const recorder = new Recorder;
  return *recorder;
}

bool is_ours() {
  const pid_t process = recorder().process.load(std::memory_order_relaxed);
  return process != 0 && process == getpid();
}

Failure nothing_recorded() {
  return {ATC_ERROR_INVALID_ARGUMENT, "nothing is being recorded: start a recording first"};
}

void note(const atc_conv_problem& problem, const at::Tensor& w, bool packable) {
  bool noted = true;
  {
    const std::lock_guard lock(recorder().mutex);
    if (recorder().recording == nullptr) return;
    noted = recorder().recording->note(problem, w, packable);
  }
  if (!noted)
    warn_once("the recording holds " + std::to_string(Recording::kMost) +
              " distinct convolutions: further ones are not noted");
}

}  // namespace

void start_recording(const std::string& file) {
  Recorder& known = recorder();
  const std::lock_guard lock(known.mutex);
  if (is_ours()) throw Failure(ATC_ERROR_BUSY, "a recording is going on: stop it first");
  // The file is written when the program ends. The program may change its current folder before
  // that, so the path is made absolute here.
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(file, error);
  known.recording = std::make_unique<Recording>(error ? file : whole.string());
  known.process.store(getpid());
  set_recording(true);
}

std::uint64_t stop_recording() {
  if (!is_ours()) throw nothing_recorded();
  Recorder& known = recorder();
  const std::lock_guard lock(known.mutex);
  // another thread has stopped the recording while this thread waited for the lock
  if (!is_ours()) throw nothing_recorded();
  const std::uint64_t distinct = known.recording->write();
  set_recording(false);
  known.process.store(0);
  known.recording.reset();
  return distinct;
}

void finish_recording() {
  if (!is_ours()) return;
  Recorder& known = recorder();
  const std::lock_guard lock(known.mutex);
  if (!is_ours()) return;
  try {
    known.recording->write();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "atc: the recording is lost: %s\n", error.what());
  }
  set_recording(false);
  known.process.store(0);
  // The recording is not destroyed, because that would release references to tensors. Some tensors
  // belong to the Python interpreter, which may have ended already.
  static_cast<void>(known.recording.release());
}

void record_forward(const at::Tensor& x, const at::Tensor& w, const std::optional<at::Tensor>& bias,
                    const Geometry& geometry, const at::Tensor& y, bool gradient) {
  if (!is_ours()) return;
  const at::Tensor none;
  atc_conv_problem problem;
  if (describe(problem, ATC_FORWARD, {x, w, none}, geometry)) return;
  if (bias && bias->defined()) {
    if (!takes_bias(*bias, x, problem)) return;
    problem.epilogue = ATC_EPILOGUE_BIAS;
  }
  if (!take_output_layout(problem, y)) return;
  note(problem, w, !gradient && can_pack(w));
}

void record_backward(const at::Tensor& given, const at::Tensor& x, const at::Tensor& w,
                     const Geometry& geometry, const Gradients& gradients) {
  if (!is_ours()) return;
  const at::Tensor gradient = dense(given);
  const auto note_direction = [&](atc_direction direction, const at::Tensor& output) {
    atc_conv_problem problem;
    if (!output.defined() || describe(problem, direction, {x, w, gradient}, geometry)) return;
    if (take_output_layout(problem, output)) note(problem, w, false);
  };
  note_direction(ATC_BACKWARD_DATA, std::get<0>(gradients));
  note_direction(ATC_BACKWARD_WEIGHT, std::get<1>(gradients));
}

}  // namespace atc_torch
