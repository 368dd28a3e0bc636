#include "group/messages.hpp"

#include "core/error.hpp"

namespace atc::group {

namespace {

// The version of the messages. It is raised with each change of a message. So if two ranks have
// versions of atc with different messages, the error says so.
constexpr std::uint64_t kVersion = 1;

class Writer {
 public:
  Writer() { number(kVersion); }
  void number(std::uint64_t value) {
    for (int byte = 0; byte < 8; ++byte)
      bytes_ += static_cast<char>(static_cast<unsigned char>(value >> (8 * byte)));
  }
  void text(const std::string& value) {
    number(value.size());
    bytes_ += value;
  }
  void pairs(const std::vector<std::pair<std::uint64_t, std::string>>& values) {
    number(values.size());
    for (const auto& [index, value] : values) {
      number(index);
      text(value);
    }
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {
    if (number() != kVersion)
      fail(Status::bad_record, "it is of another version of atc, or was not written by atc");
  }
  std::uint64_t number() {
    const std::string_view bytes = take(8);
    std::uint64_t value = 0;
    for (std::size_t byte = 8; byte-- > 0;)
      value = (value << 8) | static_cast<unsigned char>(bytes[byte]);
    return value;
  }
  std::string text() { return std::string(take(number())); }
  // Reads the number of elements of a list. Each element has at least `least` bytes. If the rest of
  // the message is too short for this number, the message is refused, so that a damaged number
  // cannot cause a large allocation.
  std::uint64_t count(std::size_t least) {
    const std::uint64_t value = number();
    if (value > rest_.size() / least) refuse();
    return value;
  }
  std::vector<std::pair<std::uint64_t, std::string>> pairs() {
    std::vector<std::pair<std::uint64_t, std::string>> values(count(16));
    for (auto& [index, value] : values) {
      index = number();
      value = text();
    }
    return values;
  }
  std::vector<std::string> texts() {
    std::vector<std::string> values(count(8));
    for (std::string& value : values) value = text();
    return values;
  }
  void end() const {
    if (!rest_.empty()) refuse();
  }

 private:
  [[noreturn]] static void refuse() { fail(Status::bad_record, "it is damaged"); }
  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) refuse();
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view rest_;
};

}  // namespace

std::string encode(const Hello& hello) {
  Writer writer;
  writer.text(hello.nonce);
  writer.number(hello.size);
  for (const std::string* const text :
       {&hello.environment, &hello.pins, &hello.device, &hello.list})
    writer.text(*text);
  return writer.take();
}

Hello decode_hello(std::string_view bytes) {
  Reader reader(bytes);
  Hello hello;
  hello.nonce = reader.text();
  hello.size = reader.number();
  for (std::string* const text : {&hello.environment, &hello.pins, &hello.device, &hello.list})
    *text = reader.text();
  reader.end();
  return hello;
}

std::string encode(const std::vector<std::string>& texts) {
  Writer writer;
  writer.number(texts.size());
  for (const std::string& text : texts) writer.text(text);
  return writer.take();
}

std::vector<std::string> decode_texts(std::string_view bytes) {
  Reader reader(bytes);
  std::vector<std::string> texts = reader.texts();
  reader.end();
  return texts;
}

std::string encode(const Line& line) {
  Writer writer;
  writer.number(static_cast<std::uint64_t>(line.kind));
  for (const std::uint64_t number : {line.rank, line.number, line.team}) writer.number(number);
  writer.pairs(line.problems);
  return writer.take();
}

Line decode_line(std::string_view bytes) {
  Reader reader(bytes);
  Line line;
  const std::uint64_t kind = reader.number();
  if (kind > static_cast<std::uint64_t>(Line::Kind::left))
    fail(Status::bad_record, "it has a line of an unknown kind");
  line.kind = static_cast<Line::Kind>(kind);
  for (std::uint64_t* const number : {&line.rank, &line.number, &line.team})
    *number = reader.number();
  line.problems = reader.pairs();
  reader.end();
  return line;
}

std::string encode(const Vote& vote) {
  Writer writer;
  writer.text(vote.digest);
  writer.pairs(vote.refused);
  return writer.take();
}

Vote decode_vote(std::string_view bytes) {
  Reader reader(bytes);
  Vote vote;
  vote.digest = reader.text();
  vote.refused = reader.pairs();
  reader.end();
  return vote;
}

std::string encode(const Verdict& verdict) {
  Writer writer;
  writer.number(verdict.commits ? 1 : 0);
  writer.number(verdict.rank);
  writer.text(verdict.reason);
  writer.text(verdict.roll);
  writer.number(verdict.teams.size());
  for (const std::string& team : verdict.teams) writer.text(team);
  return writer.take();
}

Verdict decode_verdict(std::string_view bytes) {
  Reader reader(bytes);
  Verdict verdict;
  verdict.commits = reader.number() == 1;
  verdict.rank = reader.number();
  verdict.reason = reader.text();
  verdict.roll = reader.text();
  verdict.teams = reader.texts();
  reader.end();
  return verdict;
}

}  // namespace atc::group
