#include "mercer/kernel.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

using Kind = Instruction::Kind;

Kernel::Kernel(std::vector<Instruction> program) : program_(std::move(program)) {
  int height = 0;
  for (const Instruction& step : program_) {
    height += step.kind == Kind::leaf || step.kind == Kind::constant ? 1 : -1;
    depth_ = std::max(depth_, height);
  }
}

Kernel::Kernel(const Leaf& leaf)
    : Kernel(std::vector<Instruction>{leaf.is_constant() ? Instruction{Kind::constant, {}, leaf.value(0)}
                                                         : Instruction{Kind::leaf, leaf, 0}}) {}

Kernel Kernel::constant(double value) { return Kernel(std::vector<Instruction>{{Kind::constant, {}, value}}); }

Kernel Kernel::joined(const Kernel& left, const Kernel& right, Kind kind) {
  std::vector<Instruction> program = left.program_;
  program.insert(program.end(), right.program_.begin(), right.program_.end());
  program.push_back({kind, {}, 0});
  return Kernel(std::move(program));
}

Kernel operator+(const Kernel& left, const Kernel& right) { return Kernel::joined(left, right, Kind::add); }

Kernel operator*(const Kernel& left, const Kernel& right) { return Kernel::joined(left, right, Kind::multiply); }

double Kernel::self_value(double squared_norm) const {
  return values_on_the_way<double>(
             [&](const Leaf& leaf) { return leaf.value(leaf.form().translation_invariant() ? 0 : squared_norm); },
             [](double constant) { return constant; })
      .back();
}

double Kernel::bound(double squared_norm) const {
  const auto bound_of = [&](const Leaf& leaf) { return leaf.form().bound(leaf.parameters(), squared_norm); };
  double largest = 0;
  for (const double value : values_on_the_way<double>(bound_of, [](double constant) { return std::abs(constant); }))
    if (!(value <= largest)) largest = value;  // keeps what is not a number
  return largest;
}

bool Kernel::translation_invariant() const {
  return std::ranges::all_of(program_, [](const Instruction& step) {
    return step.kind != Kind::leaf || step.leaf.form().translation_invariant();
  });
}

double Kernel::natural_scale() const {
  for (const Instruction& step : program_)
    if (step.kind == Kind::leaf && step.leaf.form().translation_invariant()) return step.leaf.natural_scale();
  return 1;
}

Kernel Kernel::rescaled(double scale) const {
  std::vector<Instruction> program = program_;
  for (Instruction& step : program)
    if (step.kind == Kind::leaf) step.leaf = step.leaf.rescaled(scale);
  return Kernel(std::move(program));
}

}  // namespace mercer
