"""Random numbers by address: the same whatever the order of use or the number of workers."""

import hashlib

import numpy as np
from numpy.typing import NDArray


def stable_hash(key: bytes) -> int:
    """64 bits that depend on the bytes alone, on every machine and in every process."""
    return int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "little")


def generator(seed: int, *address: str | int) -> np.random.Generator:
    """Return the generator at an address below a seed.

    >>> float(generator(0, "extend", 3).random()) == float(generator(0, "extend", 3).random())
    True
    >>> float(generator(0, "extend", 3).random()) == float(generator(0, "extend", 4).random())
    False
    """
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(_words([seed, *_numbers(address)]))))


def _numbers(address: tuple[str | int, ...]) -> list[int]:
    """Return the parts of an address as numbers."""
    return [part if isinstance(part, int) else stable_hash(part.encode("utf-8", "surrogatepass")) for part in address]


def _words(numbers: list[int]) -> NDArray[np.uint32]:
    """Return numbers as NumPy takes them apart for a seed, 32 bits at a time, the lowest first: sooner than it does.

    >>> _words([0, 2**32 + 5]).tolist()
    [0, 5, 1]
    >>> of_numbers = np.random.SeedSequence([0, 2**32 + 5]).generate_state(2)
    >>> bool((np.random.SeedSequence(_words([0, 2**32 + 5])).generate_state(2) == of_numbers).all())
    True
    """
    words = []
    for number in numbers:
        if number < 0:
            raise ValueError(f"a seed must be at least 0, got {number}")
        rest = int(number)
        words.append(rest & 0xFFFFFFFF)
        while rest := rest >> 32:
            words.append(rest & 0xFFFFFFFF)
    return np.array(words, np.uint32)


def derive_seed(seed: int, *address: str | int) -> int:
    """Return a seed for something that takes one of its own, at an address below another.

    >>> derive_seed(0, "base", 1) == derive_seed(0, "base", 1) != derive_seed(0, "base", 2)
    True
    """
    return int(generator(seed, *address).integers(2**63))
