"""Python loads this first if its folder is on PYTHONPATH. Moves the wall clock of Patroni by the seconds in a file, which may change.

libfaketime cannot do this for Python, because it also breaks sleeping by the monotonic clock.
"""

import time

_real = time.time


def _moved():
    with open('/dev/shm/clock', encoding='ascii') as file:
        return _real() + float(file.read())


time.time = _moved
