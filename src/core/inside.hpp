// Notes which callbacks this thread is inside of. If a callback calls a function that would wait
// for this callback, the function throws Error(busy) and does not wait.
#pragma once

namespace atc {

enum class Callback : unsigned {
  engine = 1,
  allocator = 2,
  progress = 4,
  settings_source = 8,
  log_sink = 16,
  group = 32,
};

// While an object lives, this thread counts as inside a callback.
class InsideScope {
 public:
  explicit InsideScope(Callback callback) noexcept;
  ~InsideScope();
  InsideScope(const InsideScope&) = delete;
  InsideScope& operator=(const InsideScope&) = delete;

 private:
  const unsigned before_;
};

// Throws Error(busy) if this thread is inside a callback of this kind. `why` is the first part of
// the error text.
void require_outside(Callback callback, const char* why);
bool is_inside_callback();
// Throws Error(busy) inside any callback.
void require_outside_callbacks(const char* why);

}  // namespace atc
