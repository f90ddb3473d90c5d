// Runs the tests whose names contain the first argument, or all of them.
#include <exception>
#include <string_view>

#include "check.hpp"

int main(int argc, char** argv) {
  using namespace mercer::test;
  const std::string_view filter = argc > 1 ? argv[1] : "";
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
  std::cout << passed << " passed, " << failed << " failed" << std::endl;
  return failed == 0 && passed > 0 ? 0 : 1;  // a filter that matches nothing is a mistake
}
