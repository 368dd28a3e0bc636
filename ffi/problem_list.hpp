// The struct behind the handle atc_problems: a list of problems to be tuned. A row of the list is a
// problem with its terms (the options on which a decision depends). A noted problem is a problem
// that this process called without a decision, and remembered for tuning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "atc/problems.h"
#include "conv/decide/tuning.hpp"
#include "conv/noted.hpp"

namespace atc::ffi {

class ProblemList {
 public:
  struct Row {
    atc_device device{};  // if its type is 0, the row names no device
    atc_conv_problem problem{};
    atc_conv_options terms{};  // only the options on which a decision depends; others are 0
    std::uint64_t count = 0;
    std::optional<conv::NotedProblem> noted;
  };

  void add_noted();
  // Adds all problems of a JSON text. If one of them is not valid, throws Error(invalid_argument)
  // and adds none.
  void add_json(std::string_view text);
  // Adds a row. The problem of the row must be valid. If the list has an equal row already, the
  // counts of the two rows are added.
  void add(Row row);

  const std::vector<Row>& rows() const { return rows_; }
  const Row& at(std::size_t index) const;  // throws Error(invalid_argument)
  std::string json() const;
  // Returns a task (a problem to be tuned, with its device and options) for each row. `device` is
  // used for a row that names no device, or only the type of a device. Throws
  // Error(invalid_argument) if a row names only a type and `device` has another type.
  std::vector<conv::TuningTask> tasks(DeviceId device, const conv::PlanOptions& how) const;

  // Each function returns a text that is sent to another process. There, task_from() makes the same
  // task from the text, if it is called with the same options. The first function writes a row of
  // the list, and the second one a problem without terms. The text does not contain the number of a
  // device, because the ranks of a job use devices with different numbers.
  std::string text_of(std::size_t row) const;
  static std::string text_of(const Problem& problem);
  // Returns the task that `text` (a result of text_of) describes. Throws Error(invalid_argument) if
  // the text is not valid.
  static conv::TuningTask task_from(const std::string& text, DeviceId device,
                                    const conv::PlanOptions& how);

 private:
  std::vector<Row> rows_;
  std::unordered_map<std::string, std::size_t> places_;
};

// Returns a copy of `options` with the terms only: all other fields are 0.
atc_conv_options terms_of(const atc_conv_options& options);

}  // namespace atc::ffi

struct atc_problems {
  atc::ffi::ProblemList list;
};
