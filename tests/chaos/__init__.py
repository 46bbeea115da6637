"""The standing adversary: three workers, the whole domain as load, and everything that can go wrong, at random."""
