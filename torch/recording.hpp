// A recording: the distinct convolutions that a program ran, and the file to which they are
// written.
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

  // Counts one run of the problem. `packable` is true if the bridge could pack the weights,
  // provided that they never change. Returns false if the problem is new and the recording already
  // has kMost problems (the limit).
  bool note(const atc_conv_problem& problem, const at::Tensor& w, bool packable);

  // Writes the file. Returns the number of distinct problems in the file. Throws
  // Failure(ATC_ERROR_IO) if the file cannot be written. In this case an existing file is
  // unchanged.
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
    // The state of each weight tensor that was used with the problem. Not used if
    // `constant_weights` is false.
    std::vector<WeightsState> weights;
  };

  static void note_weights(Row& row, const at::Tensor& w);
  Document document() const;

  const std::string file_;
  // the rows (problems) of the recording, in the order in which the problems first appeared
  std::vector<Row> rows_;
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace atc_torch
