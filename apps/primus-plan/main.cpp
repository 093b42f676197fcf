#include "command.h"

int main(int argc, char** argv) { return primus_plan::app::run_program(argc, argv); }
