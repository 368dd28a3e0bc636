// The contents of a descriptor in the library that replaces cuDNN in tests. If a program stores
// descriptor A as an attribute of descriptor B, then A and B share the contents of A, as in cuDNN.
// So the program may destroy A afterwards.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "engines/cudnn/backend.hpp"

namespace atc::fault {

using cudnn::Attribute;
using cudnn::Kind;
using cudnn::Type;

struct Node;
using Shared = std::shared_ptr<const Node>;

struct Value {
  Type type = Type::int64;
  std::vector<unsigned char> bytes;  // the values; empty if the values are descriptors
  std::vector<Shared> nodes;
};

struct Node {
  explicit Node(Kind kind) : kind(kind) {}

  Kind kind;
  bool finalized = false;
  std::map<Attribute, Value> values;

  bool has(Attribute attribute) const { return values.count(attribute) != 0; }

  template <typename Number>
  std::vector<Number> numbers(Attribute attribute) const {
    const auto known = values.find(attribute);
    if (known == values.end() || known->second.bytes.empty()) return {};
    std::vector<Number> numbers(known->second.bytes.size() / sizeof(Number));
    std::memcpy(numbers.data(), known->second.bytes.data(), known->second.bytes.size());
    return numbers;
  }
  template <typename Number>
  Number number(Attribute attribute) const {
    const auto all = numbers<Number>(attribute);
    return all.empty() ? Number() : all.front();
  }
  std::vector<Shared> nodes(Attribute attribute) const {
    const auto known = values.find(attribute);
    return known == values.end() ? std::vector<Shared>() : known->second.nodes;
  }
  Shared node(Attribute attribute) const {
    const auto all = nodes(attribute);
    return all.empty() ? nullptr : all.front();
  }
};

std::size_t size_of(Type type);  // the size of one value of this type, in bytes

}  // namespace atc::fault
