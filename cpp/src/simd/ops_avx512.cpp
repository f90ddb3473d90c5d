// AVX-512: 64-byte vectors, thirty-two registers.
#define MERCER_VECTOR_BYTES 64
#define MERCER_BLOCK_ROWS 12
#define MERCER_LEVEL(T) ops_avx512_##T
#include "ops_impl.hpp"
