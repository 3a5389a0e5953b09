#pragma once
#include <pulse/pulseaudio.h>
// Blocking playback, which PipeWire's sound server understands too.
#include <pulse/simple.h>
