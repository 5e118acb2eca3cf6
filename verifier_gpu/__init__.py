"""LEAP's verifier: CUDA kernels in, verdicts out."""

__version__ = "0.1.0"
