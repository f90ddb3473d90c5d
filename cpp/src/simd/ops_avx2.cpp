// AVX2 with fused multiply-add: 32-byte vectors, sixteen registers.
#define MERCER_VECTOR_BYTES 32
#define MERCER_BLOCK_ROWS 6
#define MERCER_LEVEL(T) ops_avx2_##T
#include "ops_impl.hpp"
