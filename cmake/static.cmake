# A program that needs no library of the system it runs on. Static libraries are looked for beside the shared ones that
# the packages' targets name.

# primus_plan_static_library(VARIABLE NAME): the path of libNAME.a; an error when it is not installed.
function(primus_plan_static_library variable name)
  find_library(${variable} NAMES lib${name}.a REQUIRED)
endfunction()

function(primus_plan_link_statically program)
  if(NOT PRIMUS_PLAN_STATIC)
    return()
  endif()
  target_link_options(${program} PRIVATE -static)
  # libedit's own needs; the linker takes of them what is used.
  foreach(name IN ITEMS tinfo bsd md)
    primus_plan_static_library(static_${name} ${name})
    target_link_libraries(${program} PRIVATE ${static_${name}})
  endforeach()
endfunction()
