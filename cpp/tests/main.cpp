// Runs the tests whose names contain the first argument, or all of them.
#include <exception>
#include <string_view>

#include "check.hpp"
#include "mercer/simd.hpp"

namespace {

// Runs what the filter names at one level; says whether all of it passed.
bool run(std::string_view level, std::string_view filter) {
  using namespace mercer::test;
  mercer::set_simd_level(level);
  int passed = 0, failed = 0;
  for (const Case& test : cases()) {
    if (std::string_view(test.name).find(filter) == std::string_view::npos) continue;
    failures = 0;
    try {
      test.body();
    } catch (const std::exception& error) {
      check(false, test.name, 0, std::string("exception: ") + error.what());
    } catch (...) {
      check(false, test.name, 0, "exception");
    }
    if (failures > 0) std::cerr << "FAILED " << test.name << " (" << failures << " checks)\n";
    ++(failures > 0 ? failed : passed);
  }
  std::cout << level << ": " << passed << " passed, " << failed << " failed" << std::endl;
  return failed == 0 && passed > 0;  // a filter that matches nothing is a mistake
}

}  // namespace

// Every test, or those whose names hold the first argument, at each level that the processor has.
int main(int argc, char** argv) {
  bool all_passed = true;
  for (const std::string_view level : mercer::simd_levels())
    all_passed = run(level, argc > 1 ? argv[1] : "") && all_passed;
  return all_passed ? 0 : 1;
}
