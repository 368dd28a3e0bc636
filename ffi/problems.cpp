#include "atc/problems.h"

#include <string_view>
#include <utility>

#include "bytes.hpp"
#include "cached_call.hpp"
#include "conv/noted.hpp"
#include "convert.hpp"
#include "guard.hpp"
#include "problem_list.hpp"

using namespace atc;
using namespace atc::ffi;

extern "C" {

atc_status atc_problems_create(atc_problems** out) noexcept {
  return guard([&] {
    required(out, "out");
    *out = new atc_problems;
  });
}

void atc_problems_destroy(atc_problems* problems) noexcept {
  guard_void([&] { delete problems; });
}

atc_status atc_problems_add_noted(atc_problems* problems) noexcept {
  return guard([&] { required(problems, "problems").list.add_noted(); });
}

atc_status atc_problems_forget_noted(void) noexcept {
  return guard([] { conv::forget_notes(); });
}

atc_status atc_problems_add_json(atc_problems* problems, const char* text, size_t size) noexcept {
  return guard([&] {
    ProblemList& list = required(problems, "problems").list;
    list.add_json({&required(text, "text"), size});
  });
}

atc_status atc_problems_add(atc_problems* problems, const atc_device* device,
                            const atc_conv_problem* problem, const atc_conv_options* options,
                            uint64_t count) noexcept {
  return guard([&] {
    ProblemList& list = required(problems, "problems").list;
    ProblemList::Row row;
    if (device != nullptr) {
      to_device(*device);
      row.device = *device;
    }
    to_problem(problem);
    row.problem = comparable_problem(problem);
    row.terms = terms_of(comparable_options(options));
    to_plan_options(row.terms);
    row.count = count;
    list.add(std::move(row));
  });
}

atc_status atc_problems_count(size_t* out, const atc_problems* problems) noexcept {
  return guard([&] { required(out, "out") = required(problems, "problems").list.rows().size(); });
}

atc_status atc_problems_get(atc_device* device, atc_conv_problem* problem,
                            atc_conv_options* options, uint64_t* count,
                            const atc_problems* problems, size_t index) noexcept {
  return guard([&] {
    const ProblemList::Row& row = required(problems, "problems").list.at(index);
    if (problem != nullptr) write_struct(problem, row.problem, "problem");
    if (options != nullptr) write_struct(options, row.terms, "options");
    if (device != nullptr) *device = row.device;
    if (count != nullptr) *count = row.count;
  });
}

atc_status atc_problems_json(atc_bytes** out, const atc_problems* problems) noexcept {
  return guard([&] {
    required(out, "out");
    *out = make_bytes(required(problems, "problems").list.json());
  });
}

}  // extern "C"
