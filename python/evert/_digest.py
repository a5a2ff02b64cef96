"""Names for texts: the same in every process and on every machine.

`hashlib` would do as well, but loads OpenSSL, which takes several times as long as all of this package.
"""

try:
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

__all__ = ["blake2b"]
