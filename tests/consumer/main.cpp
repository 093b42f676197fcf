#include <cstdio>

#include "primus_plan/config/embedded.h"
#include "primus_plan/version.h"

int main() {
  // A call into the library, so that linking is tested as well.
  std::printf("%zu presets in primus-plan %s\n", primus_plan::embedded_presets().size(), primus_plan::version.data());
}
