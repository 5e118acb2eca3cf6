"""The one kind of error that a person is meant to read."""

from __future__ import annotations


class LeapError(Exception):
    """Something the user can mend.

    The message is one sentence that says what is wrong and what to do. The
    command line prints it without a traceback and exits with code 2.
    """
