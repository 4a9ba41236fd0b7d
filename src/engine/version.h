/* The version, in one place; CMakeLists.txt says the same (tests/tidy.py compares). */
#ifndef ENGINE_VERSION_H
#define ENGINE_VERSION_H

#define CUZK_VERSION "0.1.0"

#endif
