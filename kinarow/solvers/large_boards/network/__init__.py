"""All that is learned: the weights and their digest, the sums of features and regions, the forward pass."""
