// The distinct convolutions that were recorded, and the file that they are written to.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "atc/conv.h"
#include "weights_state.hpp"

namespace atc_torch {

class Recording {
 public:
  static constexpr std::size_t kMost = 100'000;

  // Throws Failure(ATC_ERROR_IO) if the file cannot be written.
  explicit Recording(std::string file);

  // Counts the problem. `packable`: the bridge would pack the weights if they never change. Returns
  // false if the problem is new and there are kMost problems already.
  bool note(const atc_conv_problem& problem, const at::Tensor& w, bool packable);

  // Writes the whole file or nothing. Returns the number of distinct problems in it. Throws
  // Failure(ATC_ERROR_IO).
  std::uint64_t write() const;

 private:
  struct Document {
    std::string text;
    std::uint64_t distinct = 0;
  };
  struct Row {
    atc_conv_problem problem;
    std::uint64_t count = 0;
    bool constant_weights = true;
    std::vector<WeightsState> weights;  // the state of each weight tensor that was seen; only used
                                        // while the weights are constant
  };

  static void note_weights(Row& row, const at::Tensor& w);
  Document document() const;

  const std::string file_;
  std::vector<Row> rows_;  // the rows in the order in which their problems first appeared
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace atc_torch
