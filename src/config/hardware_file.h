#pragma once

#include <string>
#include <string_view>

#include "primus_plan/config/hardware.h"

namespace primus_plan {

/// The built-in part of this name; HardwareError with the nearest name otherwise.
const Hardware& named_hardware(std::string_view name);

/// Whether a spec of find_hardware names a file rather than a built-in part.
bool names_hardware_file(std::string_view spec);

/// Changes to one part, field by field. HardwareError for unknown fields and for values that no part has.
class HardwareEdit {
 public:
  explicit HardwareEdit(Hardware& part) : part_(part), before_(part) {}

  void set(std::string_view field, double value);
  void set_fabric(std::string_view word);
  /// What follows from the fields that were set: the seen memory from the marketed one.
  void finish();

 private:
  Hardware& part_;
  Hardware before_;
  bool seen_memory_given_ = false;
};

/// A part from the text of a file: ours or Primus's (find_hardware). `known` finds the part that a file starts from;
/// null for the built-in files, which start from none.
Hardware read_hardware_file(const std::string& path, const std::string& text,
                            const Hardware& (*known)(std::string_view));

}  // namespace primus_plan
