// How far a correct result may be from the exact one.
//
// An engine forms s = sum of m summands: n products, and bias and old value where the problem has
// them, with fp32 arithmetic in any order. Higham, "Accuracy and Stability of Numerical
// Algorithms", 2nd ed., section 3.1 and (4.4): each summand is touched by at most m roundings (its
// product and m - 1 additions), so
//     |fl(s) - s| <= gamma_m * sum |summand|,   gamma_m = m u / (1 - m u),   u = 2^-24.
// Products of bf16 or f16 are exact in fp32, which only lowers the error. Rounding to the output's
// dtype adds u_out * |fl(s)| <= u_out * (|s| + bound). relu brings two numbers no further apart.
// fp32 units may flush subnormals (2^-126 per operation: Higham (2.8)); the output rounds to
// multiples of its smallest number near zero.
//
// The bound knows nothing of the data; it is what the standard promises for any order. TF32 and
// Winograd forms have other bounds and are no candidates on the CPU.
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "core/problem.hpp"

namespace atc::reference {

// Largest |got - exact| for an element with `summands` terms of which the sum is `value` and the
// sum of absolute values `magnitude`.
double tolerance(std::int64_t summands, Dtype output, double value, double magnitude);

// Terms summed into one output element: products, bias, old value.
std::int64_t summands(const Problem& problem);

// Whether integer operands from {-1, 0, 1} give exact fp32 sums: all partial sums below 2^24.
bool ternary_is_exact(const Problem& problem);

}  // namespace atc::reference
