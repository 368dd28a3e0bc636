#include "core/inside.hpp"

#include "core/error.hpp"

namespace atc {

namespace {

thread_local unsigned inside = 0;  // a bit for each kind of callback in which this thread is

constexpr unsigned bit(Callback callback) { return static_cast<unsigned>(callback); }

const char* name_of(unsigned bits) {
  if ((bits & bit(Callback::log_sink)) != 0) return "the log sink";
  if ((bits & bit(Callback::settings_source)) != 0) return "a callback of the settings source";
  if ((bits & bit(Callback::engine)) != 0) return "a callback of an engine";
  if ((bits & bit(Callback::allocator)) != 0) return "a callback of the allocator";
  if ((bits & bit(Callback::group)) != 0) return "a callback of a group";
  return "the progress callback";
}

void refuse(unsigned bits, const char* why) {
  if (bits != 0)
    fail(Status::busy,
         "{}, and this thread is inside {}: return from the callback first, then call again", why,
         name_of(bits));
}

}  // namespace

InsideScope::InsideScope(Callback callback) noexcept : before_(inside) { inside |= bit(callback); }

InsideScope::~InsideScope() { inside = before_; }

void require_outside(Callback callback, const char* why) { refuse(inside & bit(callback), why); }

bool is_inside_callback() { return inside != 0; }

void require_outside_callbacks(const char* why) { refuse(inside, why); }

}  // namespace atc
