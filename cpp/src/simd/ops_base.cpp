// The level every processor has: 16-byte vectors.
#define MERCER_VECTOR_BYTES 16
#define MERCER_BLOCK_ROWS 2
#define MERCER_LEVEL(T) ops_base_##T
#include "ops_impl.hpp"
