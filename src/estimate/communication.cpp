#include "primus_plan/estimate/communication.h"

#include <algorithm>
#include <cmath>

namespace primus_plan {

namespace {

// Shares of a link's bandwidth that collectives reach. Sources: SimuMax's measurements of all-gather, reduce-scatter
// and all-to-all on NVLink (0.67, 0.60); Calculon's 0.9 for InfiniBand; Primus's projection 0.70 for xGMI rings.
constexpr double ring_share = 0.70;
constexpr double all_to_all_share = 0.60;
constexpr double network_share = 0.80;

double positive(double value) { return std::max(value, 1.0); }

/// Rounds that a tree over `ranks` takes.
double rounds(double ranks) { return std::ceil(std::log2(std::max(2.0, ranks))); }

}  // namespace

Network::Network(const Hardware& hardware, std::int64_t gpus_per_node)
    : domain_(std::max(1.0, hardware.gpus_per_domain)),
      mesh_peers_(hardware.fabric == Fabric::mesh ? domain_ - 1 : 0),
      links_(positive(hardware.link_bytes_per_second)),
      nic_(positive(hardware.nic_bytes_per_second)),
      link_latency_(hardware.link_latency_seconds),
      nic_latency_(hardware.nic_latency_seconds) {
  // A launch that uses fewer GPUs of each node leaves the others out of the domain.
  const double used = static_cast<double>(std::max<std::int64_t>(1, gpus_per_node));
  const double present = std::max(1.0, hardware.gpus_per_node);
  if (used < present) domain_ = std::max(1.0, std::floor(domain_ * used / present));
}

double Network::ranks_in_domain(const CommunicationGroup& group) const {
  const double size = static_cast<double>(group.size);
  const double stride = static_cast<double>(std::max<std::int64_t>(1, group.stride));
  return std::clamp(std::floor(domain_ / stride), 1.0, std::max(1.0, size));
}

double Network::link_rate(double ranks) const {
  return mesh_peers_ > 0 ? links_ * std::min(1.0, (ranks - 1) / mesh_peers_) : links_;
}

double Network::all_gather(const CommunicationGroup& group, double bytes) const {
  if (group.size <= 1) return 0;
  const double near = ranks_in_domain(group);
  const double domains = std::ceil(static_cast<double>(group.size) / near);
  double inside = 0;
  if (near > 1) inside = bytes * (near - 1) / near / (link_rate(near) * ring_share) + link_latency_ * rounds(near);
  if (domains <= 1) return inside;
  const double between =
      bytes / near * (domains - 1) / domains / (nic_ * network_share) + nic_latency_ * rounds(domains);
  return std::max(inside, between) + std::min(link_latency_, inside);
}

double Network::reduce_scatter(const CommunicationGroup& group, double bytes) const { return all_gather(group, bytes); }

double Network::all_reduce(const CommunicationGroup& group, double bytes) const { return 2 * all_gather(group, bytes); }

double Network::all_to_all(const CommunicationGroup& group, double bytes) const {
  if (group.size <= 1) return 0;
  const double size = static_cast<double>(group.size);
  const double near = ranks_in_domain(group);
  double inside = 0;
  if (near > 1) inside = bytes * (near - 1) / size / (link_rate(near) * all_to_all_share) + link_latency_;
  if (near >= size) return inside;
  const double between = bytes * (size - near) / size / (nic_ * network_share) + nic_latency_;
  return std::max(inside, between);
}

double Network::point_to_point(const CommunicationGroup& group, double bytes) const {
  if (group.size <= 1) return 0;
  const bool near = static_cast<double>(group.stride) < domain_;
  if (near) return bytes / (link_rate(2) * ring_share) + link_latency_;
  return bytes / (nic_ * network_share) + nic_latency_;
}

}  // namespace primus_plan
