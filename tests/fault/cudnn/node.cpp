#include "fault/cudnn/node.hpp"

namespace atc::fault {

std::size_t size_of(Type type) {
  switch (type) {
    case Type::handle:
    case Type::pointer:
      return sizeof(void*);
    case Type::int64:
    case Type::float64:
      return sizeof(std::int64_t);
    case Type::boolean:
      return sizeof(bool);
    case Type::character:
      return 1;
    default:
      return sizeof(int);  // an enumeration or a float: both have the size of an int
  }
}

}  // namespace atc::fault
