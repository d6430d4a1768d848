"""Arithmetic that loses nothing: double-doubles, accumulators, SIMD, addressed random numbers."""
