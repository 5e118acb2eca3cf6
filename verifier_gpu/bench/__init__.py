"""What a verifier achieves on a machine: a workload of varied kernels, and its measures."""
