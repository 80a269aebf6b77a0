"""All that is learned: the weights, the sums of features and regions, the forward pass."""
