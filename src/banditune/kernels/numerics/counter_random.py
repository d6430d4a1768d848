"""Random numbers by counting: number k of a stream is a function of the stream's key and k, and of nothing else.

So the k-th pull of an arm gives every policy the same reward, and none has to be held. The bits are those of SplitMix64
(Steele, Lea and Flood, 2014), mixed a second time with the key, so that streams whose counters overlap stay different.
"""

import math

import numpy as np

from banditune.kernels.jit import inline, jit
from banditune.kernels.numerics.arrays import Floats

STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
BY_12, BY_27, BY_30, BY_31 = np.uint64(12), np.uint64(27), np.uint64(30), np.uint64(31)
UNIT = 2.0**-52

# Wichura's (1988) algorithm AS 241: ratios of polynomials for the middle, the shoulders and the far tails
MIDDLE = np.array(
    [[3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
      4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3],
     [1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
      2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3]]
)  # fmt: skip
SHOULDER = np.array(
    [[1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
      1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4],
     [1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
      1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9]]
)  # fmt: skip
TAIL = np.array(
    [[6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
      2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7],
     [1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
      7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15]]
)  # fmt: skip

SURE = -np.inf  # in place of the height of a toss
LARGEST_SHAPE = 1e8  # for which that is certain
NEAR_BETA = 2.0**-42  # logarithms up to 19 and a quotient, each off by a few units in the last place


@inline
def mix(bits: np.uint64) -> np.uint64:
    """64 bits, each of which depends on all 64 given."""
    bits = (bits ^ (bits >> BY_30)) * FIRST
    bits = (bits ^ (bits >> BY_27)) * SECOND
    return bits ^ (bits >> BY_31)


@inline
def random_bits(key: np.uint64, count: int) -> np.uint64:
    """Return number `count` of a stream as 64 bits; they serve as the key of another stream, too."""
    return mix(mix(key + np.uint64(count) * STEP) + key)


@inline
def uniform(key: np.uint64, count: int) -> float:
    """Return number `count` of a stream, uniform between 0 and 1; never either of them."""
    return float((np.float64(random_bits(key, count) >> BY_12) + 0.5) * UNIT)


@inline
def ratio(x: float, numbers: Floats) -> float:
    """Return the quotient of two polynomials; numbers (2, 8), the constants first."""
    top = bottom = 0.0
    for power in range(7, -1, -1):
        top = top * x + numbers[0, power]
        bottom = bottom * x + numbers[1, power]
    return top / bottom


@jit
def normal_quantile(u: float) -> float:
    """Return the number that a standard normal one is below with probability u, 0 < u < 1: about 16 digits."""
    centred = u - 0.5
    if abs(centred) <= 0.425:
        return centred * ratio(0.180625 - centred * centred, MIDDLE)
    distance = math.sqrt(-math.log(u if centred < 0.0 else 1.0 - u))
    size = ratio(distance - 1.6, SHOULDER) if distance <= 5.0 else ratio(distance - 5.0, TAIL)
    return -size if centred < 0.0 else size


@inline
def toss(key: np.uint64, count: int) -> tuple[float, float]:
    """Return what a gamma distributed number is tried by: a normal number, and the logarithm of a uniform one."""
    return normal_quantile(uniform(key, count)), math.log(uniform(key, count + 1))


@inline
def try_gamma(size: float, x: float, height: float) -> float:
    """Return the gamma distributed number of shape size + 1 / 3, over its size, that a toss gives; 0 if it is rejected.

    By the rejection of Marsaglia and Tsang (2000).
    """
    scale = 1.0 / math.sqrt(9.0 * size)
    root = 1.0 + scale * x
    if root > 0.0:
        cube = root * root * root
        if height == SURE or height < 0.5 * x * x + size * (1.0 - cube + math.log(cube)):
            return cube
    return 0.0


@jit
def log_gamma_number(shape: float, key: np.uint64, count: int) -> tuple[float, int]:
    """Draw the logarithm of a gamma distributed number, from number `count` of a stream on; the next unused.

    A logarithm, because for small shapes the number itself underflows.
    """
    boost = 0.0
    if shape < 1.0:
        boost = math.log(uniform(key, count)) / shape
        shape, count = shape + 1.0, count + 1
    size = shape - 1.0 / 3.0
    while True:
        x, height = toss(key, count)
        count += 2
        cube = try_gamma(size, x, height)
        if cube > 0.0:
            return math.log(size * cube) + boost, count


@inline
def toss_ahead(key: np.uint64, count: int) -> tuple[float, float]:
    """Return a toss for several shapes from 1 on; SURE in place of the height where none of them rejects it.

    That is so where u < 1 - 0.0331 x**4 (the same, 2000); the margin is far above any rounding of what is compared.
    """
    x, height = toss(key, count)
    is_sure = uniform(key, count + 1) < 1.0 - 0.0331 * x * x * x * x - 1e-6
    return x, SURE if is_sure else height


@inline
def share_of(log_one: float, log_other: float) -> float:
    """Return the share of a number in two, by their logarithms."""
    return 1.0 / (1.0 + math.exp(min(log_other - log_one, 700.0)))


@jit
def beta_number(a: float, b: float, key: np.uint64) -> float:
    """Return a Beta(a, b) distributed number, drawn from a stream of its own."""
    one, count = log_gamma_number(a, key, 0)
    other, _ = log_gamma_number(b, key, count)
    return share_of(one, other)


@inline
def beta_number_by(tosses: Floats, row: int, a: float, b: float, key: np.uint64, is_rounded: bool) -> float:
    """Return the same, where tosses[row] (4,) are the first two of the stream: for several shapes they are made once.

    To the last bit, or rounded otherwise, off by less than NEAR_BETA, in a fraction of the time.
    """
    if min(a, b) >= 1.0 and max(a, b) < LARGEST_SHAPE:
        one = (a - 1.0 / 3.0) * try_gamma(a - 1.0 / 3.0, tosses[row, 0], tosses[row, 1])
        other = (b - 1.0 / 3.0) * try_gamma(b - 1.0 / 3.0, tosses[row, 2], tosses[row, 3])
        if one > 0.0 and other > 0.0:
            return one / (one + other) if is_rounded else share_of(math.log(one), math.log(other))
    return beta_number(a, b, key)
