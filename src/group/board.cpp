#include "group/board.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/format.hpp"

namespace atc::group {

Board::Board(Transport& transport, std::string prefix, double bound,
             std::function<void(const Line&)> on_line)
    : transport_(transport),
      prefix_(std::move(prefix)),
      bound_(bound),
      on_line_(std::move(on_line)) {}

std::string Board::next_line() const { return format("f/{}", lines_); }

void Board::require_left(std::size_t bytes) const {
  if (bytes_ + bytes > kMostCallBytes)
    fail(Status::unsupported,
         "the ranks would leave more than {} bytes in the group's store: tune the list in several "
         "calls",
         kMostCallBytes);
}

void Board::count(std::size_t bytes) {
  require_left(bytes);
  bytes_ += bytes;
}

void Board::require_room(std::size_t bytes) {
  if (bytes > kMostValueBytes)
    fail(Status::unsupported,
         "a value of {} bytes is more than the {} that a group's store takes: tune the list in "
         "several calls",
         bytes, kMostValueBytes);
}

std::string Board::create(const std::string& name, const std::string& value) {
  require_room(value.size());
  if (name != settle_name()) count(value.size());
  return transport_.create(key(name), value);
}

std::optional<std::string> Board::look(const std::string& name) {
  return transport_.get(key(name), 0);
}

void Board::stop_if_settled() {
  if (auto verdict = look(settle_name())) throw Settled{std::move(*verdict)};
}

void Board::read(const std::string& bytes) {
  const std::uint64_t number = lines_++;
  count(bytes.size());
  Line line;
  try {
    line = decode_line(bytes);
  } catch (const Error& error) {
    fail(error.status(), "line {} of the group's log cannot be read: {}", number, error.what());
  }
  on_line_(line);
}

bool Board::read_line(double seconds) {
  const auto bytes = transport_.get(key(next_line()), seconds);
  if (bytes) read(*bytes);
  return bytes.has_value();
}

void Board::follow() {
  while (read_line(0)) {
  }
  stop_if_settled();
}

std::optional<std::string> Board::await(const std::string& name) {
  double end = transport_.now() + bound_;
  for (;;) {
    const double left = std::max(0.0, end - transport_.now());
    auto value = transport_.get(key(name), std::min(kSliceSeconds, left));
    if (value) {
      if (name != settle_name()) count(value->size());
      return value;
    }
    const std::uint64_t before = lines_;
    follow();
    if (lines_ != before)
      end = transport_.now() + bound_;
    else if (transport_.now() >= end)
      return std::nullopt;
  }
}

bool Board::await_line() {
  const double end = transport_.now() + bound_;
  for (;;) {
    const double left = std::max(0.0, end - transport_.now());
    if (read_line(std::min(kSliceSeconds, left))) {
      follow();
      return true;
    }
    stop_if_settled();
    if (transport_.now() >= end) return false;
  }
}

void Board::append(Line line) {
  line.number = ++written_;
  const std::string bytes = encode(line);
  require_room(bytes.size());
  for (;;) {
    require_left(bytes.size());
    const std::string standing = transport_.create(key(next_line()), bytes);
    read(standing);
    if (standing == bytes) break;
  }
  stop_if_settled();
}

}  // namespace atc::group
