// Owns a descriptor: an object of cuDNN's backend interface that has attributes. The attributes are
// set first, then the descriptor is finalized. After that, attributes can be read.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engines/cudnn/library.hpp"

namespace atc::cudnn {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(Kind kind) {
    check(require().create_descriptor(kind, &raw_), "cudnnBackendCreateDescriptor");
  }
  ~Descriptor() {
    if (raw_ != nullptr) library().api.destroy_descriptor(raw_);
  }
  Descriptor(Descriptor&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }

  RawDescriptor raw() const { return raw_; }

  template <typename Value>
  Descriptor& set(Attribute attribute, Type type, const Value* values, std::int64_t count) {
    check(library().api.set_attribute(raw_, attribute, type, count, values),
          "cudnnBackendSetAttribute");
    return *this;
  }
  Descriptor& set(Attribute attribute, Type type, int value) {
    return set(attribute, type, &value, 1);
  }
  Descriptor& set(Attribute attribute, std::int64_t value) {
    return set(attribute, Type::int64, &value, 1);
  }
  Descriptor& set(Attribute attribute, float value) {
    return set(attribute, Type::float32, &value, 1);
  }
  Descriptor& set(Attribute attribute, const Descriptor& value) {
    return set(attribute, Type::descriptor, &value.raw_, 1);
  }
  Descriptor& finalize() {
    check(library().api.finalize(raw_), "cudnnBackendFinalize");
    return *this;
  }

  // Each of the next three functions reads an attribute that has exactly one value. cuDNN returns
  // an error if more values are requested.
  std::int64_t get_int64(Attribute attribute) const;
  int get_enum(Attribute attribute, Type type) const;
  std::string get_text(Attribute attribute) const;
  // Returns the values of an attribute that is a list of constants. A newer cuDNN may return
  // constants that atc does not know.
  std::vector<int> get_enums(Attribute attribute, Type type) const;
  // Returns the values of an attribute that is a list of descriptors, at most `room` of them. The
  // function count() returns how many values an attribute has. For some attributes cuDNN does not
  // report this, and count() returns 0.
  std::vector<Descriptor> get_descriptors(Attribute attribute, Kind kind, std::int64_t room) const;
  std::int64_t count(Attribute attribute) const;

 private:
  RawDescriptor raw_ = nullptr;
};

}  // namespace atc::cudnn
