#!/usr/bin/env python3
"""Makes src/params/*.h: every constant of every curve, from the short descriptions below.

    tools/params.py            write the headers
    tools/params.py --check    exit 1 if a header differs from what would be written

The headers hold macros only (initialiser lists of 64-bit words, least significant first), so that C
and CUDA read the same file. Field elements are in Montgomery form, R = 2^(64 * limbs), unless the
name ends in _PLAIN. `type x = {MACRO};` initialises an element of Fp or Fr (its words), of Fp2 (c0,
c1) and an affine point (x, y) alike. CI remakes and compares.
"""
import os
import sys
from math import gcd

from params_math import Derived, signed_digits, short_basis

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "..", "src", "params")

# name: the family polynomials give p and r from u; xi defines the sextic twist (D: y^2 = x^3 + b/xi,
# M: y^2 = x^3 + b xi); roots are the domain generators in use (the first is the curve's own); g1 and
# g2 are the standard generators, Fp2 coordinates as (c0, c1), the toys take the smallest (small_point).
CURVES = {
    "bls12_381": dict(
        family="bls12", u=-0xD201000000010000, b=4, xi=(1, 1), twist="M", generators=(7, 5),
        # draft-irtf-cfrg-pairing-friendly-curves-11, 4.2.1
        g1=(0x17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb,
            0x08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1),
        g2=((0x024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8,
             0x13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e),
            (0x0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801,
             0x0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be)),
        note="the curve of Filecoin, Zcash and Ethereum 2"),
    "bn254": dict(
        family="bn", u=4965661367192848881, b=3, xi=(9, 1), twist="D", generators=(5, 7),
        # EIP-196 and EIP-197
        g1=(1, 2),
        g2=((10857046999023057135944570762232829481370756359578518086990519993285655852781,
             11559732032986387107991004021392285783925812861821192530917403151452391805634),
            (8495653923123431417604973247489272438418190587263600148770280649306958101930,
             4082367875863433681332203403145435568316851327593401208105741076214120093531)),
        note="alt_bn128: Ethereum's precompiles, circom's default"),
    "toy_bn": dict(
        family="bn", u=1, b=5, xi=(2, 1), twist="D", generators=(5,),
        note="103 and 97: small enough to try everything"),
    "toy_bls12": dict(
        family="bls12", u=4, b=7, xi=(1, 13), twist="M", generators=(7,),
        note="727 and 241: small enough to try everything"),
}


def braces(words):
    return "{" + ", ".join("0x%016x" % w for w in words) + "}"


def flat_words(f, values):
    """Plain numbers one after the other, as struct g1_point and struct g2_point hold them."""
    return ", ".join("0x%016x" % w for x in values for w in f.words(x))


def fp2_braces(f, x):
    """An Fp2 element: `fp2_t x = {MACRO};`"""
    return "{" + braces(f.mont(x[0])) + "}, {" + braces(f.mont(x[1])) + "}"


