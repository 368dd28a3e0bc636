#include "group/meeting.hpp"

#include <charconv>
#include <cstdlib>
#include <limits>
#include <optional>

#include "failure.hpp"

namespace atc_torch {

namespace {

constexpr const char* kForms = "use env://, tcp://HOST:PORT or file:///PATH";
// The largest number of bytes of a job's name that are used. A longer name is cut, because the
// prefix of the keys must not be longer than 360 bytes.
constexpr std::size_t kMostOfName = 200;

[[noreturn]] void fail(const std::string& text) { throw Failure(ATC_ERROR_INVALID_ARGUMENT, text); }

std::string variable(const char* name) {
  const char* const value = secure_getenv(name);
  return value == nullptr ? "" : value;
}

std::string required_variable(const char* name) {
  std::string value = variable(name);
  if (value.empty())
    fail(std::string("env:// needs the variable ") + name +
         ", which is not set: start the program by torchrun --no-python, or set RANK, WORLD_SIZE, "
         "MASTER_ADDR and MASTER_PORT");
  return value;
}

template <typename Number>
std::optional<Number> number_in(const std::string& text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return number;
}

std::uint32_t number_of_variable(const char* name) {
  const std::string text = required_variable(name);
  const auto number = number_in<std::uint32_t>(text);
  if (!number)
    fail(std::string("the variable ") + name + " is \"" + text + "\": use a number of ranks");
  return *number;
}

std::uint16_t port_in(const std::string& text, const std::string& owner) {
  const auto port = number_in<std::uint16_t>(text);
  if (!port || *port == 0)
    fail(owner + " has the port \"" + text + "\": use a number from 1 to 65535");
  return *port;
}

// Returns the rest of the URL after `scheme`. Returns nullopt if the URL does not begin with
// `scheme`.
std::optional<std::string> behind(const std::string& url, const std::string& scheme) {
  if (url.compare(0, scheme.size(), scheme) != 0) return std::nullopt;
  return url.substr(scheme.size());
}

// Reads HOST:PORT into `meeting`. An IPv6 address must be in brackets.
void read_address(const std::string& address, Meeting& meeting) {
  const std::size_t colon = address.rfind(':');
  const std::size_t bracket = address.rfind(']');
  if (colon == std::string::npos || (bracket != std::string::npos && colon < bracket))
    fail("the URL " + meeting.url + " has no port: use tcp://HOST:PORT");
  meeting.host = address.substr(0, colon);
  if (bracket != std::string::npos && meeting.host.front() == '[' && bracket + 1 == colon)
    meeting.host = meeting.host.substr(1, bracket - 1);
  if (meeting.host.empty())
    fail("the URL " + meeting.url + " has no host: use tcp://HOST:PORT, with the host of rank 0");
  meeting.port = port_in(address.substr(colon + 1), "the URL " + meeting.url);
}

// Reads the environment variables that torchrun sets.
void read_environment(Meeting& meeting) {
  if (meeting.size == 0) {
    meeting.rank = number_of_variable("RANK");
    meeting.size = number_of_variable("WORLD_SIZE");
  }
  meeting.host = required_variable("MASTER_ADDR");
  meeting.port = port_in(required_variable("MASTER_PORT"), "the variable MASTER_PORT");
  meeting.is_served_by_rank_0 = variable("TORCHELASTIC_USE_AGENT_STORE") != "True";
}

// Returns the prefix for the keys of this job: the name of the job and the number of the attempt to
// run it. torchrun counts the attempts.
std::string prefix_of_job() {
  const std::string job = variable("TORCHELASTIC_RUN_ID").substr(0, kMostOfName);
  const std::string attempt = variable("TORCHELASTIC_RESTART_COUNT").substr(0, kMostOfName / 2);
  return (job.empty() ? "job" : job) + "/" + (attempt.empty() ? "0" : attempt);
}

}  // namespace

Meeting meeting_at(const std::string& url, std::uint32_t rank, std::uint32_t size) {
  Meeting meeting;
  meeting.url = url;
  meeting.rank = rank;
  meeting.size = size;
  meeting.prefix = prefix_of_job();
  if (const auto address = behind(url, "tcp://")) {
    read_address(*address, meeting);
    meeting.is_served_by_rank_0 = true;
  } else if (const auto path = behind(url, "file://")) {
    if (path->empty() || path->front() != '/')
      fail("the URL " + url + " has no absolute path: use file:///PATH");
    meeting.file = *path;
  } else if (url == "env://") {
    read_environment(meeting);
  } else {
    fail("the URL is \"" + url + "\": " + kForms);
  }
  if (meeting.rank >= meeting.size)
    fail("the group has rank " + std::to_string(meeting.rank) + " of " +
         std::to_string(meeting.size) + ": ranks are 0 to size - 1");
  if (meeting.size > static_cast<std::uint32_t>(std::numeric_limits<int>::max()))
    fail("the group has " + std::to_string(meeting.size) + " ranks: use 1 to 2147483647");
  return meeting;
}

}  // namespace atc_torch
