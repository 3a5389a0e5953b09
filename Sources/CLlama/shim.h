#pragma once
#include <llama.h>
