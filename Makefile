# Sotto. `make help` lists what there is; the work is done by the scripts in Scripts/.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory
PREFIX ?= $(HOME)/.local
export PKG_CONFIG_PATH := $(CURDIR)/.runtime/lib/pkgconfig$(if $(PKG_CONFIG_PATH),:$(PKG_CONFIG_PATH))

.DEFAULT_GOAL := help
.PHONY: help setup build run demo test bench eval install clean
# One target at a time: they share .build and two cores.
.NOTPARALLEL:

help: ## list these targets
	@sed -nE 's/^([a-z]+):.*## (.*)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 18

setup: ## Debian packages and native runtimes (about 3 minutes the first time, then nothing)
	@Scripts/setup-packages
	@Scripts/setup-runtime

build: setup ## the release program, .build/release/sotto
	@Scripts/build

run: ## the app in your browser: everything set up, the handbook in the library, an example task done
	@Scripts/run

demo: ## the command line: a spoken question, a cited answer read aloud, typed questions [QUESTION="…"]
	@Scripts/demo $(if $(QUESTION),"$$QUESTION")

test: build ## all tests, on the small set of models
	@Scripts/test

bench: build ## speed, side by side with the reference programs
	@Benchmarks/run

eval: build ## quality of answers: from the handbook, and from a recorded web (SOTTO_CORPORA)
	@Scripts/eval
	@if [[ -n $${SOTTO_CORPORA:-} ]]; then Scripts/eval-web; else echo "Research over the web was not evaluated: SOTTO_CORPORA is not set." >&2; fi

install: build ## a tree that can be moved, PREFIX=~/.local
	@Scripts/install "$(PREFIX)"

clean: ## remove .build and .runtime; caches and models stay
	rm -rf .build .runtime

export QUESTION
