#pragma once
#include <llama.h>
#include <ggml-cpu.h>
