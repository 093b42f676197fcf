#include "primus_plan/support/number.h"

#include <gtest/gtest.h>

#include <limits>

namespace primus_plan {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

TEST(Number, MultiplicationKnowsItsLimits) {
  EXPECT_EQ(checked_multiply(3'000'000'000, 3), 9'000'000'000);
  EXPECT_EQ(checked_multiply(largest, 2), std::nullopt);
  EXPECT_EQ(checked_multiply(smallest, -1), std::nullopt);
  EXPECT_EQ(saturating_multiply(largest, 8), largest);
  EXPECT_EQ(saturating_multiply(largest, -8), smallest);
  EXPECT_EQ(saturating_multiply(-4, -4), 16);
}

TEST(Number, CommonDivisorsAndMultiples) {
  EXPECT_EQ(greatest_common_divisor(84, -36), 12);
  EXPECT_EQ(greatest_common_divisor(0, 7), 7);
  EXPECT_EQ(greatest_common_divisor(0, 0), 0);
  EXPECT_EQ(greatest_common_divisor(smallest, smallest), largest);
  EXPECT_EQ(least_common_multiple(12, -18), 36);
  EXPECT_EQ(least_common_multiple(0, 5), 0);
  EXPECT_EQ(least_common_multiple(largest, largest - 1), std::nullopt);
  EXPECT_EQ(least_common_multiple(smallest, 3), std::nullopt);
}

TEST(Number, DivisionRoundsDownAsPythonDoes) {
  for (const std::int64_t a : {-9, -8, -1, 0, 1, 7, 8}) {
    for (const std::int64_t b : {-4, -1, 1, 3}) {
      EXPECT_EQ(floor_divide(a, b) * b + floor_remainder(a, b), a) << a << " " << b;
    }
  }
  EXPECT_EQ(floor_divide(-7, 2), -4);
  EXPECT_EQ(floor_remainder(-7, 2), 1);
  EXPECT_EQ(floor_remainder(7, -2), -1);
  EXPECT_EQ(floor_remainder(smallest, -1), 0);
}

TEST(Number, DivisorsAscend) {
  EXPECT_EQ(divisors(36), (std::vector<std::int64_t>{1, 2, 3, 4, 6, 9, 12, 18, 36}));
  EXPECT_EQ(divisors(61), (std::vector<std::int64_t>{1, 61}));
  EXPECT_EQ(divisors(1), (std::vector<std::int64_t>{1}));
  EXPECT_TRUE(divisors(0).empty());
  const auto huge = divisors(INT64_MAX);  // 7^2 x 73 x 127 x 337 x 92737 x 649657: found without a search of minutes
  EXPECT_EQ(huge.front(), 1);
  EXPECT_EQ(huge.back(), INT64_MAX);
}

TEST(Number, NearestMultiples) {
  const Multiples around = nearest_multiples(100, 32);
  EXPECT_EQ(around.below, 96);
  EXPECT_EQ(around.above, 128);
  EXPECT_EQ(nearest_multiples(7, 32).below, std::nullopt);
  EXPECT_EQ(nearest_multiples(7, 32).above, 32);
  EXPECT_EQ(nearest_multiples(64, 32).below, 64);
  EXPECT_EQ(nearest_multiples(64, 32).above, 96);
  EXPECT_EQ(nearest_multiples(32, 32).below, 32);
  EXPECT_EQ(nearest_multiples(-5, 8).above, 8);
  EXPECT_EQ(nearest_multiples(5, 0).above, std::nullopt);
  EXPECT_EQ(nearest_multiples(largest, 2).above, std::nullopt);
}

TEST(Number, NumbersForPeople) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1'048'576), "1,048,576");
  EXPECT_EQ(with_commas(-12'345), "-12,345");
  EXPECT_EQ(with_commas(smallest), "-9,223,372,036,854,775,808");
  EXPECT_EQ(human_count(950), "950");
  EXPECT_EQ(human_count(1.5e9), "1.5 B");
  EXPECT_EQ(human_count(70'553'706'496.0), "70.6 B");
  EXPECT_EQ(human_count(405.4e9), "405 B");
  EXPECT_EQ(human_count(999'999), "1 M");
  EXPECT_EQ(human_count(1.254e12), "1.25 T");
  EXPECT_EQ(human_bytes(512), "512 B");
  EXPECT_EQ(human_bytes(1.5 * 1024 * 1024 * 1024), "1.5 GiB");
  EXPECT_EQ(human_bytes(191.98 * 1024 * 1024 * 1024), "192 GiB");
  EXPECT_EQ(human_bytes(1024.0 * 1024 - 1), "1 MiB");
}

}  // namespace
}  // namespace primus_plan
