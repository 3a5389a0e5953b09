import release_metadata as __legacy__  # noqa: F401
from release_metadata import *  # noqa: F403
