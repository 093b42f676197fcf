#pragma once

#include <string>

#include "primus_plan/run/candidate.h"

namespace primus_plan::session {

/// What a module's overrides are in the text of an experiment.
enum class Section : std::uint8_t {
  there,    ///< with keys, which others can be put beside
  missing,  ///< not there, or nothing behind the colon
  odd,      ///< {}, null written out, or a module in braces
};

/// An experiment with overrides where its module had none.
struct WithSection {
  Section was = Section::there;
  std::string text;  ///< with the overrides, where the section was missing and a place for it is there
};

/// Gives a module without overrides the section with these in it; every other byte stays. The text must be one that can
/// be loaded.
WithSection add_section(const std::string& text, const std::string& module, const CandidateOverrides& overrides);

}  // namespace primus_plan::session
