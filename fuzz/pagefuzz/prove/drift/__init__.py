"""How far small counters can be from the truth: every state, and the end of every bound."""
