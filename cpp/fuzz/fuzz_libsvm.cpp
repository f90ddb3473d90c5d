// For libFuzzer: cmake -DMERCER_FUZZ=ON with clang, then fuzz_libsvm CORPUS.
#include <cstddef>
#include <cstdint>

#include "libsvm_laws.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mercer::fuzz::check_laws({reinterpret_cast<const char*>(data), size});
  return 0;
}
