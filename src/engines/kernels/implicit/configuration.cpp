#include "engines/kernels/implicit/configuration.hpp"

#include "engines/kernels/configuration_form.hpp"

namespace atc::implicit {

namespace {

using C = Configuration;
using Field = kernels::Field<C>;
using Written = Field::Written;

constexpr Field kForm[] = {
    {"raster_", &C::parts, Written::where_set, &C::parts},
    {"x", &C::columns, Written::where_set, &C::parts},
    {"_t", &C::tiles, Written::where_set, &C::parts},
    {"tile_", &C::sixteens, Written::where_unset, &C::parts},
    {"x", &C::eights, Written::where_unset, &C::parts},
    {"_g", &C::groups, Written::where_unset, &C::parts},
    {"_", &C::tile_h},
    {"x", &C::tile_w},
    {"_s", &C::splits, Written::where_set, &C::splits},
};

}  // namespace

bool Configuration::operator==(const Configuration& other) const {
  return kernels::equal(kForm, *this, other);
}
std::string to_string(const Configuration& c) { return kernels::write(kForm, c); }
Configuration parse_configuration(const std::string& text) {
  return kernels::read(kForm, text, "implicit", "tile_8x1_g8_4x28");
}

}  // namespace atc::implicit
