#include "engines/kernels/first/configuration.hpp"

#include "engines/kernels/configuration_form.hpp"

namespace atc::first {

namespace {

using C = Configuration;
using Field = kernels::Field<C>;
using Written = Field::Written;

constexpr Field kForm[] = {
    {"c", &C::channels},
    {"_p", &C::pixels, Written::where_set, &C::pixels},
    {"_t", &C::tile_h, Written::where_unset, &C::pixels},
    {"x", &C::tile_w, Written::where_unset, &C::pixels},
    {"_s", &C::stages},
    {"_n", &C::splits, Written::where_set, &C::splits},
    {"_o", &C::staged},
    {"_w", &C::strips},
};

}  // namespace

bool Configuration::operator==(const Configuration& other) const {
  return kernels::equal(kForm, *this, other);
}
std::string to_string(const Configuration& c) { return kernels::write(kForm, c); }
Configuration parse_configuration(const std::string& text) {
  return kernels::read(kForm, text, "first", "c64_p512_s2 or c64_t8x32_s1");
}

}  // namespace atc::first
