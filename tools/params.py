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


def moduli(family, u):
    if family == "bn":
        p = 36 * u**4 + 36 * u**3 + 24 * u**2 + 6 * u + 1
        return p, p - 6 * u**2
    r = u**4 - u**2 + 1
    return (u - 1) ** 2 * r // 3 + u, r


def trace(family, u):
    return 6 * u**2 + 1 if family == "bn" else u + 1


class Field:
    """A prime field and the way its elements are written."""

    def __init__(self, p):
        self.p = p
        self.limbs = (p.bit_length() + 63) // 64
        self.R = 1 << (64 * self.limbs)

    def words(self, x):
        return [x >> (64 * i) & (2**64 - 1) for i in range(self.limbs)]

    def mont(self, x):
        return self.words(x % self.p * self.R % self.p)


class Fp2:
    """x0 + x1 i, i^2 = -1, over p = 3 mod 4. Elements are pairs of plain integers."""

    def __init__(self, p):
        assert p % 4 == 3
        self.p = p

    def add(self, a, b):
        return (a[0] + b[0]) % self.p, (a[1] + b[1]) % self.p

    def sub(self, a, b):
        return (a[0] - b[0]) % self.p, (a[1] - b[1]) % self.p

    def mul(self, a, b):
        return (a[0] * b[0] - a[1] * b[1]) % self.p, (a[0] * b[1] + a[1] * b[0]) % self.p

    def inv(self, a):
        n = pow(a[0] * a[0] + a[1] * a[1], -1, self.p)
        return a[0] * n % self.p, -a[1] * n % self.p

    def pow(self, a, e):
        r = (1, 0)
        for bit in bin(e)[2:]:
            r = self.mul(r, r)
            if bit == "1":
                r = self.mul(r, a)
        return r

    def sqrt(self, a):
        """A root or None: complex square root by way of the norm's root."""
        p = self.p
        norm = a[0] * a[0] + a[1] * a[1]
        n = pow(norm, (p + 1) // 4, p)
        for half in ((a[0] + n) * pow(2, -1, p) % p, (a[0] - n) * pow(2, -1, p) % p):
            x = pow(half, (p + 1) // 4, p)
            y = a[1] * pow(2 * x, -1, p) % p if x else pow(-a[0] % p, (p + 1) // 4, p)
            if self.mul((x, y), (x, y)) == a:
                return x, y
        return None


class Curve:
    """y^2 = x^3 + b over Fp2 (over Fp: second components zero). Points: (x, y), infinity None."""

    def __init__(self, fp2, b):
        self.f, self.b = fp2, b

    def has(self, P):
        f = self.f
        return f.mul(P[1], P[1]) == f.add(f.mul(P[0], f.mul(P[0], P[0])), self.b)

    def add(self, P, Q):
        f = self.f
        if P is None or Q is None:
            return Q if P is None else P
        if P[0] == Q[0]:
            if P[1] != Q[1] or P[1] == (0, 0):
                return None
            xx = f.mul(P[0], P[0])
            slope = f.mul(f.add(xx, f.add(xx, xx)), f.inv(f.add(P[1], P[1])))
        else:
            slope = f.mul(f.sub(Q[1], P[1]), f.inv(f.sub(Q[0], P[0])))
        x = f.sub(f.sub(f.mul(slope, slope), P[0]), Q[0])
        return x, f.sub(f.mul(slope, f.sub(P[0], x)), P[1])

    def mul(self, k, P):
        R = None
        for bit in bin(k)[2:]:
            R = self.add(R, R)
            if bit == "1":
                R = self.add(R, P)
        return R

    def small_point(self, cofactor, in_fp):
        """cofactor times the point of smallest (x.c1, x.c0), then smallest (y.c1, y.c0), that is not
        killed by it."""
        f, p = self.f, self.f.p
        for c1 in range(1 if in_fp else p):
            for c0 in range(p):
                x = (c0, c1)
                y = f.sqrt(f.add(f.mul(x, f.mul(x, x)), self.b))
                if y is None or in_fp and y[1]:
                    continue
                y = min(y, f.sub((0, 0), y), key=lambda v: (v[1], v[0]))
                P = self.mul(cofactor, (x, y))
                if P is not None:
                    return P
        raise AssertionError("no point")


def g2_cofactor(family, u, p, r):
    """#E'(Fp2) / r for the twist whose order r divides."""
    if family == "bn":
        return 2 * p - r
    return (u**8 - 4 * u**7 + 5 * u**6 - 4 * u**4 + 6 * u**3 - 4 * u**2 - 4 * u + 13) // 9


def braces(words):
    return "{" + ", ".join("0x%016x" % w for w in words) + "}"


def flat_words(f, values):
    """Plain numbers one after the other, as struct g1_point and struct g2_point hold them."""
    return ", ".join("0x%016x" % w for x in values for w in f.words(x))


def fp2_braces(f, x):
    """An Fp2 element: `fp2_t x = {MACRO};`"""
    return "{" + braces(f.mont(x[0])) + "}, {" + braces(f.mont(x[1])) + "}"


def field_lines(prefix, f, what):
    p = f.p
    two_adicity = ((p - 1) & -(p - 1)).bit_length() - 1
    yield f"/* {what}: {p} */"
    yield f"#define {prefix}_BITS {p.bit_length()}"
    yield f"#define {prefix}_LIMBS {f.limbs}"
    yield f"#define {prefix}_MODULUS {braces(f.words(p))}"
    yield f"#define {prefix}_N0 0x{-pow(p, -1, 2**64) % 2**64:016x} /* -1/p mod 2^64 */"
    yield f"#define {prefix}_ONE {braces(f.mont(1))} /* R */"
    yield f"#define {prefix}_R2 {braces(f.words(f.R * f.R % p))} /* R^2 */"
    yield f"#define {prefix}_R3 {braces(f.words(f.R**3 % p))} /* R^3 */"
    yield f"#define {prefix}_TWO_ADICITY {two_adicity}"


def group_lines(d, fp, p, r):
    f = Fp2(p)
    E = Curve(f, (d["b"], 0))
    xi_power = f.inv(d["xi"]) if d["twist"] == "D" else d["xi"]
    T = Curve(f, f.mul((d["b"], 0), xi_power))
    h1 = (p + 1 - trace(d["family"], d["u"])) // r
    h2 = g2_cofactor(d["family"], d["u"], p, r)
    if "g1" in d:
        g1 = tuple((c, 0) for c in d["g1"])
        g2 = d["g2"]
    else:
        g1, g2 = E.small_point(h1, True), T.small_point(h2, False)
    for curve, point in ((E, g1), (T, g2)):
        assert curve.has(point) and curve.mul(r, point) is None
    yield f"/* G1, E: y^2 = x^3 + {d['b']} over Fp, cofactor {h1} */"
    yield f"#define G1_B {braces(fp.mont(d['b']))}"
    yield f"#define G1_GENERATOR_PLAIN {flat_words(fp, [c[0] for c in g1])}"
    yield "#define G1_GENERATOR " + ", ".join("{" + braces(fp.mont(c[0])) + "}" for c in g1)
    yield ""
    op = "/" if d["twist"] == "D" else "*"
    yield f"/* G2, E': y^2 = x^3 + {d['b']} {op} xi over Fp2 = Fp[i]/(i^2 + 1), cofactor {h2} */"
    yield f"#define XI_C0 {d['xi'][0]} /* xi = XI_C0 + XI_C1 i, small integers */"
    yield f"#define XI_C1 {d['xi'][1]}"
    yield f"#define TWIST_IS_M {int(d['twist'] == 'M')}"
    yield f"#define FAMILY_IS_BN {int(d['family'] == 'bn')}"
    yield f"#define G2_B {fp2_braces(fp, T.b)}"
    yield f"#define G2_GENERATOR_PLAIN {flat_words(fp, [w for c in g2 for w in c])}"
    yield "#define G2_GENERATOR " + ", ".join("{" + fp2_braces(fp, c) + "}" for c in g2)


def header(name):
    d = CURVES[name]
    p, r = moduli(d["family"], d["u"])
    fp, fr = Field(p), Field(r)
    guard = f"PARAMS_{name.upper()}_H"
    yield f"/* Generated by tools/params.py; do not edit. {name}: {d['note']}. */"
    yield f"#ifndef {guard}"
    yield f"#define {guard}"
    yield ""
    yield from field_lines("FP", fp, "base field")
    yield f"#define FP_SQRT_EXPONENT_PLAIN {braces(fp.words((p + 1) // 4))} /* p = 3 mod 4 */"
    yield f"#define FP_HALF {braces(fp.mont(pow(2, -1, p)))} /* 1/2 */"
    yield ""
    yield from field_lines("FR", fr, "scalar field")
    yield "/* Roots of unity of order 2^TWO_ADICITY: FR_ROOT_<g> = g^((r-1)/2^TWO_ADICITY), g non-residue */"
    yield f"#define FR_GENERATOR {d['generators'][0]}"
    s = ((r - 1) & -(r - 1)).bit_length() - 1
    for g in d["generators"]:
        root = pow(g, (r - 1) >> s, r)
        assert pow(root, 1 << (s - 1), r) == r - 1, (name, g)
        yield f"#define FR_ROOT_{g} {braces(fr.mont(root))}"
    yield ""
    yield from group_lines(d, fp, p, r)
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
