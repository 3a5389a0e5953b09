// The slots of the published C API that Sotto calls.
#pragma once
