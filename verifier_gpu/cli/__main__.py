"""`python -m verifier_gpu.cli`."""

from verifier_gpu.cli import main

main()
