#include "engines/rewrite/move/move.hpp"

#include <algorithm>
#include <cstring>

namespace atc::rewrite {

namespace {

bool is_full(const MoveDim& dim) { return dim.step == 1 && dim.inside == dim.extent; }

// Returns whether the two dimensions can be joined to one dimension. For this, the stride of
// `outer` must be the stride of `inner` times the extent of `inner`, both in the target and in the
// source.
bool are_one(const MoveDim& outer, const MoveDim& inner, bool zero) {
  return outer.target == inner.target * inner.extent &&
         (zero ||
          (outer.step == 1 && is_full(inner) && outer.source == inner.source * inner.extent));
}

void move_from(const PlainMove& move, std::size_t at, int width, const char* source, char* target,
               bool zero) {
  if (at == move.dims.size()) {
    if (zero)
      std::memset(target, 0, static_cast<std::size_t>(width));
    else
      std::memcpy(target, source, static_cast<std::size_t>(width));
    return;
  }
  const MoveDim& dim = move.dims[at];
  for (std::int64_t i = 0; i < dim.extent; ++i) {
    const std::int64_t from = i / dim.step;
    const bool absent = zero || i % dim.step != 0 || from >= dim.inside;
    move_from(move, at + 1, width, absent ? nullptr : source + from * dim.source * width,
              target + i * dim.target * width, absent);
  }
}

}  // namespace

PlainMove simplified(const Move& move) {
  PlainMove plain;
  plain.source_offset = move.source_offset;
  plain.target_offset = move.target_offset;
  std::vector<MoveDim> dims;
  for (MoveDim dim : move.dims) {
    dim.inside = std::min(dim.inside, (dim.extent + dim.step - 1) / dim.step);
    plain.zero = plain.zero || dim.inside == 0;
    if (dim.extent > 1) dims.push_back(dim);
  }
  if (plain.zero)
    for (MoveDim& dim : dims) dim.inside = dim.extent, dim.step = 1, dim.source = 0;
  std::stable_sort(dims.begin(), dims.end(),
                   [](const MoveDim& a, const MoveDim& b) { return a.target > b.target; });
  for (const MoveDim& dim : dims) {
    if (plain.dims.empty() || !are_one(plain.dims.back(), dim, plain.zero)) {
      plain.dims.push_back(dim);
      continue;
    }
    MoveDim& joined = plain.dims.back();
    joined.inside *= dim.extent;
    joined.extent *= dim.extent;
    joined.source = dim.source;
    joined.target = dim.target;
  }
  return plain;
}

void move_on_host(const Move& move, int width, const void* source, void* target) {
  const PlainMove plain = simplified(move);
  const auto* const from = static_cast<const char*>(source);
  move_from(plain, 0, width, plain.zero ? nullptr : from + plain.source_offset * width,
            static_cast<char*>(target) + plain.target_offset * width, plain.zero);
}

}  // namespace atc::rewrite
