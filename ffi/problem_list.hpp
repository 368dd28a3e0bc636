// The struct behind the handle atc_problems: a list of problems to be tuned. A row of the list is a
// problem with its terms (the options on which a decision depends). A noted problem is one that a
// call of this process had.
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
    atc_device device{};  // type 0: the row names no device
    atc_conv_problem problem{};
    atc_conv_options terms{};  // the options on which a decision depends; other options are 0
    std::uint64_t count = 0;
    std::optional<conv::NotedProblem> noted;
  };

  void add_noted();
  // Adds all rows of the text. If a row is not valid, throws Error(invalid_argument) and adds no
  // row.
  void add_json(std::string_view text);
  // Adds a row. The problem of the row must be valid. If the list has an equal row already, the
  // counts of the two rows are added.
  void add(Row row);

  const std::vector<Row>& rows() const { return rows_; }
  const Row& at(std::size_t index) const;  // throws Error(invalid_argument)
  std::string json() const;
  // Returns a task for each row. `device` is used for rows that name no device. A row for another
  // type of device fails when it is tuned.
  std::vector<conv::TuningTask> tasks(DeviceId device, const conv::PlanOptions& how) const;

  // Returns a text from which task_from of another process makes the same task, if both processes
  // have the same options. The first function writes a row. The second one writes a problem without
  // terms. The text does not contain the number of a device, because the ranks of a job use devices
  // with different numbers.
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

// Returns a copy of `options` in which only the fields that a row keeps are set.
atc_conv_options terms_of(const atc_conv_options& options);

}  // namespace atc::ffi

struct atc_problems {
  atc::ffi::ProblemList list;
};
