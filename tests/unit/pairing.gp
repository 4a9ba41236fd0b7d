/* Checks one pairing value of a curve's unit against PARI's own Tate pairing.
 *
 * Defined before this file is read: p, r, u, b, is_bn, is_m (1 or 0), xi0, xi1 (xi = xi0 + xi1 i), P and
 * Q = coordinates of points of E(Fp) and E'(Fp2) ([x, y] and [[x0, x1], [y0, y1]]), and e = the twelve
 * coefficients of the value, over Fp, of w^k: [real part, coefficient of i] for k = 0 ... 5.
 * Prints "equal" or "different".
 *
 * The relation (Hess, Smart, Vercauteren 2006; Vercauteren 2010): let t be the reduced Tate pairing
 * f_{r,Q}(P)^((p^12 - 1)/r). For an integer T = p mod r, f_{T,Q}(P) reduces to t^c with
 * c = ((T^12 - 1)/r) / (12 T^11) mod r; f_{p^i,Q} reduces to f_{p,Q} to the power i p^(i-1). For BN,
 * 6u + 2 + p - p^2 + p^3 = m r gives t^m = e * product f_{p^i,Q}^(c_i). Our values carry a factor in the
 * exponent: 3 for BLS12, 2u(6u^2 + 3u + 1) for BN. */
xi = [xi0, xi1];
w = ffgen(Mod(1, p) * (x^12 - 2 * xi[1] * x^6 + xi[1]^2 + xi[2]^2), 'w);
i = (w^6 - xi[1]) / xi[2];
one = w^0;
if (i^2 != -one, error("i"));
in_fp2(a) = a[1] * one + a[2] * i;
E = ellinit([0, 0, 0, 0, b], w);
s = if (is_m, w^-1, w);
point1 = [P[1] * one, P[2] * one];
point2 = [in_fp2(Q[1]) * s^2, in_fp2(Q[2]) * s^3];
if (!ellisoncurve(E, point1) || !ellisoncurve(E, point2), error("points"));
value = sum(k = 0, 5, in_fp2(e[k + 1]) * w^k);
tate = elltatepairing(E, point2, point1, r)^((p^12 - 1) / r);
ate_exponent(T) = lift(Mod((T^12 - 1) / r, r) / (12 * Mod(T, r)^11));
c = ate_exponent(p);
m = (6 * u + 2 + p - p^2 + p^3) / r;
bn_exponent() = lift(Mod(m, r) - c * Mod(1 - 2 * p + 3 * p^2, r)) * 2 * u * (6 * u^2 + 3 * u + 1);
expected = if (is_bn, bn_exponent(), ate_exponent(u) * 3);
if (tate == one || value == one, error("trivial"));
print(if (tate^(expected % r) == value, "equal", "different"));
