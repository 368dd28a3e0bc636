#include "engines/kernels/dense/configuration.hpp"

#include "engines/kernels/configuration_form.hpp"

namespace atc::dense {

namespace {

using C = Configuration;
using Field = kernels::Field<C>;
using Written = Field::Written;

constexpr Field kForm[] = {
    {"tile_", &C::rows},
    {"x", &C::columns},
    {"_s", &C::strips},
    {"_c", &C::splits, Written::where_set, &C::splits},
    {"_r", &C::rest_splits, Written::where_set, &C::rest_splits},
};

}  // namespace

bool Configuration::operator==(const Configuration& other) const {
  return kernels::equal(kForm, *this, other);
}
std::string to_string(const Configuration& c) { return kernels::write(kForm, c); }
Configuration parse_configuration(const std::string& text) {
  return kernels::read(kForm, text, "dense", "tile_128x256_s1");
}

}  // namespace atc::dense
