// A list of problems to be tuned, behind the handle atc_problems.
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
    atc_device device{};  // as atc_problems_get writes it
    atc_conv_problem problem{};
    atc_conv_options terms{};  // the options that a decision depends on; all others are 0
    std::uint64_t count = 0;
    std::optional<conv::NotedProblem> noted;
  };

  void add_noted();
  // All rows or none. Throws Error(invalid_argument).
  void add_json(std::string_view text);
  // The problem is valid. The count is added to that of an equal row.
  void add(Row row);

  const std::vector<Row>& rows() const { return rows_; }
  const Row& at(std::size_t index) const;  // throws Error(invalid_argument)
  std::string json() const;
  // `device`: of the rows that name none. A row for another type of device fails when it is tuned.
  std::vector<conv::TuningTask> tasks(DeviceId device, const conv::PlanOptions& how) const;

  // A text by which a process with the same options reads a problem: that of a row, or one without
  // options of its own. The text does not name the number of a device, because ranks of a job have
  // different ones.
  std::string text_of(std::size_t row) const;
  static std::string text_of(const Problem& problem);
  // Throws Error(invalid_argument).
  static conv::TuningTask task_from(const std::string& text, DeviceId device,
                                    const conv::PlanOptions& how);

 private:
  std::vector<Row> rows_;
  std::unordered_map<std::string, std::size_t> places_;
};

// Of `options`, the fields that a row keeps.
atc_conv_options terms_of(const atc_conv_options& options);

}  // namespace atc::ffi

struct atc_problems {
  atc::ffi::ProblemList list;
};
