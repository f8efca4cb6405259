"""What all ensembles, combiners and machines share: fitting, checks, scales."""
