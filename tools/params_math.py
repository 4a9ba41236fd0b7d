"""The mathematics of tools/params.py: fields, curves, and what the two families give from u."""


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


def non_adjacent_form(n, width):
    """Digits of n > 0, odd with |digit| < 2^(width - 1) or zero, most significant first."""
    digits = []
    while n:
        d = n % 2**width if n & 1 else 0
        if d >= 2 ** (width - 1):
            d -= 2**width
        digits.append(d)
        n = (n - d) // 2
    return digits[::-1]


def signed_digits(n, max_width):
    """The digits of n > 0 that make powers and multiples cheapest, counting the table of odd ones:
    binary or a non-adjacent form."""
    def cost(digits):
        top = max(abs(d) for d in digits)
        return len(digits) // 3 + sum(d != 0 for d in digits) + (top + 1) // 2

    forms = [[int(b) for b in bin(n)[2:]]]
    forms += [non_adjacent_form(n, w) for w in range(2, max_width + 1)]
    assert all(sum(d << i for i, d in enumerate(f[::-1])) == n for f in forms)
    return min(forms, key=cost)


def short_basis(lam, r):
    """Two short vectors (a, b) with a + b lam = 0 mod r and determinant r: Gallant, Lambert,
    Vanstone 2001, by the extended Euclidean algorithm."""
    rows = [(r, 0), (lam, 1)]  # (remainder, t): remainder = t lam mod r
    while rows[-1][0]:
        q = rows[-2][0] // rows[-1][0]
        rows.append((rows[-2][0] - q * rows[-1][0], rows[-2][1] - q * rows[-1][1]))
    at = next(i for i, row in enumerate(rows) if row[0] ** 2 < r)
    first, *others = [(rows[i][0], -rows[i][1]) for i in (at, at - 1, at + 1) if i < len(rows)]
    second = min(others, key=lambda v: v[0] ** 2 + v[1] ** 2)
    det = first[0] * second[1] - first[1] * second[0]
    assert abs(det) == r and all((a + b * lam) % r == 0 for a, b in (first, second))
    return (first, second) if det > 0 else (second, first)


class Derived:
    """Everything that follows from a curve's description."""

    def __init__(self, d):
        self.family, self.u, self.xi, self.twist = d["family"], d["u"], d["xi"], d["twist"]
        self.p, self.r = p, r = moduli(self.family, self.u)
        self.t = trace(self.family, self.u)
        self.fp, self.fr, self.f2 = Field(p), Field(r), Fp2(p)
        f = self.f2
        twist = f.inv(self.xi) if self.twist == "D" else self.xi
        self.E = Curve(f, (d["b"], 0))
        self.T = Curve(f, f.mul((d["b"], 0), twist))
        self.h1 = (p + 1 - self.t) // r
        self.h2 = g2_cofactor(self.family, self.u, p, r)
        if "g1" in d:
            self.g1, self.g2 = tuple((c, 0) for c in d["g1"]), d["g2"]
        else:
            self.g1 = self.E.small_point(self.h1, True)
            self.g2 = self.T.small_point(self.h2, False)
        for curve, point in ((self.E, self.g1), (self.T, self.g2)):
            assert curve.has(point) and curve.mul(r, point) is None
        self.check_hard_part()

    def check_hard_part(self):
        """The hard parts of the final exponentiation as curve/pairing.inc.h does them are multiples,
        prime to r, of (p^4 - p^2 + 1) / r."""
        p, r, u = self.p, self.r, self.u
        if self.family == "bn":  # Fuentes-Castaneda, Knapp, Rodriguez-Henriquez 2011
            done = (1 + 6 * u + 12 * u**2 + 12 * u**3 + (4 * u + 6 * u**2 + 12 * u**3) * p
                    + (6 * u + 6 * u**2 + 12 * u**3) * p**2
                    + (-1 + 4 * u + 6 * u**2 + 12 * u**3) * p**3)
            factor = 2 * u * (6 * u**2 + 3 * u + 1)
        else:  # Hayashida, Hayasaka, Teruya 2020
            done = (u - 1) ** 2 * (u + p) * (u**2 + p**2 - 1) + 3
            factor = 3
        hard = (p**4 - p**2 + 1) // r
        assert factor % r and (done - factor * hard) % (p**4 - p**2 + 1) == 0

    def psi(self):
        """(X, Y) with psi(x, y) = (X conj(x), Y conj(y)): Frobenius carried to the twist."""
        f, sign = self.f2, 1 if self.twist == "D" else -1
        X, Y = (f.pow(self.xi, (self.p - 1) // k) for k in (3, 2))
        if sign < 0:
            X, Y = f.inv(X), f.inv(Y)
        return X, Y

    def apply_psi(self, P):
        f, p = self.f2, self.p
        return tuple(f.mul(c, (v[0], -v[1] % p)) for c, v in zip(self.psi(), P))

    def cube_root_of_one(self, curve, point, lam):
        """beta in Fp with (beta x, y) = lam (x, y) on the subgroup."""
        p = self.p
        x = 2
        while pow(x, (p - 1) // 3, p) == 1:
            x += 1
        beta = pow(x, (p - 1) // 3, p)
        for candidate in (beta, beta * beta % p):
            image = (self.f2.mul((candidate, 0), point[0]), point[1])
            if image == curve.mul(lam, point):
                return candidate
        raise AssertionError("no endomorphism")
