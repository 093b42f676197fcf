#pragma once

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/config/files.h"
#include "primus_plan/diagnostics/origin.h"
#include "primus_plan/run/hardware.h"

namespace primus_plan {

/// A part that nobody knows, or a description of one that cannot be read: a sentence for the user.
class HardwareError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One number of a part, as files and overrides name it.
struct HardwareField {
  std::string_view name;  ///< "nic_gbs"
  std::string_view about;
  double Hardware::*member;
  double unit;          ///< the member is the file's number times this
  bool needed = false;  ///< estimates divide by it: a part without it is none
};

/// The numbers of a part, in the order of the files.
std::span<const HardwareField> hardware_fields();

/// The parts inside the binary (presets/hardware/*.yaml), by name. Read at the first call.
const std::vector<Hardware>& built_in_hardware();

/// The part that `spec` names: a built-in one ("MI300X", in any case, or one of its other names), or a file; either may
/// be followed by changes ("MI300X:nic_gbs=25,hbm_gb=192"). What has a slash or ends in .yaml, .yml or .json is a file:
/// one of ours, which may start from another part
/// (`base: MI300X`), also as a list of one (the JSON of `primus-plan hardware PART`), or one of Primus's
/// examples/hardware_configs, which describes a network: node_bw, pod_bw, nics_per_node, node_size and node_topology
/// are read, the part is its `base` or the one that its name or comments speak of. A changed hbm_gb changes memory_gib
/// in proportion unless that is given too. Throws HardwareError, with the nearest name for a misspelt one.
Hardware find_hardware(std::string_view spec, const FileReader& files);

/// A part that an experiment seems to be meant for.
struct HardwareHint {
  std::string name;
  std::string from;  ///< "its path", "the comment in line 3"
};

/// The built-in part that a spec names as it is, without changes; empty for changed parts, files and unknown names.
std::string_view built_in_name(std::string_view spec);

/// The part that a comment `# primus-plan: hardware=MI355X` of an experiment states: a built-in one, the first where
/// several are stated.
std::optional<HardwareHint> stated_hardware(const Source& source);

/// Guesses AMD's parts (MI250X to MI355X) from the path of an experiment, else from the comments in its text. Nothing
/// when they speak of none, or of several.
std::optional<HardwareHint> guess_hardware(std::string_view path, std::string_view text);

}  // namespace primus_plan
