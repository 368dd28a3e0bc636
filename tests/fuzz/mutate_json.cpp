#include "mutate_json.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace fuzz {
namespace {

using Json = nlohmann::json;

class Mutator {
 public:
  Mutator(Json& document, unsigned seed) : document_(document), random_(seed) {}

  void change() {
    const std::vector<Json*> nodes = all();
    Json& node = *nodes[below(nodes.size())];
    // This is a copy, because `node` may lie within the other node. A change of `node` must not
    // change `other`.
    Json other = *nodes[below(nodes.size())];
    switch (below(7)) {
      case 0:
        node = interesting();
        break;
      case 1:
        node = std::move(other);
        break;
      case 2:
        remove_from(node);
        break;
      case 3:
        add_to(node, std::move(other));
        break;
      case 4:
        node = below(2) == 0 ? Json::array({node}) : Json{{"value", node}};
        break;
      default:
        change_value(node);
    }
  }

 private:
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  static void collect(Json& node, std::vector<Json*>& nodes) {
    nodes.push_back(&node);
    if (node.is_structured())
      for (Json& item : node) collect(item, nodes);
  }
  std::vector<Json*> all() {
    std::vector<Json*> nodes;
    collect(document_, nodes);
    return nodes;
  }

  Json interesting() {
    static const Json values[] = {nullptr,
                                  true,
                                  false,
                                  0,
                                  1,
                                  -1,
                                  2147483648,
                                  INT64_MIN,
                                  INT64_MAX,
                                  UINT64_MAX,
                                  0.5,
                                  -0.0,
                                  5e95,
                                  1e308,
                                  5e-324,
                                  1e15,
                                  "",
                                  "a@1:b",
                                  "\u001b[2J",
                                  "\u009b",
                                  std::string("a\0b", 3),
                                  "../..",
                                  Json::array(),
                                  Json::object()};
    return values[below(std::size(values))];
  }

  void remove_from(Json& node) {
    if (!node.is_structured() || node.empty()) return;
    auto item = node.begin();
    std::advance(item, static_cast<std::ptrdiff_t>(below(node.size())));
    node.erase(item);
  }

  void add_to(Json& node, Json other) {
    if (node.is_array()) {
      node.insert(node.begin() + static_cast<std::ptrdiff_t>(below(node.size() + 1)),
                  std::move(other));
    } else if (node.is_object()) {
      node[name()] = std::move(other);
    }
  }

  // Returns the name of a member of the document, or a changed form of such a name.
  std::string name() {
    std::vector<std::string> names;
    for (const Json* node : all())
      if (node->is_object())
        for (const auto& item : node->items()) names.push_back(item.key());
    const std::string one = names.empty() ? "name" : names[below(names.size())];
    return below(4) == 0 ? changed_bytes(one) : one;
  }

  void change_value(Json& node) {
    if (node.is_string()) {
      node = changed_bytes(node.get_ref<const std::string&>());
    } else if (node.is_number_float()) {
      const double factors[] = {-1, 10, 0.1, 1e30};
      node = node.get<double>() * factors[below(std::size(factors))];
    } else if (node.is_number_unsigned()) {
      const auto number = node.get<std::uint64_t>();
      const std::uint64_t numbers[] = {number + 1, number - 1, number * 2, number << 32, ~number};
      node = numbers[below(std::size(numbers))];
    } else if (node.is_boolean()) {
      node = !node.get<bool>();
    } else {
      node = interesting();
    }
  }

  Json& document_;
  std::minstd_rand random_;
};

}  // namespace

std::string changed_bytes(std::string_view text) {
  constexpr std::size_t kRoom = 64;
  std::vector<std::uint8_t> bytes(text.size() + kRoom);
  std::copy(text.begin(), text.end(), bytes.begin());
  const std::size_t size = LLVMFuzzerMutate(bytes.data(), text.size(), bytes.size());
  return std::string(text_of(bytes.data(), size));
}

std::string changed_json(std::string_view text, unsigned seed) {
  Json document = Json::parse(text.begin(), text.end(), nullptr, false);
  if (document.is_discarded() || seed % 8 == 0) return changed_bytes(text);
  Mutator mutator(document, seed);
  for (unsigned changes = 1 + seed / 8 % 4; changes > 0; --changes) mutator.change();
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::size_t give_back(std::string_view text, std::uint8_t* data, std::size_t most) {
  const std::size_t size = std::min(text.size(), most);
  if (size > 0) std::memcpy(data, text.data(), size);
  return size;
}

}  // namespace fuzz
