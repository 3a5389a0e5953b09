"""A build backend that builds nothing.

`pip download` asks a source release's backend for its metadata, which runs the release's own Python.
With this folder on PYTHONPATH and `--no-build-isolation`, pip asks this file instead: it hands over the
PKG-INFO that every source release carries, and nothing of the archive is run.
"""

import email
import os
import shutil


def get_requires_for_build_wheel(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    with open("PKG-INFO", encoding="utf-8", errors="replace") as file:
        fields = email.message_from_file(file)
    name = f"{fields['Name'].replace('-', '_')}-{fields['Version']}.dist-info"
    os.makedirs(os.path.join(metadata_directory, name))
    shutil.copyfile("PKG-INFO", os.path.join(metadata_directory, name, "METADATA"))
    return name
