// The test harness: TEST(name) { ... } registers a test, which fails where a CHECK does not hold or an exception leaves
// it.
#pragma once

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

namespace mercer::test {

struct Case {
  const char* name;
  void (*body)();
};

inline std::vector<Case>& cases() {
  static std::vector<Case> list;
  return list;
}

struct Registered {
  Registered(const char* name, void (*body)()) { cases().push_back({name, body}); }
};

// Of the running test.
inline int failures = 0;

inline void check(bool holds, const char* file, int line, const std::string& what) {
  constexpr int told = 5;  // a loop that fails everywhere would drown the first line, which matters most
  if (!holds && ++failures <= told) std::cerr << file << ':' << line << ": " << what << '\n';
}

inline void check_near(double a, double b, double tol, const char* file, int line, const std::string& what) {
  const bool near = a == b || std::abs(a - b) <= tol;
  check(near, file, line,
        near ? what
             : what + ": " + std::to_string(a) + " and " + std::to_string(b) + " differ by " +
                   std::to_string(std::abs(a - b) / tol) + " tolerances");
}

template <class Exception, class F>
bool throws(F f) {
  try {
    f();
  } catch (const Exception&) {
    return true;
  }
  return false;
}

}  // namespace mercer::test

#define TEST(name)                                                              \
  static void test_##name();                                                    \
  static const mercer::test::Registered registered_##name(#name, &test_##name); \
  static void test_##name()
#define CHECK(...) mercer::test::check(static_cast<bool>(__VA_ARGS__), __FILE__, __LINE__, #__VA_ARGS__)
#define CHECK_NEAR(a, b, tol) mercer::test::check_near((a), (b), (tol), __FILE__, __LINE__, #a " ~ " #b)
#define CHECK_THROWS(Exception, ...)                                                             \
  mercer::test::check(mercer::test::throws<Exception>([&] { __VA_ARGS__; }), __FILE__, __LINE__, \
                      #Exception " from " #__VA_ARGS__)
