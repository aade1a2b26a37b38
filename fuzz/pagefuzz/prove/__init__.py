"""Contracts over all paths, and small zones without a bound on operations.

Two engines that do not sample: CrossHair follows every path of a small function, and exhaustion
visits every state that a small zone can reach. The committed ledger says for each condition what
they found; a run may not find less.
"""
