// The callbacks that this thread is inside of. If a callback calls a function that would wait for
// this callback, the function throws Error(busy) instead.
#pragma once

namespace atc {

enum class Callback : unsigned {
  engine = 1,
  allocator = 2,
  progress = 4,
  settings_source = 8,
  log_sink = 16,
};

// Marks this thread as inside a callback, for a scope.
class InsideScope {
 public:
  explicit InsideScope(Callback callback) noexcept;
  ~InsideScope();
  InsideScope(const InsideScope&) = delete;
  InsideScope& operator=(const InsideScope&) = delete;

 private:
  const unsigned before_;
};

// Throws Error(busy) inside a callback of the kind; `why` is the sentence's first part.
void require_outside(Callback callback, const char* why);
bool is_inside_callback();
// Throws Error(busy) inside any callback.
void require_outside_callbacks(const char* why);

}  // namespace atc
