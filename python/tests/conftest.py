"""What all tests share."""

import signal

# A shell starts jobs in the background with SIGINT ignored, and Python then leaves it so: nothing would interrupt a test.
signal.signal(signal.SIGINT, signal.default_int_handler)
