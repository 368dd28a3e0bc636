#include "engines/cudnn/descriptor.hpp"

#include <algorithm>
#include <array>

namespace atc::cudnn {

namespace {

void get(RawDescriptor descriptor, Attribute attribute, Type type, std::int64_t room,
         std::int64_t* count, void* values) {
  check(library().api.get_attribute(descriptor, attribute, type, room, count, values),
        "cudnnBackendGetAttribute");
}

}  // namespace

std::int64_t Descriptor::get_int64(Attribute attribute) const {
  std::int64_t value = 0, count = 0;
  get(raw_, attribute, Type::int64, 1, &count, &value);
  return value;
}

int Descriptor::get_enum(Attribute attribute, Type type) const {
  int value = 0;
  std::int64_t count = 0;
  get(raw_, attribute, type, 1, &count, &value);
  return value;
}

std::string Descriptor::get_text(Attribute attribute) const {
  std::int64_t size = 0;
  get(raw_, attribute, Type::character, 0, &size, nullptr);
  std::string text(static_cast<std::size_t>(size), '\0');
  get(raw_, attribute, Type::character, size, &size, text.data());
  text.resize(static_cast<std::size_t>(size));
  return text;
}

std::vector<int> Descriptor::get_enums(Attribute attribute, Type type) const {
  std::array<int, 64> values{};
  std::int64_t count = 0;
  get(raw_, attribute, type, values.size(), &count, values.data());
  std::vector<int> found;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(count, values.size()); ++i)
    found.push_back(values[static_cast<std::size_t>(i)]);
  return found;
}

std::int64_t Descriptor::count(Attribute attribute) const {
  std::int64_t count = 0;
  get(raw_, attribute, Type::descriptor, 0, &count, nullptr);
  return count;
}

std::vector<Descriptor> Descriptor::get_descriptors(Attribute attribute, Kind kind,
                                                    std::int64_t room) const {
  // cuDNN does not create the descriptors that it returns. Its caller creates them, and cuDNN fills
  // them.
  std::vector<Descriptor> filled;
  std::vector<RawDescriptor> raw;
  for (std::int64_t i = 0; i < room; ++i) {
    filled.emplace_back(kind);
    raw.push_back(filled.back().raw());
  }
  std::int64_t returned = 0;
  get(raw_, attribute, Type::descriptor, room, &returned, raw.data());
  while (static_cast<std::int64_t>(filled.size()) > returned) filled.pop_back();
  return filled;
}

}  // namespace atc::cudnn
