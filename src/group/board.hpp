// The keys of one call in the shared store: a rank writes its keys, waits for the keys of other
// ranks, and reads the log (numbered lines that all ranks append).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "group/messages.hpp"
#include "group/transport.hpp"

namespace atc::group {

// Thrown by functions that wait, if a rank has already written the verdict (the result of the
// call), so that nothing else has to be waited for.
struct Settled {
  std::string verdict;
};

class Board {
 public:
  // `prefix` is put before all keys of the call. `bound` is the time, in seconds, for which a rank
  // waits without progress before it gives up. `on_line` is called for each line of the log, in the
  // order of the log.
  Board(Transport& transport, std::string prefix, double bound,
        std::function<void(const Line&)> on_line);

  // Creates a key, unless it exists. Returns the value that the key has now. Throws
  // Error(unsupported) if the call would leave more bytes in the store than it may. The verdict
  // does not count: the ranks must be able to write and read it when there are too many bytes.
  std::string create(const std::string& name, const std::string& value);
  // Waits for a key and returns its value. Returns nothing if for `bound` seconds (see the
  // constructor) neither the key nor a new line of the log was written. Throws Settled if the
  // verdict (the result of the call) has been written.
  std::optional<std::string> await(const std::string& name);
  // Waits for the next line of the log. Returns false if no line is written within `bound` seconds.
  // Throws Settled if the verdict (the result of the call) has been written.
  bool await_line();
  // Reads all lines of the log that exist now. Throws Settled if the verdict (the result of the
  // call) has been written.
  void follow();
  // Appends a line to the log. Lines that other ranks have appended before are read first. Throws
  // Settled if the verdict (the result of the call) has been written.
  void append(Line line);
  // Returns the value that the key has now. Does not wait.
  std::optional<std::string> look(const std::string& name);

  static std::string settle_name() { return "verdict"; }

 private:
  std::string key(const std::string& name) const { return prefix_ + "/" + name; }
  std::string next_line() const;
  bool read_line(double seconds);
  void read(const std::string& bytes);
  static void require_room(std::size_t bytes);
  void require_left(std::size_t bytes) const;
  void count(std::size_t bytes);
  void stop_if_settled();

  Transport& transport_;
  const std::string prefix_;
  const double bound_;
  const std::function<void(const Line&)> on_line_;
  std::uint64_t lines_ = 0, written_ = 0;
  std::size_t bytes_ = 0;  // the number of bytes that this rank has written and read
};

}  // namespace atc::group
