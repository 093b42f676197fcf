#include "primus_plan/estimate/communication.h"

#include <gtest/gtest.h>

#include "primus_plan/config/hardware.h"

namespace primus_plan {
namespace {

constexpr double gigabyte = 1e9;

Hardware part(const char* spec) { return find_hardware(spec, MemoryFiles()); }

TEST(Network, NothingToSayToOneself) {
  const Network network(part("MI300X"), 8);
  const CommunicationGroup alone{1, 1};
  EXPECT_EQ(network.all_gather(alone, gigabyte), 0);
  EXPECT_EQ(network.all_reduce(alone, gigabyte), 0);
  EXPECT_EQ(network.all_to_all(alone, gigabyte), 0);
  EXPECT_EQ(network.point_to_point(alone, gigabyte), 0);
}

TEST(Network, RanksOfAGroupInADomain) {
  const Network eight(part("H100"), 8);
  EXPECT_EQ(eight.ranks_in_domain({8, 1}), 8);
  EXPECT_EQ(eight.ranks_in_domain({16, 1}), 8);
  EXPECT_EQ(eight.ranks_in_domain({16, 2}), 4);
  EXPECT_EQ(eight.ranks_in_domain({16, 8}), 1);
  EXPECT_EQ(eight.ranks_in_domain({4, 64}), 1);
  // Half of each node left out; a rack of nodes of four is one domain.
  EXPECT_EQ(Network(part("H100"), 4).ranks_in_domain({16, 1}), 4);
  EXPECT_EQ(Network(part("GB200"), 4).ranks_in_domain({64, 1}), 64);
}

TEST(Network, AMeshGivesASmallGroupFewLinks) {
  // MI300X: seven links of 64 GB/s. A pair has one of them, four GPUs have three, eight have all.
  const Network mesh(part("MI300X:link_latency_us=0"), 8);
  const double pair = mesh.all_gather({2, 1}, gigabyte);
  const double four = mesh.all_gather({4, 1}, gigabyte);
  const double eight = mesh.all_gather({8, 1}, gigabyte);
  EXPECT_NEAR(pair / eight, (1.0 / 2 / 1) / (7.0 / 8 / 7), 1e-9);
  EXPECT_NEAR(four / eight, (3.0 / 4 / 3) / (7.0 / 8 / 7), 1e-9);
  // Behind a switch the pair is the fastest.
  const Network switched(part("MI300X:link_latency_us=0,fabric=switched"), 8);
  EXPECT_LT(switched.all_gather({2, 1}, gigabyte), switched.all_gather({8, 1}, gigabyte));
  EXPECT_NEAR(switched.all_gather({8, 1}, gigabyte), eight, 1e-12);
}

TEST(Network, LinksToTheGpusThatARunLeavesOutStayIdle) {
  // Four of a node's eight have three of seven links to each other, whether or not the other four are in the run.
  const Network whole(part("MI300X"), 8);
  const Network half(part("MI300X"), 4);
  EXPECT_DOUBLE_EQ(half.all_gather({4, 1}, gigabyte), whole.all_gather({4, 1}, gigabyte));
  EXPECT_DOUBLE_EQ(half.point_to_point({2, 1}, gigabyte), whole.point_to_point({2, 1}, gigabyte));
}

TEST(Network, ReduceIsScatterAndGather) {
  const Network network(part("B200"), 8);
  for (const CommunicationGroup group :
       {CommunicationGroup{8, 1}, CommunicationGroup{64, 1}, CommunicationGroup{8, 8}}) {
    EXPECT_DOUBLE_EQ(network.all_reduce(group, gigabyte),
                     network.all_gather(group, gigabyte) + network.reduce_scatter(group, gigabyte));
  }
}

TEST(Network, RanksOfADomainShareTheWayOut) {
  // The same 32 ranks spread over 32 nodes, or eight on each of four: the eight use eight NICs.
  const Network network(part("H100:nic_latency_us=0,link_latency_us=0"), 8);
  const double spread = network.all_gather({32, 8}, gigabyte);
  const double packed = network.all_gather({32, 1}, gigabyte);
  EXPECT_GT(spread, 6 * packed);
}

TEST(Network, SlowerLinksMoreBytesAndMoreNodesNeverHelp) {
  for (const char* name : {"MI300X", "H100", "GB300", "MI250X"}) {
    const Network fast(part(name), 8);
    Hardware slow_part = part(name);
    slow_part.nic_bytes_per_second /= 2;
    slow_part.link_bytes_per_second /= 2;
    const Network slow(slow_part, 8);
    for (std::int64_t size = 2; size <= 256; size *= 2) {
      for (std::int64_t stride = 1; stride <= 64; stride *= 4) {
        const CommunicationGroup group{size, stride};
        const CommunicationGroup apart{size, stride * 2};
        EXPECT_LE(fast.all_gather(group, 1e8), slow.all_gather(group, 1e8));
        EXPECT_LE(fast.all_gather(group, 1e8), fast.all_gather(group, 2e8));
        EXPECT_LE(fast.all_to_all(group, 1e8), slow.all_to_all(group, 1e8));
        EXPECT_LE(fast.point_to_point(group, 1e8), fast.point_to_point(apart, 1e8));
        if (fast.ranks_in_domain(apart) == 1) {
          EXPECT_LE(fast.all_gather(group, 1e8), 1.01 * fast.all_gather(apart, 1e8)) << name << size << ' ' << stride;
        }
      }
    }
  }
}

}  // namespace
}  // namespace primus_plan
