"""Learning rates on CIFAR: the networks whose test accuracies are the rewards of `datasets.cifar10()`."""
