#include "problem_json.hpp"

#include "convert.hpp"
#include "core/json.hpp"
#include "json_members.hpp"
#include "problem_columns.hpp"
#include "problem_layout.hpp"
#include "problem_names.hpp"

namespace atc::ffi {

using Json = nlohmann::json;
using Row = nlohmann::ordered_json;

Row to_json(const atc_conv_problem& problem) {
  Row row;
  row["op"] = name_of(problem.direction, kDirectionNames);
  row["dtype"] = name_of(problem.x_dtype, kDtypeNames);
  row["layout"] = layout_to_json(problem);
  if (problem.epilogue != ATC_EPILOGUE_NONE) row["bias"] = true;
  row["columns"] = columns_to_json(problem);
  return row;
}

atc_conv_problem problem_from_json(const Json& row, const std::string& name) {
  if (!row.is_object()) fail(Status::invalid_argument, "{} is no object", name);
  atc_conv_problem p{};
  p.struct_size = sizeof(p);
  p.direction = place_from_json(row, "op", ATC_FORWARD, kDirectionNames, name);
  p.x_dtype = place_from_json(row, "dtype", ATC_DTYPE_F32, kDtypeNames, name);
  p.epilogue = flag_from_json(row, "bias", name) ? ATC_EPILOGUE_BIAS : ATC_EPILOGUE_NONE;
  const auto columns = row.find("columns");
  read_columns(p, columns == row.end() ? Json() : *columns, name + ".columns");
  // A bias with the activation ReLU means the same as the epilogue ATC_EPILOGUE_BIAS_RELU. The JSON
  // contains the first form. The returned problem has the second form, because older programs know
  // only this one.
  if (p.epilogue == ATC_EPILOGUE_BIAS && p.activation == ATC_ACTIVATION_RELU && p.scale == 0 &&
      p.residual == 0) {
    p.epilogue = ATC_EPILOGUE_BIAS_RELU;
    p.activation = ATC_ACTIVATION_NONE;
  }
  read_layout(p, row, name);
  return p;
}

}  // namespace atc::ffi