def lane_lines(prefix, f):
    """The same field in limbs of 52 bits with S = 2^(52 limbs): backend/ifma. Five bits are left free."""
    p, limbs = f.p, -(-(f.p.bit_length() + 5) // 52)
    S = 1 << 52 * limbs

    def lane(x):
        return "{" + ", ".join("0x%013x" % (x >> 52 * i & (1 << 52) - 1) for i in range(limbs)) + "}"

    each = " ".join("X(0x%013x)" % (p >> 52 * i & (1 << 52) - 1) for i in range(limbs))
    yield f"#define {prefix}_LANE_LIMBS {limbs} /* of 52 bits; S = 2^{52 * limbs} */"
    yield f"#define {prefix}_LANE_EACH(X) {each} /* limbs of p */"
    yield f"#define {prefix}_LANE_N0 0x{-pow(p, -1, 2**52) % 2**52:013x} /* -1/p mod 2^52 */"
    yield (f"#define {prefix}_LANE_RECIPROCAL 0x{2**52 // ((p >> 52 * (limbs - 1)) + 1):013x}"
           " /* 2^52 / (top limb of p + 1), rounded down */")
    yield f"#define {prefix}_LANE_ONE {lane(S % p)} /* S */"
    yield f"#define {prefix}_LANE_FROM_PLAIN {lane(S * S % p)} /* S^2 */"
    yield f"#define {prefix}_LANE_FROM_NATIVE {lane(S * S * pow(f.R, -1, p) % p)} /* S^2/R */"
    yield f"#define {prefix}_LANE_TO_NATIVE {lane(f.R % p)} /* R */"
    yield f"#define {prefix}_NATIVE_TO_LANE {braces(f.words(S % p))} /* S, for products in words */"
    yield (f"#define {prefix}_NATIVE_FROM_LANE {braces(f.words(f.R * f.R * pow(S, -1, p) % p))}"
           " /* R^2/S */")


def field_lines(prefix, f, what):
    p = f.p
    yield f"/* {what}: {p} */"
    yield f"#define {prefix}_BITS {p.bit_length()}"
    yield f"#define {prefix}_LIMBS {f.limbs}"
    yield f"#define {prefix}_MODULUS {braces(f.words(p))}"
    yield f"#define {prefix}_N0 0x{-pow(p, -1, 2**64) % 2**64:016x} /* -1/p mod 2^64 */"
    yield f"#define {prefix}_ONE {braces(f.mont(1))} /* R */"
    yield f"#define {prefix}_R2 {braces(f.words(f.R * f.R % p))} /* R^2 */"
    yield f"#define {prefix}_R3 {braces(f.words(f.R**3 % p))} /* R^3 */"
    yield from lane_lines(prefix, f)


def point_braces(f, point, in_fp):
    return ", ".join("{" + (braces(f.mont(c[0])) if in_fp else fp2_braces(f, c)) + "}" for c in point)


def group_lines(d, c):
    """The two groups and their generators."""
    yield f"/* G1, E: y^2 = x^3 + {d['b']} over Fp, cofactor {c.h1} */"
    yield f"#define G1_B {braces(c.fp.mont(d['b']))}"
    yield f"#define G1_GENERATOR_PLAIN {flat_words(c.fp, [x[0] for x in c.g1])}"
    yield f"#define G1_GENERATOR {point_braces(c.fp, c.g1, True)}"
    yield ""
    op = "/" if c.twist == "D" else "*"
    yield f"/* G2, E': y^2 = x^3 + {d['b']} {op} xi over Fp2 = Fp[i]/(i^2 + 1), cofactor {c.h2} */"
    yield f"#define G2_B {fp2_braces(c.fp, c.T.b)}"
    yield f"#define G2_GENERATOR_PLAIN {flat_words(c.fp, [w for x in c.g2 for w in x])}"
    yield f"#define G2_GENERATOR {point_braces(c.fp, c.g2, False)}"


def tower_lines(d, c):
    """Fp12 = Fp2[w]/(w^6 - xi), and psi on the twist."""
    f, p = c.f2, c.p
    yield "/* The tower and the twist */"
    yield f"#define CURVE_B_SMALL {d['b']}"
    yield f"#define XI_C0 {c.xi[0]} /* xi = XI_C0 + XI_C1 i, small integers */"
    yield f"#define XI_C1 {c.xi[1]}"
    yield f"#define TWIST_IS_M {int(c.twist == 'M')} /* y^2 = x^3 + b xi; otherwise D, b / xi */"
    yield "/* xi^(k (p - 1)/6), k = 0 ... 5: (w^k)^p = this w^k */"
    powers = [f.pow(c.xi, k * (p - 1) // 6) for k in range(6)]
    yield "#define FP12_FROBENIUS " + ", ".join("{" + fp2_braces(c.fp, x) + "}" for x in powers)
    yield "/* psi(x, y) = (PSI_X conj(x), PSI_Y conj(y)) on G2 is multiplication by p */"
    for name, value in zip("XY", c.psi()):
        yield f"#define PSI_{name} {fp2_braces(c.fp, value)}"
    assert c.apply_psi(c.g2) == c.T.mul(p % c.r, c.g2)


def digit_line(name, digits):
    return f"#define {name} {{" + ", ".join(str(d) for d in digits) + "}"


def family_lines(c):
    """u, the Miller loop, and the subgroup tests."""
    u, r = c.u, c.r
    bn = c.family == "bn"
    digits = signed_digits(abs(u), 5)
    loop = signed_digits(6 * u + 2 if bn else abs(u), 2)
    assert u > 0 or not bn
    yield f"/* u = {u}; digits most significant first, signed, odd or zero */"
    yield f"#define FAMILY_IS_BN {int(bn)} /* otherwise BLS12 */"
    yield f"#define U_IS_NEGATIVE {int(u < 0)}"
    yield digit_line("U_DIGITS", digits) + " /* of |u| */"
    yield f"#define U_DIGIT_MAX {max(abs(d) for d in digits)}"
    yield digit_line("MILLER_DIGITS", loop) + f" /* of {'6u + 2' if bn else '|u|'}: 0, 1, -1 */"
    yield ""
    # The tests of curve/subgroup.inc.h. G1: phi acts as -u^2 (BLS12): phi^2 + phi + 1 = 0 makes
    # u^4 - u^2 + 1 = r kill the point. G2: psi acts as t - 1: psi^2 - t psi + p = 0 makes p + 1 - t =
    # h1 r kill it, as h2 r does.
    assert gcd(c.h1, c.h2) == 1 and (c.t - 1 - c.p) % r == 0
    assert (c.h1 == 1) if bn else r == u**4 - u**2 + 1


def glv_lines(c):
    """phi(x, y) = (beta x, y) acts as lambda; a scalar splits into two of half the length."""
    r = c.r
    if c.family == "bn":
        g = next(g for g in range(2, 99) if pow(g, (r - 1) // 3, r) != 1)
        lam = pow(g, (r - 1) // 3, r)
    else:
        lam = -c.u**2 % r
    words = (r.bit_length() // 2 + 4 + 63) // 64
    (a1, b1), (a2, b2) = short_basis(lam, r)
    # k (1, 0) = c1 v1 + c2 v2 over the rationals, c1 = b2 k / r, c2 = -b1 k / r
    steps = []
    for v, c_num in (((a1, b1), b2), ((a2, b2), -b1)):
        sign = 1 if c_num > 0 else -1
        steps.append((abs(c_num) * c.fr.R // r, (-sign * v[0], -sign * v[1])))
    bound = max(2 * (abs(a1) + abs(a2)), 2 * (abs(b1) + abs(b2)))

    def wrapped(x):
        return braces([x % 2 ** (64 * words) >> (64 * i) & (2**64 - 1) for i in range(words)])

    yield "/* phi(x, y) = (BETA x, y) is multiplication by lambda, lambda^2 + lambda + 1 = 0 mod r. With"
    yield " * c_i = floor(k QUOTIENT_i / 2^(64 FR_LIMBS)), k = k1 + k2 lambda for"
    yield " * (k1, k2) = (k, 0) + c_1 STEP_1 + c_2 STEP_2 mod 2^(64 GLV_WORDS), |k1|, |k2| < 2^GLV_BITS */"
    yield f"#define GLV_LAMBDA_PLAIN {braces(c.fr.words(lam))}"
    yield f"#define G1_BETA {braces(c.fp.mont(c.cube_root_of_one(c.E, c.g1, lam)))}"
    yield f"#define G2_BETA {fp2_braces(c.fp, (c.cube_root_of_one(c.T, c.g2, lam), 0))}"
    yield f"#define GLV_WORDS {words}"
    yield f"#define GLV_BITS {bound.bit_length()}"
    for i, (quotient, step) in enumerate(steps, 1):
        yield f"#define GLV_QUOTIENT_{i} {wrapped(quotient)}"
        yield f"#define GLV_STEP_{i} {wrapped(step[0])}, {wrapped(step[1])}"
        assert quotient < 2 ** (64 * words)


def header(name):
    d = CURVES[name]
    c = Derived(d)
    p, r, fp, fr = c.p, c.r, c.fp, c.fr
    guard = f"PARAMS_{name.upper()}_H"
    yield f"/* Generated by tools/params.py; do not edit. {name}: {d['note']}. */"
    yield f"#ifndef {guard}"
    yield f"#define {guard}"
    yield ""
    yield from field_lines("FP", fp, "base field")
    yield f"#define FP_SQRT_EXPONENT_PLAIN {braces(fp.words((p - 3) // 4))} /* (p - 3)/4 */"
    yield f"#define FP_HALF {braces(fp.mont(pow(2, -1, p)))} /* 1/2 */"
    yield ""
    yield from field_lines("FR", fr, "scalar field")
    yield "/* Roots of unity of order 2^TWO_ADICITY: FR_ROOT_<g> = g^((r-1)/2^TWO_ADICITY), g non-residue */"
    s = ((r - 1) & -(r - 1)).bit_length() - 1
    yield f"#define FR_TWO_ADICITY {s}"
    yield f"#define FR_GENERATOR {d['generators'][0]}"
    for g in d["generators"]:
        root = pow(g, (r - 1) >> s, r)
        assert pow(root, 1 << (s - 1), r) == r - 1, (name, g)
        yield f"#define FR_ROOT_{g} {braces(fr.mont(root))}"
    yield ""
    yield from group_lines(d, c)
    yield ""
    yield from tower_lines(d, c)
    yield ""
    yield from family_lines(c)
    yield from glv_lines(c)
    yield ""
    yield "#endif"


def main():
    check = "--check" in sys.argv[1:]
    stale = []
    for name in CURVES:
        text = "\n".join(header(name)) + "\n"
        path = os.path.join(OUT, name + ".h")
        old = open(path).read() if os.path.exists(path) else None
        if old != text:
            stale.append(path)
            if not check:
                with open(path, "w") as f:
                    f.write(text)
    for path in stale:
        print(("stale: " if check else "wrote ") + os.path.relpath(path))
    sys.exit(1 if check and stale else 0)


if __name__ == "__main__":
    main()
