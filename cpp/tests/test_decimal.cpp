// Decimal numbers are read as strtod reads them, to the last bit.
#include <bit>
#include <cstdlib>
#include <random>

#include "check.hpp"
#include "files/decimal.hpp"

using namespace mercer;
using namespace mercer::files;

namespace {

double by_library(const char* text, double) { return std::strtod(text, nullptr); }
float by_library(const char* text, float) { return std::strtof(text, nullptr); }

template <class T>
void check_same(const std::string& text) {
  T value = 7;
  const char* const end = read_decimal(text.data(), text.data() + text.size(), value);
  CHECK(end == text.data() + text.size());
  const T expected = by_library(text.c_str(), T());
  const bool same = value == expected && std::signbit(value) == std::signbit(expected);
  if (!same) mercer::test::check(false, __FILE__, __LINE__, text);
}

void check_same(const std::string& text) {
  check_same<double>(text);
  check_same<float>(text);
}

std::string random_digits(std::mt19937_64& random, int count) {
  std::string digits;
  for (int k = 0; k < count; ++k) digits += static_cast<char>('0' + random() % 10);
  return digits;
}

}  // namespace

TEST(numbers_of_any_form_are_read_as_the_library_reads_them) {
  for (const char* text : {"0",
                           "-0",
                           "+1",
                           "1.",
                           ".5",
                           "-.5e1",
                           "00012.50",
                           "1e22",
                           "1e23",
                           "9007199254740993",
                           "9007199254740992.5",
                           "1.7976931348623157e308",
                           "1.7976931348623159e308",
                           "1e309",
                           "-1e400",
                           "4.9e-324",
                           "2.4e-324",
                           "2.5e-324",
                           "1e-400",
                           "-1e-99999999999999999999",
                           "1e+99999999999999999999",
                           "0e99999999999999999999",
                           "0.00000000000000000000000000000000000000000001",
                           "18446744073709551615",
                           "18446744073709551616",
                           "9999999999999999999",
                           "0.1234567890123456789",
                           "8388609e-1",
                           "16777217",
                           "3.4028235e38",
                           "3.4028236e38",
                           "1.00000017881393432617187499",
                           "1.00000017881393432617187500",
                           "1.00000017881393432617187501",
                           "7.0064923216240854e-46",
                           "2.2250738585072011e-308",
                           "6631236846766476e-316",
                           "123456789012345678e-27"})
    check_same(text);
  check_same(std::string(3000, '7') + "e-2990");
  check_same("0." + std::string(400, '0') + std::string(1000, '3') + "E+405");
  check_same("0." + std::string(100'000, '0') + "1e100001");
}

TEST(random_numbers_are_read_as_the_library_reads_them) {
  std::mt19937_64 random(20);
  for (int k = 0; k < 20'000; ++k) {
    const int before = static_cast<int>(random() % 12), after = static_cast<int>(random() % 24);
    std::string text = random() % 2 ? "-" : "";
    text += random_digits(random, before) + "." + random_digits(random, before == 0 ? after + 1 : after);
    if (random() % 2) text += "e" + std::to_string(static_cast<int>(random() % 80) - 40);
    if (random() % 16 == 0) text += random_digits(random, 1).insert(0, text.find('e') == text.npos ? "e-30" : "");
    check_same(text);
  }
}

TEST(numbers_of_all_sizes_in_seventeen_digits_are_read_as_they_were) {
  std::mt19937_64 random(21);
  for (int k = 0; k < 20'000; ++k) {
    const double number = std::bit_cast<double>(random());
    if (!std::isfinite(number)) continue;
    char text[64];
    std::snprintf(text, sizeof text, k % 2 ? "%.17g" : "%.16e", number);
    check_same(text);
    double near_one = std::ldexp(static_cast<double>(random() >> 11), -53);
    std::snprintf(text, sizeof text, "%.17g", near_one);
    check_same(text);
  }
}

TEST(numbers_halfway_between_two_are_rounded_to_even) {
  std::mt19937_64 random(22);
  for (int k = 0; k < 2'000; ++k) {
    const float below = std::bit_cast<float>(static_cast<std::uint32_t>(0x3f800000 + random() % 0x2000000));
    const double middle = (static_cast<double>(below) + std::nextafter(below, 1e30f)) / 2;
    char text[64];
    std::snprintf(text, sizeof text, "%.60f", middle);
    std::string digits(text);
    digits.erase(digits.find_last_not_of('0') + 1);
    check_same(digits);
    check_same(digits + "1");
  }
}

TEST(what_is_no_number_is_not_read) {
  double value;
  for (const std::string text : {"\n", "-\n", "+\n", ".\n", "-.\n", "e5\n", ".e5\n", "x\n", "inf\n", "-nan\n", "+-1\n"})
    CHECK(read_decimal(text.data(), text.data() + text.size(), value) == nullptr);
  for (const std::string text : {"1e\n", "1e+\n", "1e-x\n", "1x1\n", "1,1\n"})
    CHECK(read_decimal(text.data(), text.data() + text.size(), value) == text.data() + 1);
}
