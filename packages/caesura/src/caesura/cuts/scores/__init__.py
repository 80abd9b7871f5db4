"""How good a place is to cut: gaps between units, and what noise alone would explain."""
