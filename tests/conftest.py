"""What every test finds: the same examples on every run and machine, however slow it is, and a Ctrl-C that works."""

import signal

from hypothesis import settings

settings.register_profile("caesura", derandomize=True, deadline=None, database=None, print_blob=False)
settings.load_profile("caesura")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a shell's background job; tests of Ctrl-C send it
    signal.signal(signal.SIGINT, signal.default_int_handler)
