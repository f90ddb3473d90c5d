// A kernel as a postfix program: leaves and constants push a tile, operators combine the topmost ones.
#pragma once

#include <vector>

#include "mercer/leaf.hpp"
#include "mercer/view.hpp"

namespace mercer {

struct Frame;

struct Instruction {
  enum class Kind { leaf, constant, add, multiply };
  Kind kind = Kind::leaf;
  Leaf leaf;
  double constant = 0;
  int frame = 0;  // of the leaf: the rows it takes, where some have weights of their own for the features
};

class Kernel {
 public:
  // With gamma 0 a leaf becomes a constant, which cannot meet a product that overflows.
  explicit Kernel(const Leaf& leaf);
  static Kernel constant(double value);
  // Constants are added up and multiplied into leaves: a multiple of a leaf costs no more than the leaf.
  friend Kernel operator+(const Kernel& left, const Kernel& right);
  friend Kernel operator*(const Kernel& left, const Kernel& right);

  const std::vector<Instruction>& program() const { return program_; }
  int depth() const { return depth_; }

  // Depends on x - z alone.
  bool translation_invariant() const;
  // Leaves with the same weights of features share a frame. The first is that of leaves without weights, if any.
  int frames() const;
  // Whether data of all leaves of a frame may be centred and scaled.
  bool translation_invariant(int frame) const;
  // Throws std::invalid_argument where a leaf has weights for another number of features.
  void check_features(Index features) const;

  // The value on top of the stack after each step, the last one being the kernel's. leaf_value(leaf) and
  // constant_value(double) give those of leaves and constants.
  template <class Number, class LeafValue, class ConstantValue>
  std::vector<Number> values_on_the_way(LeafValue leaf_value, ConstantValue constant_value) const;
  // k(x, x).
  double self_value(double squared_norm) const;
  // Neither |k(x, z)| nor a value on the way to it is larger where both squared norms are at most this.
  double bound(double squared_norm) const;

  // The same kernel on data in a frame, which serves it.
  Kernel in(const Frame& frame) const;

 private:
  explicit Kernel(std::vector<Instruction> program);
  bool is_constant() const;
  Kernel times(double factor) const;
  void number_frames();
  static Kernel joined(const Kernel& left, const Kernel& right, Instruction::Kind kind);

  std::vector<Instruction> program_;
  int depth_ = 0;
};

template <class Number, class LeafValue, class ConstantValue>
std::vector<Number> Kernel::values_on_the_way(LeafValue leaf_value, ConstantValue constant_value) const {
  std::vector<Number> stack, values;
  for (const Instruction& step : program_) {
    if (step.kind == Instruction::Kind::leaf) {
      stack.push_back(leaf_value(step.leaf));
    } else if (step.kind == Instruction::Kind::constant) {
      stack.push_back(constant_value(step.constant));
    } else {
      const Number right = stack.back();
      stack.pop_back();
      stack.back() = step.kind == Instruction::Kind::add ? stack.back() + right : stack.back() * right;
    }
    values.push_back(stack.back());
  }
  return values;
}

}  // namespace mercer
