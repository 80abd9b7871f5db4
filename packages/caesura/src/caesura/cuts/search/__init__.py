"""The best set of breaks: by merging neighbours, or by a dynamic programme."""
