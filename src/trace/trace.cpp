#include "trace/trace.hpp"

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <utility>

#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "trace/file.hpp"

namespace atc::trace {

namespace detail {
std::atomic<State> state{State::unknown};
}

namespace {

using detail::State;

struct Process {
  std::mutex mutex;
  bool environment_read = false, writes_at_exit = false;
  std::shared_ptr<Session> session;
};

Process& process() {
  // The object is never destroyed, because detached threads and exit handlers may use it.
  static auto* const process = new Process;
  return *process;
}

// Writes the file of the running trace at the exit of the process. CUDA is not called, because it
// may no longer be usable. So calls that are still running on devices are not timed.
void write_at_exit() {
  std::shared_ptr<Session> session;
  {
    const std::lock_guard lock(process().mutex);
    session = std::move(process().session);
    detail::state = State::off;
  }
  if (session == nullptr || !session->is_of_this_process() || session->options().file.empty())
    return;
  try {
    write(session->options().file, session->take(false));
  } catch (const std::exception& error) {
    log(LogLevel::error, error.what());
  }
}

// Starts a trace. Must be called with the mutex held. The path in the options must be absolute,
// because the file is written when the trace ends, and the working directory may have changed by
// then.
void start_with_lock(Process& here, Options options) {
  if (!options.file.empty()) check_path(options.file);
  auto session = std::make_shared<Session>(std::move(options));
  if (!session->options().file.empty() && !here.writes_at_exit)
    here.writes_at_exit = std::atexit(write_at_exit) == 0;
  here.session = std::move(session);
  detail::state = State::on;
}

std::string absolute(const std::string& path) {
  std::error_code error;
  const auto whole = std::filesystem::absolute(path, error);
  return error ? path : whole.string();
}

// Starts the trace that ATC_TRACE asks for, unless the variable was already read. Must be called
// with the mutex held. Returns a text that the caller has to log, or "".
std::string read_environment(Process& here) {
  if (here.environment_read) return "";
  here.environment_read = true;
  detail::state = State::off;
  const auto file = environment_text("ATC_TRACE");
  if (!file) return "";
  try {
    Options options;
    options.file = from_start_folder(path_of(*file));
    start_with_lock(here, std::move(options));
    return "";
  } catch (const std::exception& error) {
    return std::string("ATC_TRACE is ignored: ") + error.what();
  }
}

}  // namespace

std::shared_ptr<Session> running() {
  Process& here = process();
  std::string trouble;
  std::shared_ptr<Session> session;
  {
    const std::lock_guard lock(here.mutex);
    trouble = read_environment(here);
    session = here.session;
  }
  if (!trouble.empty()) log(LogLevel::warning, trouble);
  if (session == nullptr || session->is_of_this_process()) return session;
  // The calling process is a forked child of the traced process. A forked child is not traced.
  detail::state = State::off;
  return nullptr;
}

void start(Options options) {
  if (!options.file.empty()) options.file = absolute(path_of(options.file));
  if (running() != nullptr)
    fail(Status::busy, "a trace runs already, by ATC_TRACE or a call: stop it first");
  Process& here = process();
  const std::lock_guard lock(here.mutex);
  if (here.session != nullptr && here.session->is_of_this_process())
    fail(Status::busy, "another thread has started a trace: stop it first");
  start_with_lock(here, std::move(options));
}

Results stop() {
  std::shared_ptr<Session> session = running();
  if (session != nullptr) {
    const std::lock_guard lock(process().mutex);
    session = std::exchange(process().session, nullptr);
    detail::state = State::off;
  }
  if (session == nullptr)
    fail(Status::invalid_argument, "no trace runs: start one first, by a call or ATC_TRACE");
  Results results = session->take(true);
  if (!session->options().file.empty()) write(session->options().file, results);
  return results;
}

}  // namespace atc::trace
