from release_metadata import *  # noqa: F403
