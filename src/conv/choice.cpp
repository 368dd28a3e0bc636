#include "conv/choice.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/format.hpp"
#include "core/printable.hpp"

namespace atc::conv {

namespace {
// The longest text of a choice, in bytes. No engine makes a text that long. An error message that
// contains two texts of this length still has room for the reason.
constexpr std::size_t kMostBytes = 2048;
}  // namespace

std::string to_string(const Link& link) {
  const std::string name = format("{}@{}", link.rewrite, link.version);
  return link.configuration.empty() ? name : format("{}({})", name, link.configuration);
}

Link parse_link(const std::string& text) {
  const auto at = text.find('@');
  const auto open = std::min(text.find('(', at), text.size());
  Link link;
  if (at != std::string::npos) {
    link.rewrite = text.substr(0, at);
    link.version = text.substr(at + 1, open - at - 1);
    // The configuration is the text between the parentheses. If text follows the closing
    // parenthesis, the text of the parsed link differs from `text`, and the comparison below fails.
    if (open + 2 < text.size()) link.configuration = text.substr(open + 1, text.size() - open - 2);
  }
  if (link.rewrite.empty() || link.version.empty() || to_string(link) != text)
    fail(Status::invalid_argument,
         "'{}' is not of the form rewrite@version or rewrite@version(configuration)",
         shown(text, 200));
  return link;
}

std::string rewrites_text(const Choice& choice) {
  std::string text;
  for (const Link& link : choice.rewrites) text += to_string(link) + '>';
  return text;
}

std::string to_string(const Choice& choice) {
  return format("{}{}@{}:{}", rewrites_text(choice), choice.engine, choice.version,
                choice.configuration);
}

Choice parse_choice(const std::string& text) {
  if (text.size() > kMostBytes)
    fail(Status::invalid_argument, "choice '{}' is longer than a choice may be ({} bytes)",
         shown(text, 200), kMostBytes);
  const auto refuse = [&]() {
    fail(
        Status::invalid_argument,
        "choice '{}' is not of the form engine@version:configuration, with rewrite@version> before "
        "it for each rewrite, as plans tell their choice",
        shown(text, 200));
  };
  // The engine's version ends at the first colon of the text: rewrites, names and versions contain
  // no colon. The engine's configuration may contain any character.
  const auto colon = text.find(':');
  if (colon == std::string::npos) refuse();
  Choice choice;
  std::string head = text.substr(0, colon);
  for (auto end = head.find('>'); end != std::string::npos; end = head.find('>')) {
    choice.rewrites.push_back(parse_link(head.substr(0, end)));
    head.erase(0, end + 1);
  }
  const auto at = head.find('@');
  if (at == 0 || at == std::string::npos) refuse();
  choice.engine = head.substr(0, at);
  choice.version = head.substr(at + 1);
  choice.configuration = text.substr(colon + 1);
  return choice;
}

bool names(const Choice& choice, const std::string& name) {
  return choice.engine == name ||
         std::any_of(choice.rewrites.begin(), choice.rewrites.end(),
                     [&](const Link& link) { return link.rewrite == name; });
}

}  // namespace atc::conv
