#include "initialization.hpp"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>

#include "aten_engine.hpp"
#include "guard.hpp"
#include "libraries.hpp"
#include "recorder.hpp"
#include "settings_source.hpp"
#include "warning.hpp"

namespace atc_torch {

namespace {

std::atomic<bool> initialized{false};
std::atomic<const char*> start_folder{""};

void warn_of_dropped_cuda() {
  if (cuda_state() != ATC_TORCH_CUDA_NOT_LOADED) return;
  warn_once(
      "libtorch_cuda lies beside libtorch_cpu, but the program did not load it: LibTorch works "
      "without CUDA. Link it with -Wl,--no-as-needed -ltorch_cuda, or call load_cuda "
      "before anything asks for CUDA");
}

// Starts a recording if the environment variable ATC_RECORD is set. If the recording cannot start,
// a warning is printed and the program goes on, because a wrong environment variable must not make
// a program fail.
void start_recording_as_asked() {
  const char* const file = secure_getenv("ATC_RECORD");
  if (file == nullptr || *file == '\0') return;
  const std::string folder = start_folder.load();
  const bool is_relative = *file != '/' && !folder.empty() && folder.front() == '/';
  try {
    start_recording(is_relative ? folder + "/" + file : file);
    std::atexit(finish_recording);
  } catch (const Failure& failure) {
    warn_once(std::string("ATC_RECORD is ignored: ") + failure.what());
  }
}

}  // namespace

void initialize() {
  static std::mutex mutex;
  if (initialized.load()) return;
  const std::lock_guard lock(mutex);
  if (initialized.load()) return;
  warn_of_dropped_cuda();
  register_aten_engine();
  take_over_settings();
  initialized.store(true);
  start_recording_as_asked();
}

void use_start_folder(const char* folder) noexcept { start_folder.store(folder); }

bool is_initialized() { return initialized.load(); }

}  // namespace atc_torch
