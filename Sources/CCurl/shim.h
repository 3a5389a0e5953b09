// libcurl; helpers add shims for its variadic setters here.
#pragma once
#include <curl/curl.h>
