// The command line of a benchmark. An option has a value (`--out FILE`), or it is a switch.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace atc::bench {

// Returns the parts of a list that is separated by commas: "a", "b" and "c" for "a,b,c".
std::vector<std::string> split(const std::string& list);

// Exits with a message if the text is not a number above 0.
double positive(const std::string& option, const std::string& text);

// Checks the values `given` of an option: prints a message and exits if one of them is not in
// `known`.
void expect_one_of(const std::string& option, const std::vector<std::string>& known,
                   const std::vector<std::string>& given);

// Splits a list at its commas, and returns for each part the value that `known` has for it. If a
// part is not in `known`, prints a message and exits.
template <class Value>
std::vector<Value> look_up(const std::string& option, const std::string& list,
                           const std::map<std::string, Value>& known) {
  std::vector<std::string> names;
  for (const auto& [name, value] : known) names.push_back(name);
  expect_one_of(option, names, split(list));
  std::vector<Value> values;
  for (const std::string& name : split(list)) values.push_back(known.at(name));
  return values;
}

class CommandLine {
 public:
  // `usage` is the text that explains the command line. `{}` in it stands for the program's name.
  explicit CommandLine(const char* usage) : usage_(usage) {}

  // Adds an option whose value is a text. The variables that options set must live until `parse`
  // returns.
  void text(const char* name, std::string& to);
  // Adds an option whose value is a list that is separated by commas.
  void texts(const char* name, std::vector<std::string>& to);
  // Adds an option whose value must be a number above 0.
  void number(const char* name, double& to);
  // Adds an option without a value. If the option is given, `to` is set to `value`.
  void flag(const char* name, bool& to, bool value = true);
  void other(const char* name, std::function<void(const std::string& value)> take);

  // Prints the usage and exits if an option is unknown or lacks its value, or if a word of the
  // command line belongs to no option.
  void parse(int argc, char** argv);
  [[noreturn]] void refuse() const;  // prints the usage and exits

 private:
  struct Option {
    const char* name;
    bool has_value;
    std::function<void(const std::string& value)> take;
  };

  const char* usage_;
  std::string program_;
  std::vector<Option> options_;
};

}  // namespace atc::bench
