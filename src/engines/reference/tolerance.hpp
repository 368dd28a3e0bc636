// How far a correct result may be from the exact one.
//
// An engine computes s, a sum of m summands: n products, and also the bias and the old value if the
// problem has them. It uses fp32 arithmetic in any order. At most m roundings affect a summand: one
// of its product, and m - 1 of additions. So, by Higham, "Accuracy and Stability of Numerical
// Algorithms", 2nd ed., section 3.1 and (4.4),
//   |fl(s) - s| <= gamma_m * sum |summand|,   gamma_m = m u / (1 - m u),   u = 2^-24.
// Products of bf16 or f16 are exact in fp32, which only lowers the error. Rounding to the output's
// dtype adds u_out * |fl(s)| <= u_out * (|s| + bound). relu never increases the distance of two
// numbers. fp32 units may flush subnormals (2^-126 per operation: Higham (2.8)). Near zero the
// output is rounded to multiples of its smallest number.
//
// The bound does not depend on the data: fp32 arithmetic keeps it for any order of additions. TF32
// first rounds or truncates both factors of a product to 11 bits, with a relative error of at most
// 2^-10. So the bound grows by (1 + 2^-10)^2 - 1 times the size of each summand.
//
// The root mean square of the errors shows which arithmetic was really used. It is measured as a
// multiple of sqrt(sum summand^2), which is the size of a sum of independent summands.
//   * fp32: sums of n terms, one after the other, have u sqrt(n / 6), which is 2^-14 at ten million
//     terms. (Each addition errs by u / sqrt(3) of a partial sum that has grown to sqrt(i).)
//   * TF32: 2^-12 or more (two roundings of 2^-11, uniformly distributed);
//     2^-10 if it truncates.
//   * bf16 factors: 2^-9 or more.
// The limits of the classes lie between these numbers.
//
// The class `reduced` is less precise: its partial sums, too, are rounded to the operands' type,
// such as those of a split reduction. By the same estimate, 1,024 partial sums that are rounded by
// u each and added one after the other in that type have an error of u (1 + sqrt(1024 / 6)), less
// than 16 u.
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "core/problem.hpp"
#include "engines/engine.hpp"

namespace atc::reference {

// The classes of precision: the least precise arithmetic from which a result may come.
enum class Precision { fp32, tf32, reduced };

// The largest |got - exact| that is allowed for an element with `summands` terms. `value` is their
// sum, and `magnitude` the sum of their absolute values. `fresh` is the partial sum that an engine
// may round to the output's dtype before it adds bias or old value; 0 if it may not round any.
double tolerance(std::int64_t summands, Dtype output, double value, double magnitude,
                 Precision precision = Precision::fp32, double fresh = 0);

// The largest root mean square error that a class allows, as a multiple of sqrt(sum summand^2).
double class_limit(Precision precision, const Problem& problem);

// The error beyond `tolerance` that the class `reduced` allows for a single element. `energy` is
// the sum of the squares of the element's summands. The result is eight times the root mean square
// error of its partial sums; of normally distributed errors, one in 10^15 is larger. 0 for the
// other classes.
double reduced_tolerance(Precision precision, const Problem& problem, double energy);

// The error beyond `tolerance` that Winograd's method may have in a sum of `products` products
// whose factors are at most `largest` in size.
//
// The method computes Y = A'[(G g G') * (B' d B)]A in fp32, and adds up the channels in between. At
// most `products` + 32 roundings affect a number. By Higham's (3.5) the error is at most gamma
// times the same expression of absolute values, |A'|[(|G| |g| |G'|) * (|B'| |d| |B|)]|A|. If
// |g|, |d| <= largest, this expression is at most `products` x largest^2 x (max over p of sum over
// i of |A_pi| x the sums of |G_i| and |B_i|)^2. The last square is 2,304 for the transforms of
// F(4 x 4, 3 x 3) (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 4.1) and 64
// for F(2 x 2, 3 x 3). The bound is wide: in long sums only the root mean square of the errors
// shows whether a result is wrong.
double transform_tolerance(std::int64_t products, double largest);

// The margin of an element for operands from {-1, 0, 1}. If the reference's output, in the output's
// dtype, is `expected`, an element may differ from it by at most absolute + relative x |expected|.
struct Margin {
  double absolute = 0, relative = 0;
};

// Computes the margin. Let v be the unrounded value of an element, and u the unit roundoff of the
// output's dtype. No summand is larger than 1. So the error of adding up is at most `tolerance` for
// the value 0 and the magnitude `summands`. Three more numbers are rounded, each with an error of
// at most u times its size: the result (|v|), the sum before bias and old value are added
// (|v| + 2), and the expected value (|v|), with which the result is compared. Together this is
// u (3 + u) |v| + 2 u (1 + u), and |v| <= |expected| / (1 - u). Both parts of the margin are 0 if
// the result has to equal the reference's.
//
// With an activation f of a sum t, a sum of products s is rounded that is at most |t| + 2 in size,
// and the error becomes |f'(t)| times as large. For all activations |f'(t)| (|t| + 2) is at most
// 3 |v| + 3. (The worst one is hard-swish just below 3: f' is 1.5, and v is at least t / 2. ReLU
// and clamp have |v| + 2.) So 3 |v| + 3 takes the place of |v| + 2.
Margin ternary_margin(const Problem& problem, Exactness exactness, Precision precision);

// The number of roundings that affect a summand of one output element: one for each of its terms
// (products, bias, residual, old value), one for the scale, and those of the activation.
std::int64_t summands(const Problem& problem);

// Whether an engine may round the sum of the products to the output's dtype before it goes on.
bool may_round_before(const Problem& problem);

// Whether sums are exact if the operands are from {-1, 0, 1}. fp32 represents every integer up to
// 2^24 exactly, so partial sums must not reach 2^24. If an old value is added in the output's
// dtype, this dtype has to represent every integer up to the sum.
bool ternary_is_exact(const Problem& problem);

// Whether a result for operands from {-1, 0, 1} has to equal the reference's, bit for bit.
bool is_held_to_equality(const Problem& problem, Exactness exactness, Precision precision);

}  // namespace atc::reference
