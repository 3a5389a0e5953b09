// libidn2: international host names to their ASCII form (IDNA 2008, Unicode TS 46), the library that libcurl itself uses.
#pragma once
#include <idn2.h>
