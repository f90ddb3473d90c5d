// For libFuzzer, which comes with clang:
//
//     cmake -S . -B build/fuzz -DMERCER_FUZZ=ON -DCMAKE_CXX_COMPILER=clang++
//     cmake --build build/fuzz --target fuzz_libsvm && build/fuzz/fuzz_libsvm -max_len=512 -runs=1000000
#include <cstddef>
#include <cstdint>

#include "libsvm_laws.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mercer::fuzz::check_laws({reinterpret_cast<const char*>(data), size});
  return 0;
}
