#pragma once
#include <lexbor/html/html.h>
#include <lexbor/dom/dom.h>
