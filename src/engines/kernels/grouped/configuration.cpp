#include "engines/kernels/grouped/configuration.hpp"

#include "engines/kernels/configuration_form.hpp"

namespace atc::grouped {

namespace {

using C = Configuration;
using Field = kernels::Field<C>;
using Written = Field::Written;

constexpr Field kForm[] = {
    {"stream_", &C::sixteens, Written::where_set, &C::blocks},
    {"gradient_", &C::sixteens, Written::where_set, &C::splits},
    {"x", &C::eights},
    {"_g", &C::groups},
    {"_", &C::tile_h},
    {"x", &C::tile_w},
    {"_b", &C::blocks, Written::where_set, &C::blocks},
    {"_s", &C::splits, Written::where_set, &C::splits},
};

}  // namespace

bool Configuration::operator==(const Configuration& other) const {
  return kernels::equal(kForm, *this, other);
}
std::string to_string(const Configuration& c) { return kernels::write(kForm, c); }
Configuration parse_configuration(const std::string& text) {
  return kernels::read(kForm, text, "grouped", "stream_4x1_g8_4x28_b3");
}

}  // namespace atc::grouped
