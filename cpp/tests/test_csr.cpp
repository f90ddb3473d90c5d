// Sparse views whose numbers do not fit are refused before anything reads them.
#include <stdexcept>

#include "check.hpp"
#include "mercer/csr.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

// Three rows of four columns with two, none and one entries.
template <class I>
struct Small {
  std::vector<double> values{1, 2, 3};
  std::vector<I> indices{3, 0, 1};
  std::vector<I> indptr{0, 2, 2, 3};

  void check(Index stored = 3) const {
    check_csr(Csr<double, I>{values.data(), indices.data(), indptr.data(), std::ssize(indptr) - 1, 4}, stored);
  }
};

template <class I>
void check_refusals() {
  Small<I>{}.check();
  Small<I>{{}, {}, {0}}.check(0);
  CHECK_THROWS(std::invalid_argument, Small<I>{}.check(2));
  CHECK_THROWS(std::invalid_argument, Small<I>{{}, {}, {}}.check(0));
  for (const std::vector<I>& indptr : {std::vector<I>{-1, 2, 2, 3}, {0, 2, 1, 3}, {0, 2, 2, 4}, {3, 2, 2, 3}}) {
    Small<I> wrong;
    wrong.indptr = indptr;
    CHECK_THROWS(std::invalid_argument, wrong.check());
  }
  for (const I column : {-1, 4}) {
    Small<I> wrong;
    wrong.indices[1] = column;
    CHECK_THROWS(std::invalid_argument, wrong.check());
  }
}

}  // namespace

TEST(csr_views_that_do_not_fit_are_refused) {
  check_refusals<std::int32_t>();
  check_refusals<std::int64_t>();
}

TEST(csr_views_of_any_type_are_checked) {
  const Table X = random_table(7, 5, 450, 0.4);
  const CsrData<float, std::int32_t> narrow(X);
  const CsrData<float, std::int64_t> wide(X);
  check_csr(std::get<Csr<float, std::int32_t>>(Matrix(narrow)), std::ssize(narrow.values));
  check_csr(std::get<Csr<float, std::int64_t>>(Matrix(wide)), std::ssize(wide.values));
}
