// Centres made ready for a kernel once, for any number of queries: the fitted side of a machine, or the columns of a
// kernel matrix.
#pragma once

#include "mercer/points.hpp"
#include "mercer/pool.hpp"

namespace mercer {

// Centres first..last contribute to one output.
struct SegmentRange {
  Index output;
  Index first;
  Index last;
};

// The same with what each contributes: coef[0..last-first] times its kernel value.
struct Segment {
  Index output;
  Index first;
  Index last;
  const double* coef;
};

template <class T>
class Centres {
 public:
  // Throws std::overflow_error where a value or a kernel value does not fit T. Nothing of X is kept.
  Centres(const Kernel& kernel, const Matrix& X);

  Index size() const { return points_.size(); }

  // Segments whose coefficients follow one another. Throws std::invalid_argument where one does not fit.
  std::vector<Segment> segments(const std::vector<SegmentRange>& ranges, Index outputs,
                                std::span<const double> coef) const;
  // out[i * outputs + o] = sum of the segments of output o at query i. Coefficients are rounded to T. This and `matrix`
  // throw std::invalid_argument where queries have another number of features.
  void evaluate(const Matrix& queries, const std::vector<Segment>& segments, Index outputs, double* out,
                const Workers& workers) const;
  // out[i * size() + j] = k(query i, centre j).
  void matrix(const Matrix& queries, T* out, const Workers& workers) const;

 private:
  void check_columns(const Matrix& queries) const;

  Frame frame_;
  Kernel kernel_;  // on data in the frame
  Points<T> points_;
};

}  // namespace mercer
