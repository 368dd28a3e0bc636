// The keys of one call: how a rank writes them, and how it waits for those of other ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "group/messages.hpp"
#include "group/transport.hpp"

namespace atc::group {

// Thrown while a rank waits: the verdict stands.
struct Settled {
  std::string verdict;
};

class Board {
 public:
  // `prefix`: of the call. `bound`: seconds that a rank waits without progress. `on_line` is called
  // for each line of the log, in its order.
  Board(Transport& transport, std::string prefix, double bound,
        std::function<void(const Line&)> on_line);

  // Returns the value that stands. Throws Error(unsupported) if the call would leave more bytes
  // behind than it may.
  std::string create(const std::string& name, const std::string& value);
  // The value of the key; none if it does not come within the bound. Each new line of the log
  // renews the bound. Throws Settled.
  std::optional<std::string> await(const std::string& name);
  // Waits for the next line of the log; false if none comes within the bound. Throws Settled.
  bool await_line();
  // Reads the lines that are there. Throws Settled.
  void follow();
  // Adds a line. Lines that other ranks have added meanwhile are read first.
  void append(Line line);
  // The value that is there now.
  std::optional<std::string> look(const std::string& name);

  static std::string settle_name() { return "verdict"; }

 private:
  std::string key(const std::string& name) const { return prefix_ + "/" + name; }
  std::string next_line() const;
  bool read_line(double seconds);
  void read(const std::string& bytes);
  static void require_room(std::size_t bytes);
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
