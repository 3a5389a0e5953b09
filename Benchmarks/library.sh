#!/bin/sh
# Retrieval and speed of the library: hit@6 on the handbook in one and in 26 languages, search times, files a second, peak memory.
# SOTTO_EVAL names the folder with handbook-dev.jsonl; the package debian-handbook must be installed.
set -eu
cd "$(dirname "$0")/.."
export SOTTO_EVAL_LANGUAGES=all SOTTO_LIBRARY_FILES="${SOTTO_LIBRARY_FILES:-10000}"
swift test -c release --filter 'HandbookRetrievalTests|manyFiles' 2>&1 | grep -E 'files|hit@6|missed|✘|✔ Test run'
