#include "cells.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace atc::lab {

namespace {

Tensor dense(Dtype dtype, int rank, const std::array<std::int64_t, kMaxRank>& shape, bool last) {
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.rank = rank;
  tensor.shape = shape;
  std::int64_t next = 1;
  const auto place = [&](int dim) {
    tensor.strides[dim] = next;
    next *= shape[dim];
  };
  if (last) place(1);
  for (int dim = rank - 1; dim >= 0; --dim)
    if (!last || dim != 1) place(dim);
  return tensor;
}

Dtype dtype_of(const std::string& format) {
  if (format == "fp16") return Dtype::f16;
  return format == "bf16" ? Dtype::bf16 : Dtype::f32;
}

Direction direction_of(const std::string& op) {
  if (op == "backward-data") return Direction::backward_data;
  return op == "backward-weight" ? Direction::backward_weight : Direction::forward;
}

}  // namespace

std::map<std::string, std::string> read_families(const std::string& file) {
  std::ifstream input(file);
  if (!input) {
    std::fprintf(stderr, "cannot read %s\n", file.c_str());
    std::exit(2);
  }
  std::map<std::string, std::string> families;
  for (std::string line; std::getline(input, line);) {
    std::istringstream columns(line.substr(0, line.find('#')));
    std::string name;
    if (columns >> name) columns >> families[name];
  }
  return families;
}

Cell make_cell(const Row& row, const std::string& family, const std::string& op,
               const std::string& set) {
  Cell cell;
  cell.layer = row.name;
  cell.family = family;
  cell.op = op;
  cell.format = set.substr(0, set.find('-'));
  cell.layout = set.substr(set.find('-') + 1);
  cell.allow_tf32 = cell.format != "fp32";

  Problem& p = cell.problem;
  p.direction = direction_of(op);
  p.epilogue = op == "forward-bias" ? Epilogue::bias : Epilogue::none;
  p.spatial = row.dims;
  p.groups = row.groups;
  std::array<std::int64_t, kMaxRank> x{row.batch, row.in_channels};
  std::array<std::int64_t, kMaxRank> w{row.out_channels, row.in_channels / row.groups};
  std::array<std::int64_t, kMaxRank> y{row.batch, row.out_channels};
  for (int dim = 0; dim < row.dims; ++dim) {
    p.stride[dim] = row.stride;
    p.dilation[dim] = row.dilation;
    p.pad_low[dim] = p.pad_high[dim] = row.padding[dim];
    x[2 + dim] = row.input[dim];
    w[2 + dim] = row.kernel[dim];
    const std::int64_t reach = row.dilation * (row.kernel[dim] - 1) + 1;
    y[2 + dim] = (row.input[dim] + 2 * row.padding[dim] - reach) / row.stride + 1;
  }
  const Dtype dtype = dtype_of(cell.format);
  const bool last = cell.layout == "last";
  p.x = dense(dtype, row.dims + 2, x, last);
  p.w = dense(dtype, row.dims + 2, w, last);
  p.y = dense(dtype, row.dims + 2, y, last);
  return cell;
}

}  // namespace atc::lab
