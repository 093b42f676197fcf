#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace primus_plan::megatron {

/// The type that Megatron's argument parser or config class declares for a key. Primus does not enforce it.
enum class KeyType : std::uint8_t { flag, integer, real, any };

/// A key that something reads.
struct KnownKey {
  std::string_view name;
  KeyType type;
};

/// Every key that something reads at the pinned versions, sorted by name: arguments of Megatron's parser, fields of its
/// config classes (which take over any attribute of their name, see
/// megatron/training/arguments.py:core_transformer_config_from_args), and the keys that Primus's own code reads (of no
/// declared type).
std::span<const KnownKey> known_keys();

/// The key of this name; null when nothing reads one.
const KnownKey* find_known_key(std::string_view name);

}  // namespace primus_plan::megatron
