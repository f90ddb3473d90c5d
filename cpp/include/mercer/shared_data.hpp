// Data that several problems share, made ready for the kernel when the first of them asks.
#pragma once

#include <memory>
#include <mutex>

#include "mercer/prepared.hpp"

namespace mercer {

template <class T>
class SharedData {
 public:
  // `X` outlives it.
  SharedData(const Kernel& kernel, const Matrix& X) : kernel_(kernel), X_(X) {}

  Index rows() const { return rows_of(X_); }
  // Throws as Prepared does; the next call then tries again. Any thread may call it.
  std::shared_ptr<const Prepared<T>> get() {
    const std::lock_guard lock(guard_);
    if (!prepared_) prepared_ = std::make_shared<const Prepared<T>>(kernel_, X_);
    return prepared_;
  }

 private:
  Kernel kernel_;
  Matrix X_;
  std::mutex guard_;
  std::shared_ptr<const Prepared<T>> prepared_;
};

}  // namespace mercer
