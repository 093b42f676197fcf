#!/bin/sh
# Stands for the program in the tests (PRIMUS_PLAN_BINARY) and runs it under valgrind; see `./dev valgrind`.
exec valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,indirect,possible \
  "${PRIMUS_PLAN_UNDER_VALGRIND:?}" "$@"
