"""The hypothesis profile of every test: the same examples on every run and machine, however slow it is."""

from hypothesis import settings

settings.register_profile("caesura", derandomize=True, deadline=None, database=None, print_blob=False)
settings.load_profile("caesura")
