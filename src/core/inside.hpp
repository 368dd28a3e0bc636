// Records which callbacks of the caller a thread is executing. Some functions wait for locks that
// are held during a callback. If a callback calls such a function, it throws Error(busy), because
// waiting would never end.
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

// As long as an object of this class exists, the thread that made it counts as being inside the
// callback.
class InsideScope {
 public:
  explicit InsideScope(Callback callback) noexcept;
  ~InsideScope();
  InsideScope(const InsideScope&) = delete;
  InsideScope& operator=(const InsideScope&) = delete;

 private:
  const unsigned before_;
};

// Throws Error(busy) if this thread is inside a callback of this kind. `why` is the beginning of
// the text of the error.
void require_outside(Callback callback, const char* why);
bool is_inside_callback();
// Throws Error(busy) if this thread is inside a callback of any kind.
void require_outside_callbacks(const char* why);

}  // namespace atc
