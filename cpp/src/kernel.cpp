#include "mercer/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "mercer/frame.hpp"

namespace mercer {
namespace {

using Kind = Instruction::Kind;

bool is_operand(const Instruction& step) { return step.kind == Kind::leaf || step.kind == Kind::constant; }

// Where the expression begins that ends at `last`.
std::size_t begin_of(const std::vector<Instruction>& program, std::size_t last) {
  std::size_t wanted = 1, at = last + 1;
  while (wanted > 0) wanted = is_operand(program[--at]) ? wanted - 1 : wanted + 1;
  return at;
}

// Multiplies the expression that ends at `last`: both sides of a sum, one of a product.
void multiply_into(std::vector<Instruction>& program, std::size_t last, double factor) {
  Instruction& step = program[last];
  if (step.kind == Kind::leaf) {
    step.leaf = step.leaf.times(factor);
  } else if (step.kind == Kind::constant) {
    step.constant *= factor;
  } else {
    multiply_into(program, last - 1, factor);
    if (step.kind == Kind::add) multiply_into(program, begin_of(program, last - 1) - 1, factor);
  }
}

bool share_a_frame(const Leaf& a, const Leaf& b) {
  return a.weights() == b.weights() && (a.weights().empty() || a.form().sum == b.form().sum);
}

}  // namespace

Kernel::Kernel(std::vector<Instruction> program) : program_(std::move(program)) {
  int height = 0;
  for (const Instruction& step : program_) {
    height += is_operand(step) ? 1 : -1;
    depth_ = std::max(depth_, height);
  }
}

Kernel::Kernel(const Leaf& leaf)
    : Kernel(std::vector<Instruction>{leaf.is_constant() ? Instruction{Kind::constant, {}, leaf.value(0), 0}
                                                         : Instruction{Kind::leaf, leaf, 0, 0}}) {}

Kernel Kernel::constant(double value) { return Kernel(std::vector<Instruction>{{Kind::constant, {}, value, 0}}); }

bool Kernel::is_constant() const { return program_.size() == 1 && program_.front().kind == Kind::constant; }

Kernel Kernel::times(double factor) const {
  if (factor == 0) return constant(0);
  Kernel product = *this;
  multiply_into(product.program_, program_.size() - 1, factor);
  return product;
}

Kernel Kernel::joined(const Kernel& left, const Kernel& right, Kind kind) {
  std::vector<Instruction> program = left.program_;
  program.insert(program.end(), right.program_.begin(), right.program_.end());
  program.push_back({kind, {}, 0, 0});
  Kernel both(std::move(program));
  both.number_frames();
  return both;
}

Kernel operator+(const Kernel& left, const Kernel& right) {
  if (left.is_constant() && right.is_constant())
    return Kernel::constant(left.program_.front().constant + right.program_.front().constant);
  return Kernel::joined(left, right, Kind::add);
}

Kernel operator*(const Kernel& left, const Kernel& right) {
  if (left.is_constant()) return right.times(left.program_.front().constant);
  if (right.is_constant()) return left.times(right.program_.front().constant);
  return Kernel::joined(left, right, Kind::multiply);
}

double Kernel::self_value(double squared_norm) const {
  return values_on_the_way<double>(
             [&](const Leaf& leaf) { return leaf.value(leaf.form().translation_invariant() ? 0 : squared_norm); },
             [](double constant) { return constant; })
      .back();
}

double Kernel::bound(double squared_norm) const {
  double largest = 0;
  const auto note = [&](double value) {
    if (!(value <= largest)) largest = value;  // keeps what is not a number
  };
  const auto bound_of = [&](const Leaf& leaf) {
    const double of_form = leaf.form().bound(leaf.parameters(), squared_norm);
    note(of_form);
    note(std::abs(leaf.factor()));
    return std::abs(leaf.factor()) * of_form;
  };
  for (const double value : values_on_the_way<double>(bound_of, [](double constant) { return std::abs(constant); }))
    note(value);
  return largest;
}

bool Kernel::translation_invariant() const {
  return std::ranges::all_of(program_, [](const Instruction& step) {
    return step.kind != Kind::leaf || step.leaf.form().translation_invariant();
  });
}

void Kernel::number_frames() {
  std::vector<Leaf> first;  // of each frame
  for (const bool weighted : {false, true})
    for (Instruction& step : program_) {
      if (step.kind != Kind::leaf || step.leaf.weights().empty() == weighted) continue;
      const auto found = std::ranges::find_if(first, [&](const Leaf& leaf) { return share_a_frame(leaf, step.leaf); });
      step.frame = static_cast<int>(found - first.begin());
      if (found == first.end()) first.push_back(step.leaf);
    }
}

int Kernel::frames() const {
  int count = 1;
  for (const Instruction& step : program_) count = std::max(count, step.frame + 1);
  return count;
}

bool Kernel::translation_invariant(int frame) const {
  return std::ranges::all_of(program_, [&](const Instruction& step) {
    return step.kind != Kind::leaf || step.frame != frame || step.leaf.form().translation_invariant();
  });
}

void Kernel::check_features(Index features) const {
  for (const Instruction& step : program_) {
    const auto weights = static_cast<Index>(step.leaf.weights().size());
    if (weights > 0 && weights != features)
      throw std::invalid_argument("the kernel has weights for " + std::to_string(weights) +
                                  " features, the data have " + std::to_string(features));
  }
}

Kernel Kernel::in(const Frame& frame) const {
  std::vector<Instruction> program = program_;
  for (Instruction& step : program)
    if (step.kind == Kind::leaf) step.leaf = step.leaf.rescaled(frame.part(step.frame).scale).without_weights();
  return Kernel(std::move(program));
}

}  // namespace mercer
