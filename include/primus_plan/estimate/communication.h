#pragma once

#include <cstdint>

#include "primus_plan/run/hardware.h"

namespace primus_plan {

/// Ranks that communicate, by where they sit: `size` ranks, each `stride` ranks after the one before.
struct CommunicationGroup {
  std::int64_t size = 1;
  std::int64_t stride = 1;
};

/// The network as one run sees it: seconds of the collectives on it. Bandwidths are what the links carry times the
/// share that collectives reach. Nothing takes 0 seconds in a group of one.
class Network {
 public:
  /// `gpus_per_node` is the launch's; a domain that spans several nodes (NVL72) stays whole.
  Network(const Hardware& hardware, std::int64_t gpus_per_node);

  /// Ranks of the group that sit in one scale-up domain.
  double ranks_in_domain(const CommunicationGroup& group) const;

  /// `bytes` is the whole gathered (or not yet scattered) tensor, as each rank holds it at the end (beginning). Across
  /// domains the ranks of a domain share the work: each takes a part over its own NIC.
  double all_gather(const CommunicationGroup& group, double bytes) const;
  double reduce_scatter(const CommunicationGroup& group, double bytes) const;
  double all_reduce(const CommunicationGroup& group, double bytes) const;
  /// `bytes` is what one rank holds before the exchange; (n - 1)/n of it leaves the rank.
  double all_to_all(const CommunicationGroup& group, double bytes) const;
  /// One message to the next rank of the group.
  double point_to_point(const CommunicationGroup& group, double bytes) const;

 private:
  /// Bytes per second that one rank sends to the others of a group of `ranks` in its domain.
  double link_rate(double ranks) const;

  double domain_;      ///< GPUs that the run has in a domain
  double mesh_peers_;  ///< GPUs that each has a link of its own to, in the run or not; 0 behind a switch
  double links_;       ///< bytes per second of a rank, all its links
  double nic_;
  double link_latency_;
  double nic_latency_;
};

}  // namespace primus_plan
