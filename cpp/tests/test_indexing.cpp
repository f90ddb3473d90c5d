// Vectors by signed numbers.
#include "check.hpp"
#include "mercer/indexing.hpp"

using namespace mercer;

TEST(indexing_reads_and_writes_by_signed_numbers) {
  std::vector<double> values{1, 2, 3};
  at(values, Index(1)) = 5;
  const std::vector<double>& read = values;
  CHECK(at(read, Index(1)) == 5 && length(values) == 3 && length(std::vector<int>{}) == 0);
  std::vector<bool> flags(3, false);
  at(flags, Index(2)) = true;
  const std::vector<bool>& read_flags = flags;
  CHECK(!at(read_flags, Index(0)) && at(read_flags, Index(2)));
}

TEST(indexing_gathers_and_counts) {
  CHECK(gathered(std::vector<double>{1, 2, 3}, {2, 0, 2}) == (std::vector<double>{3, 1, 3}));
  CHECK(counted(2, 5) == (std::vector<Index>{2, 3, 4}) && counted(4, 4).empty());
}
