// Determines how far a correct result of an engine may differ from the exact result.
//
// An engine computes s, a sum of m summands: n products, and also the bias and the old value if the
// problem has them. The engine adds in fp32, in any order. A summand takes part in at most m
// roundings: one of its product, and m - 1 of additions. So, by Higham, "Accuracy and Stability of
// Numerical Algorithms", 2nd ed., section 3.1 and (4.4),
//   |fl(s) - s| <= gamma_m * sum |summand|,   gamma_m = m u / (1 - m u),   u = 2^-24.
// Here fl(s) is the computed sum. Products of bf16 or f16 are exact in fp32, which only lowers the
// error. Rounding to the output's dtype adds u_out * |fl(s)| <= u_out * (|s| + bound), where u_out
// is the unit roundoff of this dtype. A ReLU never increases the distance between two numbers. A
// processor may flush subnormals of fp32 to zero, which adds an error of at most 2^-126 for each
// operation (Higham (2.8)). Near zero the output is rounded to multiples of the smallest number of
// its dtype.
//
// The bound gamma_m * sum |summand| holds for fp32 arithmetic, for any data and any order of
// additions, where gamma_m = m u / (1 - m u) and u = 2^-24. TF32 arithmetic first rounds or
// truncates both factors of a product to 11 bits, with a relative error of at most 2^-10. So for
// TF32 the bound is larger by (1 + 2^-10)^2 - 1 times the absolute value of each summand.
//
// The bound of tolerance() is the worst case. The root mean square (rms) of the errors over many
// elements is much smaller, and shows which arithmetic an engine really used. The rms errors are
// given here as multiples of sqrt(sum summand^2), the typical size of a sum of independent
// summands:
// * fp32: a sum of n terms, added one after the other, has an rms error of u sqrt(n / 6). This is
//   2^-14 for ten million terms. (The error of addition i is u / sqrt(3) times the partial sum,
//   whose size is sqrt(i).)
// * TF32: 2^-12 or more if factors are rounded (two roundings with uniformly distributed errors of
//   up to 2^-11), and 2^-10 if factors are truncated.
// * bf16 factors: 2^-9 or more.
//
// The limits of the classes of precision (class_limit()) are between the rms errors of fp32, TF32
// and bf16 arithmetic.
//
// The class of precision `reduced` is the least precise: it also allows that partial sums (such as
// those of split-K) are rounded to the type of the operands. Let u be the unit roundoff of this
// type. By the same estimate as for sums of n terms in fp32 (u sqrt(n / 6)), 1,024 partial sums
// that are rounded to this type, and then added one after the other in this type, have an error of
// u (1 + sqrt(1024 / 6)). This is less than 16 u.
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "core/problem.hpp"
#include "engines/engine.hpp"

namespace atc::reference {

// The classes of precision. A class is named after the least precise arithmetic that it allows.
enum class Precision { fp32, tf32, reduced };

// Returns the largest |computed - exact| that is allowed for an element with `summands` summands.
// `value` is the sum of the summands, and `magnitude` the sum of their absolute values. An engine
// may round a partial sum to the output's dtype before it adds the bias or the old value; `fresh`
// is this partial sum. It is 0 if such a rounding is not allowed.
double tolerance(std::int64_t summands, Dtype output, double value, double magnitude,
                 Precision precision = Precision::fp32, double fresh = 0);

// Returns the largest root mean square error that a class allows, as a multiple of sqrt(sum
// summand^2).
double class_limit(Precision precision, const Problem& problem);

// Returns the error that the class `reduced` allows for a single element in addition to
// tolerance(). `energy` is the sum of the squares of the element's summands. The result is eight
// times the root mean square error that class_limit() adds for rounded partial sums. (If errors
// have a normal distribution, one in 10^15 is larger.) Returns 0 for the other classes.
double reduced_tolerance(Precision precision, const Problem& problem, double energy);

// Returns the error that Winograd's method may have in addition to tolerance(), in a sum of
// `products` products whose factors have an absolute value of at most `largest`.
//
// Winograd's method computes Y = A'[(G g G') * (B' d B)]A in fp32 from the input d and the filter
// g. It adds up the channels before it multiplies by A. At most `products` + 32 roundings affect a
// number. By Higham's (3.5) the error is at most gamma times the same expression of absolute
// values, |A'|[(|G| |g| |G'|) * (|B'| |d| |B|)]|A|. If |g|, |d| <= largest, this expression is at
// most `products` x largest^2 x (max over p of sum over i of |A_pi| x the sums of |G_i| and
// |B_i|)^2. The last square is 2,304 for the transforms of F(4 x 4, 3 x 3) (Lavin and Gray, "Fast
// Algorithms for Convolutional Neural Networks", 4.1) and 64 for F(2 x 2, 3 x 3). The bound is
// wide: in long sums only the root mean square of the errors shows whether a result is wrong.
double transform_tolerance(std::int64_t products, double largest);

// The allowed difference between an element of a candidate and the same element of the reference
// engine, if the operands are from {-1, 0, 1}. If the element of the reference, rounded to the
// output's dtype, is `expected`, the difference may be at most absolute + relative * |expected|.
struct Margin {
  double absolute = 0, relative = 0;
};

// Returns the margin. Both of its parts are 0 if the candidate's result has to equal the result of
// the reference engine. Otherwise, let v be the unrounded value of an element, and u the unit
// roundoff of the output's dtype. No summand is larger than 1. So the error of the additions is at
// most tolerance() for the value 0 and the magnitude `summands`. Three more numbers are rounded,
// each with an error of at most u times its size: the result (|v|), the sum before bias and old
// value are added (|v| + 2), and the expected value (|v|), with which the result is compared.
// Together this is u (3 + u) |v| + 2 u (1 + u), and |v| <= |expected| / (1 - u).
//
// If there is an activation f, let t be the sum to which f is applied. An engine may round the sum
// of the products, whose size is at most |t| + 2, with an error of at most u (|t| + 2), where u is
// the unit roundoff of the output's dtype. The activation multiplies this error by |f'(t)|. For
// each activation of atc, |f'(t)| (|t| + 2) is at most 3 |v| + 3, where v = f(t). (The largest
// value is that of hard-swish for t just below 3: f' is 1.5, and v is at least t / 2. For ReLU and
// clamp it is |v| + 2.) So, with an activation, the error of the sum before bias and old value are
// added is at most u (3 |v| + 3), and not u (|v| + 2).
Margin ternary_margin(const Problem& problem, Exactness exactness, Precision precision);

// Returns the largest number of roundings that can affect a summand of one element of the output:
// one for each summand (products, bias, residual, old value), one for the scale, and those of the
// activation.
std::int64_t summands(const Problem& problem);

// Returns whether an engine may round the sum of the products to the output's dtype before it adds
// the bias or the old value, or applies the post-ops.
bool may_round_before(const Problem& problem);

// Returns whether fp32 computes sums exactly if the operands are from {-1, 0, 1}. fp32 represents
// each integer up to 2^24, so partial sums must not reach 2^24. If the old value is added in a
// narrower dtype of the output, partial sums must not reach the limit of that dtype. There must be
// no activation that makes other numbers than integers.
bool ternary_is_exact(const Problem& problem);

// Returns whether a result for operands from {-1, 0, 1} must have the same bits as the result of
// the reference engine.
bool is_held_to_equality(const Problem& problem, Exactness exactness, Precision precision);

}  // namespace atc::reference
