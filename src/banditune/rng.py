"""Random numbers by address: the same whatever the order of use or the number of workers."""

import hashlib

import numpy as np


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
    return np.random.default_rng([seed, *_numbers(address)])


def _numbers(address: tuple[str | int, ...]) -> list[int]:
    """Return the parts of an address as numbers."""
    return [part if isinstance(part, int) else stable_hash(part.encode("utf-8", "surrogatepass")) for part in address]


def derive_seed(seed: int, *address: str | int) -> int:
    """Return a seed for something that takes one of its own, at an address below another.

    >>> derive_seed(0, "base", 1) == derive_seed(0, "base", 1) != derive_seed(0, "base", 2)
    True
    """
    return int(generator(seed, *address).integers(2**63))
