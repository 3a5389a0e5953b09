// libzip: wheels are ZIP archives, read entry by entry as streams.
#pragma once
#include <zip.h>
