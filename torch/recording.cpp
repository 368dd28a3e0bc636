#include "recording.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "atc/problems.h"
#include "aten_engine.hpp"
#include "guard.hpp"
#include "structs.hpp"

namespace atc_torch {

namespace {

// The largest number of weight tensors that are remembered for one problem. If a problem is used
// with more, its weights are recorded as not constant.
constexpr std::size_t kMostWeights = 256;

[[noreturn]] void fail(const std::string& file, int error) {
  throw Failure(ATC_ERROR_IO,
                "'" + file + "' cannot be written: " + std::generic_category().message(error));
}

// As long as an object of this class exists, a write beyond the limit RLIMIT_FSIZE fails with EFBIG
// and does not end the process. For this, the signal SIGXFSZ is blocked on this thread. If a write
// has raised the signal, the destructor removes the pending signal.
class FileSizeSignalHeld {
 public:
  FileSizeSignalHeld() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~FileSizeSignalHeld() {
    const timespec at_once{};
    if (!was_pending_) sigtimedwait(&signal_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  FileSizeSignalHeld(const FileSizeSignalHeld&) = delete;
  FileSizeSignalHeld& operator=(const FileSizeSignalHeld&) = delete;

 private:
  sigset_t signal_{}, before_{};
  bool was_pending_ = false;
};

// A temporary file in the folder of the final file. The temporary file replaces the final file in
// one step, by a rename.
class Temporary {
 public:
  explicit Temporary(const std::string& file)
      : file_(file), name_(file + ".tmp" + std::to_string(getpid())) {
    // If a file with this name exists, an earlier process with the same process number has left it,
    // or the file belongs to somebody else. The old file is unlinked and never written to.
    unlink(name_.c_str());
    fd_ = open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd_ < 0) fail(file_, errno);
  }
  ~Temporary() {
    if (fd_ >= 0) close(fd_);
    if (!name_.empty()) unlink(name_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  void write(const std::string& text) {
    const FileSizeSignalHeld held;
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t written = ::write(fd_, text.data() + done, text.size() - done);
      if (written >= 0)
        done += static_cast<std::size_t>(written);
      else if (errno != EINTR)
        fail(file_, errno);
    }
  }

  void take_its_place() {
    // Some file systems report a failed write only when the file is closed.
    const int closed = close(fd_);
    fd_ = -1;
    if (closed != 0 && errno != EINTR) fail(file_, errno);
    if (std::rename(name_.c_str(), file_.c_str()) != 0) fail(file_, errno);
    name_.clear();
  }

 private:
  const std::string file_;
  std::string name_;
  int fd_ = -1;
};

std::string bytes_of(const atc_conv_problem& problem) {
  std::string bytes(sizeof(problem), '\0');
  std::memcpy(bytes.data(), &problem, sizeof(problem));
  return bytes;
}

// Owns a list of problems of libatc (atc_problems).
class Problems {
 public:
  Problems() { check(atc_problems_create(&problems_)); }
  ~Problems() { atc_problems_destroy(problems_); }
  Problems(const Problems&) = delete;
  Problems& operator=(const Problems&) = delete;

  atc_problems* get() const { return problems_; }

 private:
  atc_problems* problems_ = nullptr;
};

}  // namespace

Recording::Recording(std::string file) : file_(std::move(file)) {
  struct stat there {};
  if (stat(file_.c_str(), &there) == 0 && S_ISDIR(there.st_mode)) fail(file_, EISDIR);
  Temporary trial(file_);
}

bool Recording::note(const atc_conv_problem& problem, const at::Tensor& w, bool packable) {
  std::string key = bytes_of(problem);
  auto found = places_.find(key);
  if (found == places_.end()) {
    if (rows_.size() >= kMost) return false;
    rows_.emplace_back().problem = problem;
    found = places_.emplace(std::move(key), rows_.size() - 1).first;
  }
  Row& row = rows_[found->second];
  ++row.count;
  if (!packable) row.constant_weights = false;
  if (row.constant_weights) note_weights(row, w);
  if (!row.constant_weights) row.weights.clear();
  return true;
}

void Recording::note_weights(Row& row, const at::Tensor& w) {
  const auto same = [&](const WeightsState& known) { return known.is_of(w); };
  const auto known = std::find_if(row.weights.begin(), row.weights.end(), same);
  if (known != row.weights.end()) {
    row.constant_weights = known->holds_for(w);
    return;
  }
  // These weights were not used with the problem before. If other weights of the problem no longer
  // exist, the program replaces weights. In this case the weights are recorded as not constant.
  const auto gone = [](const WeightsState& other) { return other.is_gone(); };
  row.constant_weights = row.weights.size() < kMostWeights &&
                         std::none_of(row.weights.begin(), row.weights.end(), gone);
  if (row.constant_weights) row.weights.emplace_back(w);
}

std::uint64_t Recording::write() const {
  const Document written = document();
  Temporary temporary(file_);
  temporary.write(written.text);
  temporary.take_its_place();
  return written.distinct;
}

Recording::Document Recording::document() const {
  const Problems problems;
  for (const Row& row : rows_) {
    atc_conv_options options = ATC_CONV_OPTIONS_INIT;
    if (row.constant_weights) options.constant_weights = ATC_ON;
    copy_text(options.front_end, kAtenEngine);
    check(atc_problems_add(problems.get(), nullptr, &row.problem, &options, row.count));
  }
  atc_bytes* bytes = nullptr;
  check(atc_problems_json(&bytes, problems.get()));
  Document document;
  document.text.assign(atc_bytes_data(bytes), atc_bytes_size(bytes));
  atc_bytes_destroy(bytes);
  std::size_t distinct = 0;
  check(atc_problems_count(&distinct, problems.get()));
  document.distinct = distinct;
  return document;
}

}  // namespace atc_torch
