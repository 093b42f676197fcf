# PRIMUS_PLAN_STATIC: a program that needs no library of the system it runs on. Distributions' CMake packages name the
# shared libraries, so the static ones are looked for by name.

# Puts what a static program links in the place of fmt, yaml-cpp and libedit.
function(primus_plan_static_libraries fmt yaml_cpp libedit)
  if(NOT PRIMUS_PLAN_STATIC)
    return()
  endif()
  find_library(primus_plan_yaml_cpp NAMES libyaml-cpp.a REQUIRED)
  set(${fmt} fmt::fmt-header-only PARENT_SCOPE)
  set(${yaml_cpp} ${primus_plan_yaml_cpp} PARENT_SCOPE)
  find_library(primus_plan_libedit NAMES libedit.a REQUIRED)
  set(${libedit} ${primus_plan_libedit} PARENT_SCOPE)
endfunction()

function(primus_plan_link_statically program)
  if(NOT PRIMUS_PLAN_STATIC)
    return()
  endif()
  target_link_options(${program} PRIVATE -static)
  # What libedit needs itself.
  foreach(name IN ITEMS tinfo bsd md)
    find_library(primus_plan_${name} NAMES lib${name}.a REQUIRED)
    target_link_libraries(${program} PRIVATE ${primus_plan_${name}})
  endforeach()
endfunction()
