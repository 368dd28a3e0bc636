// How far a correct result may be from the exact one.
//
// An engine forms s = sum of m summands: n products, and bias and old value where the problem has
// them, with fp32 arithmetic in any order. Higham, "Accuracy and Stability of Numerical
// Algorithms", 2nd ed., section 3.1 and (4.4): at most m roundings affect a summand (of its product
// and of m - 1 additions), so
//     |fl(s) - s| <= gamma_m * sum |summand|,   gamma_m = m u / (1 - m u),   u = 2^-24.
// Products of bf16 or f16 are exact in fp32, which only lowers the error. Rounding to the output's
// dtype adds u_out * |fl(s)| <= u_out * (|s| + bound). relu never increases the distance of two
// numbers. fp32 units may flush subnormals (2^-126 per operation: Higham (2.8)); the output rounds
// to multiples of its smallest number near zero.
//
// The bound does not depend on the data: fp32 arithmetic keeps it for any order of additions. TF32
// first rounds both factors of a product to 11 bits, or truncates them, with a relative error of
// 2^-10 at most: the bound grows by (1 + 2^-10)^2 - 1 times each summand's size.
//
// The arithmetic that was really used shows in the root mean square of the errors, as a multiple of
// sqrt(sum summand^2), which is the scale of a sum of independent summands. fp32 sums of n terms,
// one after the other, come to u sqrt(n / 6) (each addition errs by u / sqrt(3) of a partial sum
// that has grown to sqrt(i)): 2^-14 at ten million. TF32 comes to 2^-12 or more (two roundings of
// 2^-11, uniformly distributed), or 2^-10 where it truncates; bf16 factors to 2^-9 or more. The
// limits of the classes lie between these.
//
// The class `reduced` is less precise than these: its partial sums, too, are rounded to the
// operands' type, such as those of a split reduction. By the same estimate 1,024 partial sums that
// are rounded by u each and added one after the other in that type err by u (1 + sqrt(1024 / 6)),
// less than 16 u.
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "core/problem.hpp"
#include "engines/engine.hpp"

namespace atc::reference {

// The least precise arithmetic that a result may come from.
enum class Precision { fp32, tf32, reduced };

// Largest |got - exact| for an element with `summands` terms; `value` is their sum, `magnitude` the
// sum of their absolute values. `fresh` is the partial sum that an engine may round to the output's
// dtype before bias or old value are added; 0 where it may not.
double tolerance(std::int64_t summands, Dtype output, double value, double magnitude,
                 Precision precision = Precision::fp32, double fresh = 0);

// Largest root mean square error of a class, as a multiple of sqrt(sum summand^2).
double class_limit(Precision precision, const Problem& problem);

// The error beyond `tolerance` that class `reduced` allows a single element whose summands' squares
// add up to `energy`: eight times the root mean square error of its partial sums, which one in
// 10^15 normally distributed errors exceeds. 0 for the other classes.
double reduced_tolerance(Precision precision, const Problem& problem, double energy);

// The error beyond `tolerance` that a Winograd form may have in a sum of `products` products whose
// factors are at most `largest` in size. Y = A'[(G g G') * (B' d B)]A, all in fp32, with the
// channels summed in between: at most `products` + 32 roundings affect a number, and Higham's (3.5)
// bounds the error by gamma times the same expression of absolute values, |A'|[(|G| |g| |G'|) *
// (|B'| |d| |B|)]|A|. With |g|, |d| <= largest that is `products` x largest^2 x (max over p of sum
// over i of |A_pi| x the sums of |G_i| and |B_i|)^2 at most. That last square is 2,304 for the
// transforms of F(4 x 4, 3 x 3) (Lavin and Gray, "Fast Algorithms for Convolutional Neural
// Networks", 4.1) and 64 for F(2 x 2, 3 x 3). The bound is wide: in long sums only the root mean
// square tells right from wrong.
double transform_tolerance(std::int64_t products, double largest);

// How far any element may be from `expected`, the reference's output in the output's dtype, with
// operands from {-1, 0, 1}: absolute + relative x |expected|.
struct Margin {
  double absolute = 0, relative = 0;
};

// The margin of an element whose unrounded value is v, with u the unit roundoff of the output's
// dtype. No summand exceeds 1, so that adding up costs at most `tolerance` of the value 0 and the
// magnitude `summands`. Three numbers are rounded besides, each with an error of u times its size
// at most: the result (|v|), the sum before bias and old value are added (|v| + 2), and the
// expected value (|v|), which the result is compared with. Together that is u (3 + u) |v| + 2 u (1
// + u), where |v| <= |expected| / (1 - u). Both parts are 0 where the result has to equal the
// reference's.
Margin ternary_margin(const Problem& problem, Exactness exactness, Precision precision);

// Terms summed into one output element: products, bias, old value.
std::int64_t summands(const Problem& problem);

// Whether operands from {-1, 0, 1} give exact sums: fp32 represents every integer up to 2^24, which
// partial sums do not reach, and where an old value is added in the output's dtype, that dtype
// represents every integer up to the sum.
bool ternary_is_exact(const Problem& problem);

// Whether a result of such operands has to be the reference's, bit for bit.
bool is_held_to_equality(const Problem& problem, Exactness exactness, Precision precision);

}  // namespace atc::reference
