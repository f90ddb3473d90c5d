// What the files of src/leaves are written with.
//
// A leaf is a struct with the name of its file. Its members are its parameters, `sum` says what is summed over the
// features, Map<Numbers> is the formula from that sum to the value in any kind of numbers, and `bound` tells how large
// values can become. `is_steep` says that the formula has no slope at zero, so that distances must be right there.
// Everything is in anonymous namespaces: the loops of a SIMD level must not share it.
#pragma once

#include "mercer/leaf.hpp"

namespace mercer {
namespace {

template <class Form>
struct Parameter {
  const char* name = nullptr;
  double Form::* member = nullptr;
};

template <class Form>
struct Parameters {
  Parameter<Form> list[most_parameters]{};
};

template <class Form>
Form with_parameters(const LeafParameters& numbers) {
  Form form;
  for (std::size_t i = 0; i < most_parameters; ++i)
    if (Form::parameters.list[i].name) form.*Form::parameters.list[i].member = numbers.values[i];
  return form;
}

// exp(-r) is zero from far less on, in every kind of numbers: where r is infinite, this times exp(-r) still has a
// value.
inline constexpr double beyond_decay = 4096;

template <class Form>
constexpr bool is_steep() {
  if constexpr (requires { Form::is_steep; })
    return Form::is_steep;
  else
    return false;
}

// The map of leaves that are their sum.
template <class Numbers>
struct Unmapped {
  template <class Form>
  explicit Unmapped(const Form&) {}
  typename Numbers::Number operator()(typename Numbers::Number sum) const { return sum; }
};

template <class... Forms>
struct LeafList {};

}  // namespace
}  // namespace mercer
