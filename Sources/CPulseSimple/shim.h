// PulseAudio's blocking playback, which PipeWire's sound server understands too.
#pragma once
#include <pulse/simple.h>
#include <pulse/error.h>
