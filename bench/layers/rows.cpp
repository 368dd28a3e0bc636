#include "rows.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

std::vector<Row> read_rows(const std::string& file) {
  std::ifstream input(file);
  if (!input) {
    std::fprintf(stderr, "cannot read %s\n", file.c_str());
    std::exit(2);
  }
  std::vector<Row> rows;
  for (std::string line; std::getline(input, line);) {
    std::istringstream columns(line.substr(0, line.find('#')));
    Row row{};
    if (!(columns >> row.name)) continue;
    std::int64_t d, h, w, t, r, s, pad;
    if (!(columns >> row.batch >> row.in_channels >> d >> h >> w >> row.out_channels >> t >> r >>
          s >> pad >> row.stride >> row.dilation >> row.groups)) {
      std::fprintf(stderr, "%s: row %s has less than 14 columns\n", file.c_str(), row.name.c_str());
      std::exit(2);
    }
    row.dims = d > 0 ? 3 : 2;
    const bool one_dimensional = d == 0 && h == 1 && r == 1;
    const std::int64_t inputs[3] = {d, h, w}, kernels[3] = {t, r, s};
    const std::int64_t paddings[3] = {pad, one_dimensional ? 0 : pad, pad};
    for (int i = 0; i < row.dims; ++i) {
      const int from = 3 - row.dims + i;
      row.input[i] = inputs[from];
      row.kernel[i] = kernels[from];
      row.padding[i] = paddings[from];
    }
    row.transposed = row.name.rfind("tconv_", 0) == 0;
    rows.push_back(row);
  }
  return rows;
}
