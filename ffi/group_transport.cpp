#include "group_transport.hpp"

#include <chrono>
#include <cstring>
#include <utility>

#include "core/error.hpp"
#include "core/format.hpp"
#include "error_text.hpp"
#include "guard.hpp"
#include "structs.hpp"

namespace atc::ffi {

namespace {

// The largest number of decimal digits of a call's number. Each call of a group appends its number
// to the prefix of the keys, so the prefix that the caller gives must leave room for it.
constexpr std::size_t kNumberBytes = 20;
constexpr double kDefaultBound = 60;

atc_group checked(const atc_group* given) {
  atc_group group = read_struct(given, "options.group");
  if (group.create == nullptr || group.get == nullptr)
    fail(Status::invalid_argument,
         "options.group has no callback {}: open a group over a folder, or set both callbacks",
         group.create == nullptr ? "create" : "get");
  if (group.rank >= group.size)
    fail(Status::invalid_argument, "options.group has rank {} of {}: ranks are 0 to size - 1",
         group.rank, group.size);
  const char* const prefix = group.prefix == nullptr ? "" : group.prefix;
  constexpr std::size_t kMost = group::kMostPrefixBytes - kNumberBytes;
  const std::size_t length = strnlen(prefix, kMost + 1);
  if (length == 0 || length > kMost)
    fail(Status::invalid_argument, "options.group.prefix has {} bytes: use 1 to {}",
         length > kMost ? "too many" : "no", kMost);
  if (!(group.bound_seconds >= 0))
    fail(Status::invalid_argument, "options.group.bound_seconds is {}: use a positive time, or 0",
         group.bound_seconds);
  if (group.bound_seconds == 0) group.bound_seconds = kDefaultBound;
  return group;
}

// Receives a value from a callback of the group. The callback gets the function take() as its
// argument `answer` and passes the value to this function.
struct Answer {
  std::optional<std::string> value;

  static atc_status take(const void* value, std::size_t size, void* payload) {
    return guard_anywhere([&] {
      if (size > group::kMostValueBytes)
        fail(Status::invalid_argument, "the value of a key has {} bytes, and {} are allowed", size,
             group::kMostValueBytes);
      const auto* const bytes = static_cast<const char*>(value);
      static_cast<Answer*>(payload)->value =
          size == 0 ? std::string() : std::string(&required(bytes, "value"), size);
    });
  }
};

// Throws Error(io) if a callback failed, whichever status the callback returned: each failure of
// the group's key-value store counts as a failure of input or output.
void check(atc_status status, const CallbackScope& scope, const char* name) {
  try {
    check_callback(status, scope, format("the group's callback {}", name));
  } catch (const Error& error) {
    fail(Status::io, "{}", error.what());
  }
}

}  // namespace

CallbackTransport::CallbackTransport(const atc_group* given) : group_(checked(given)) {}

conv::RankOfJob CallbackTransport::job() const {
  return {group_.rank, group_.size, group_.prefix, group_.bound_seconds};
}

std::string CallbackTransport::create(const std::string& key, const std::string& value) {
  Answer answer;
  const CallbackScope scope(Callback::group);
  check(group_.create(group_.user, key.c_str(), value.data(), value.size(), &Answer::take, &answer),
        scope, "create");
  if (!answer.value) fail(Status::io, "the group's callback create gave no answer");
  return std::move(*answer.value);
}

std::optional<std::string> CallbackTransport::get(const std::string& key, double seconds) {
  Answer answer;
  const CallbackScope scope(Callback::group);
  check(group_.get(group_.user, key.c_str(), seconds, &Answer::take, &answer), scope, "get");
  return std::move(answer.value);
}

double CallbackTransport::now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace atc::ffi
