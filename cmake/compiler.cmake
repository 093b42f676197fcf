# Warnings, sanitizers, and the tools that make builds quick. Only for building primus-plan itself: nothing of this reaches
# a project that links the library.

if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  add_compile_options(
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wcast-qual -Wextra-semi -Wformat=2
    -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual -Wundef -Wvla
    -Wno-missing-field-initializers)  # leaving a member out of a designated initializer is how we say "default"
  if(PRIMUS_PLAN_WERROR)
    add_compile_options(-Werror)
  endif()
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wduplicated-cond -Wlogical-op)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    add_compile_options(-Wno-restrict)  # false alarms on "text" + std::string (GCC bug 105651)
  endif()
endif()

if(PRIMUS_PLAN_SANITIZE)
  add_compile_options(-fsanitize=${PRIMUS_PLAN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PRIMUS_PLAN_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-maybe-uninitialized)  # the instrumented code confuses it
  endif()
endif()

if(PRIMUS_PLAN_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

if(PROJECT_IS_TOP_LEVEL)
  find_program(CCACHE ccache)
  if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  endif()
  find_program(MOLD mold)
  if(MOLD AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    add_link_options(-fuse-ld=mold)
  endif()
endif()
