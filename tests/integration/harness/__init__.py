"""What the integration tests stand on: the local stack, realms on it, workers, and a client of the contract."""
