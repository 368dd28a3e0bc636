#include "store/strict_json.hpp"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/format.hpp"

namespace atc::store {
namespace {

using Json = nlohmann::json;

// Builds the document while it is read, so that reading of a hostile one ends at its first fault.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  Json take() { return std::move(root_); }
  const std::string& reason() const { return reason_; }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return refuse("holds binary data"); }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    auto [member, fresh] = open_.back()->get_ref<Json::object_t&>().emplace(name, nullptr);
    if (!fresh) return refuse(format("repeats the member \"{}\"", printable(name)));
    member_ = &member->second;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    constexpr int kNumberOverflow = 406;
    return refuse(error.id == kNumberOverflow
                      ? format("holds a number out of range at byte {}", position)
                      : format("is not JSON at byte {}", position));
  }

 private:
  static std::string printable(const std::string& name) {
    std::string text = name.substr(0, 40);
    for (char& c : text) {
      if (c < ' ' || c > '~') c = '?';
    }
    return text;
  }

  bool refuse(std::string reason) {
    reason_ = std::move(reason);
    return false;
  }

  Json* place(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    if (open_.back()->is_array()) return &open_.back()->emplace_back(std::move(value));
    *member_ = std::move(value);
    return member_;
  }

  bool add(Json value) {
    place(std::move(value));
    return true;
  }

  bool open(Json value) {
    if (open_.size() == kMaxJsonDepth) {
      return refuse(format("nests deeper than {} levels", kMaxJsonDepth));
    }
    open_.push_back(place(std::move(value)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  Json root_;
  std::vector<Json*> open_;  // a container does not move while one inside it is open
  Json* member_ = nullptr;
  std::string reason_;
};

}  // namespace

bool parse_strictly(std::string_view text, Json* out, std::string* reason) {
  Builder builder;
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) {
    *reason = builder.reason();
    return false;
  }
  *out = builder.take();
  return true;
}

bool deeper_than(const Json& value, std::size_t depth) {
  if (!value.is_structured()) return false;
  if (depth == 0) return true;
  for (const Json& item : value) {
    if (deeper_than(item, depth - 1)) return true;
  }
  return false;
}

}  // namespace atc::store
