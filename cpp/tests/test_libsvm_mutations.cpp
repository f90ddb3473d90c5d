// Mutated texts: the laws hold for each, and nothing is read or written that is not ours. libFuzzer has run the same.
#include <random>
#include <vector>

#include "../fuzz/libsvm_laws.hpp"
#include "check.hpp"

using namespace mercer;

namespace {

const std::vector<std::string> seeds = {
    "+1 1:0.5 3:-2\n-1 2:1e3\n1.5\n",
    "1 qid:7 1:.5 2:-2.5e-3 # a:b\r\n# c\r\n\r\n-1 qid:8 2147483648:1",
    "\xEF\xBB\xBF"
    "0 0:1 1:0.12345678901234567 9223372036854775806:1\n2 0:2 1:nan 2:-inf 3:-nan\n",
    "1,2 3:4\n-1 -3:0x1p3 5: 6:7:8\n1e999 4:1e-999 5:00000000000000000000000000001\n",
};
const std::vector<std::string> words = {"\n",
                                        " ",
                                        ":",
                                        "qid:",
                                        "#",
                                        "nan",
                                        "inf",
                                        "0x",
                                        "e",
                                        "-",
                                        "+",
                                        ".",
                                        ",",
                                        "0",
                                        "9",
                                        "1:1 ",
                                        "\r",
                                        "\t",
                                        std::string(1, '\0'),
                                        "\xEF\xBB\xBF",
                                        "9223372036854775807",
                                        "2147483647:1",
                                        "1e308",
                                        "12345678",
                                        "\n1 1:1"};

std::string mutated(std::mt19937& random) {
  std::string text = seeds[random() % seeds.size()];
  for (auto changes = random() % 6; changes > 0; --changes) {
    const std::size_t at = random() % (text.size() + 1);
    switch (random() % 5) {
      case 0: text.insert(at, words[random() % words.size()]); break;
      case 1: text.erase(at, random() % 4); break;
      case 2: text.insert(at, 1, static_cast<char>(random() % 256)); break;
      case 3: text.insert(at, text.substr(random() % (text.size() + 1), random() % 12)); break;
      case 4: text += seeds[random() % seeds.size()]; break;
    }
  }
  return text;
}

}  // namespace

TEST(laws_of_libsvm_data_hold_for_mutated_text) {
  std::mt19937 random(1);
  for (int k = 0; k < 3000; ++k) {
    // In memory of exactly its size, so that the sanitizer sees who reads beyond.
    const std::string text = mutated(random);
    const std::vector<char> exact(text.begin(), text.end());
    try {
      fuzz::check_laws({exact.data(), exact.size()});
    } catch (const std::logic_error& error) {
      mercer::test::check(false, error.what(), k, text);
    }
  }
}
