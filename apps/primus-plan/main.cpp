#include <fcntl.h>
#include <unistd.h>

#include "command.h"

namespace {

/// Gives a standard stream that the caller closed (2>&-) a place, or the next file that is opened would take its number
/// and with it what is meant for the stream. Opened the wrong way round, so that using it fails as before.
void hold_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) < 0)
      static_cast<void>(::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

}  // namespace

int main(int argc, char** argv) {
  hold_closed_streams();
  return primus_plan::app::run_program(argc, argv);
}
