// Decimal numbers in text, rounded correctly: as std::from_chars reads them, and quicker for those that files have.
#pragma once

#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <system_error>

#include "mercer/view.hpp"

namespace mercer::files {

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

__extension__ using Wide = unsigned __int128;

// A power of five with its highest bit at the top, and what divides by it: ⌊(2¹²⁸ − 1) / power⌋ − 2⁶⁴.
struct Divisor {
  std::uint64_t power;
  std::uint64_t reciprocal;
  int shift;
};

inline constexpr int most_fives = 27;  // 5²⁷ is the largest power that 64 bits hold

inline constexpr auto divisors = [] {
  std::array<Divisor, most_fives + 1> all{};
  std::uint64_t power = 1;
  for (Divisor& one : all) {
    one.shift = std::countl_zero(power);
    one.power = power << one.shift;
    one.reciprocal = static_cast<std::uint64_t>(~Wide(0) / one.power);
    power *= 5;
  }
  return all;
}();

// high·2⁶⁴ + low by a power, where high is less than it (Möller and Granlund, 2011, algorithm 4). The lowest bit of the
// quotient is set where something remains.
inline std::uint64_t divide(std::uint64_t high, std::uint64_t low, const Divisor& by) {
  const Wide guess = Wide(by.reciprocal) * high + ((Wide(high) << 64) | low);
  std::uint64_t quotient = static_cast<std::uint64_t>(guess >> 64) + 1;
  std::uint64_t rest = low - quotient * by.power;
  if (rest > static_cast<std::uint64_t>(guess)) {
    --quotient;
    rest += by.power;
  }
  if (rest >= by.power) {
    ++quotient;
    rest -= by.power;
  }
  return quotient | (rest != 0);
}

// The largest power of ten that T holds exactly; products and quotients with it are rounded once (Clinger, 1990).
template <class T>
inline constexpr int exact_power = sizeof(T) == 8 ? 22 : 10;

template <class T>
inline constexpr auto powers_of_ten = [] {
  std::array<T, exact_power<T> + 1> all{1};
  for (std::size_t k = 1; k < all.size(); ++k) all[k] = all[k - 1] * 10;
  return all;
}();

// digits · 10^exponent, where that takes a few operations; false where it takes more.
template <class T>
bool scale_quickly(std::uint64_t digits, Index exponent, T& value) {
  constexpr std::uint64_t exact = std::uint64_t(1) << std::numeric_limits<T>::digits;
  if (exponent == 0 || digits == 0) {
    value = static_cast<T>(digits);
    return true;
  }
  if (digits <= exact && exponent >= -exact_power<T> && exponent <= exact_power<T>) {
    const T whole = static_cast<T>(digits);
    value = exponent < 0 ? whole / powers_of_ten<T>[-exponent] : whole * powers_of_ten<T>[exponent];
    return true;
  }
  if (exponent > 0 || exponent < -most_fives) return false;
  // A quotient of 63 bits or 64, the lowest of which stands for all that follow, has one rounding left.
  const Divisor& by = divisors[-exponent];
  const int shift = std::countl_zero(digits);
  const std::uint64_t top = digits << shift;
  const T quotient = static_cast<T>(divide(top >> 1, top << 63, by));
  const std::uint64_t power = static_cast<std::uint64_t>(1023 - 63 - shift + by.shift + exponent);
  value = static_cast<T>(static_cast<double>(quotient) * std::bit_cast<double>(power << 52));
  return true;
}

// Eight characters at once: whether all are digits, and the number they make.
inline bool are_digits(std::uint64_t eight) {
  return ((eight & 0xF0F0F0F0F0F0F0F0u) | (((eight + 0x0606060606060606u) & 0xF0F0F0F0F0F0F0F0u) >> 4)) ==
         0x3333333333333333u;
}
inline std::uint32_t number_of(std::uint64_t eight) {
  eight -= 0x3030303030303030u;
  eight = eight * 10 + (eight >> 8);
  return static_cast<std::uint32_t>((((eight & 0x000000FF000000FFu) * 0x000F424000000064u) +
                                     (((eight >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u)) >>
                                    32);
}

// Reads digits on from `p`, appending them to `number`, which wraps around where there are too many.
inline const char* read_digits(const char* p, const char* end, std::uint64_t& number) {
  if constexpr (std::endian::native == std::endian::little)
    while (end - p >= 8) {
      std::uint64_t eight;
      std::memcpy(&eight, p, 8);
      if (!are_digits(eight)) break;
      number = number * 100'000'000 + number_of(eight);
      p += 8;
    }
  for (; is_digit(*p); ++p) number = number * 10 + static_cast<std::uint64_t>(*p - '0');
  return p;
}

// Numbers of any length and size, without a sign, from `begin` to `end`, of which `exponent` is that of the last digit.
template <class T>
T read_slowly(const char* begin, const char* end, Index exponent) {
  T value = 0;
  if (std::from_chars(begin, end, value).ec != std::errc::result_out_of_range) return value;
  // Too large or too small, which the place of the first digit tells.
  const char* first = begin;
  while (*first == '0' || *first == '.') ++first;
  for (; is_digit(*first) || *first == '.'; ++first) exponent += *first != '.';
  return exponent > 0 ? std::numeric_limits<T>::infinity() : T(0);
}

// Reads [+-]digits[.digits][e[+-]digits] at `p` and returns where it ends, or null where no such number stands there.
// Numbers too large become infinite. Some character before `end` must be none of a number's.
template <class T>
const char* read_decimal(const char* p, const char* end, T& value) {
  constexpr Index most_digits = 19;                // that 64 bits hold
  constexpr Index most_exponent = Index(1) << 50;  // beyond it, digits of the exponent change nothing
  const bool is_negative = *p == '-';
  p += is_negative || *p == '+';
  const char* const begin = p;
  std::uint64_t number = 0;
  for (; is_digit(*p); ++p) number = number * 10 + static_cast<std::uint64_t>(*p - '0');
  Index digits = p - begin, exponent = 0;
  if (*p == '.') {
    const char* const point = ++p;
    p = read_digits(p, end, number);
    exponent = point - p;
    digits -= exponent;
  }
  if (digits == 0) return nullptr;
  if (*p == 'e' || *p == 'E') {
    ++p;
    const bool is_small = *p == '-';
    p += is_small || *p == '+';
    if (!is_digit(*p)) return nullptr;
    Index written = 0;
    for (; is_digit(*p); ++p)
      if (written < most_exponent) written = written * 10 + (*p - '0');
    exponent += is_small ? -written : written;
  }
  if (digits > most_digits)  // zeros in front do not count
    for (const char* zero = begin; *zero == '0' || *zero == '.'; ++zero) digits -= *zero == '0';
  if (digits > most_digits || !scale_quickly(number, exponent, value)) value = read_slowly<T>(begin, p, exponent);
  if (is_negative) value = -value;
  return p;
}

}  // namespace mercer::files
