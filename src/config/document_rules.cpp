#include "config/document_rules.h"

namespace primus_plan::loading {
namespace {

/// What every fault here comes down to when it is mended.
constexpr Example plain_snippet{.world_size = 8, .yaml = "micro_batch_size: 2\nglobal_batch_size: 16\n"};

}  // namespace

const RuleInfo unreadable_file{
    .id = "CF101",
    .name = "unreadable-file",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/config/yaml_loader.py:_load_yaml",
    .outcome = "Primus stops with the operating system's error (FileNotFoundError, IsADirectoryError, PermissionError)",
    .summary = "A configuration file must be a readable regular file.",
    .explanation =
        "The file itself, or one that it extends, is there but cannot be read: it is a folder, a pipe or a device, "
        "or access is denied. Name a regular file, and check its permissions.",
    .bad = {.world_size = 8, .yaml = "extends: .\nmicro_batch_size: 2\n"},
    .good = plain_snippet,
};

const RuleInfo invalid_yaml{
    .id = "CF102",
    .name = "invalid-yaml",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/config/yaml_loader.py:_load_yaml",
    .outcome = "PyYAML raises a ScannerError or ParserError",
    .summary = "The file must be valid YAML as PyYAML reads it.",
    .explanation =
        "Primus reads YAML with PyYAML, which follows YAML 1.1 and is stricter than other readers in places. Usual "
        "causes: an unclosed bracket or quote, a second ': ' on a line, wrong indentation, text after a closing "
        "quote. Values that hold ': ', ' #', or start with one of {}[],&*#?|-<>=!%@ need quotes.",
    .bad = {.world_size = 8, .yaml = "micro_batch_size: [2\n"},
    .good = plain_snippet,
};

const RuleInfo invalid_character{
    .id = "CF103",
    .name = "invalid-character",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/config/yaml_loader.py:_load_yaml",
    .outcome = "Python raises a UnicodeDecodeError, or PyYAML a ReaderError",
    .summary = "The file must be UTF-8 text without control characters.",
    .explanation =
        "Control characters (NUL, bell, form feed, DEL and others) are refused anywhere in a file, comments "
        "included, and so are bytes that are not UTF-8, such as Latin-1 or UTF-16 text. Save the file as UTF-8 and "
        "remove the character; inside double quotes it can be written as an escape, \"\\a\" say.",
    .bad = {.world_size = 8,
            .yaml = "micro_batch_size: 2\nexp_name: bell\x07"
                    "\n"},
    .good = plain_snippet,
};

const RuleInfo tab_as_separator{
    .id = "CF104",
    .name = "tab-as-separator",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/config/yaml_loader.py:_load_yaml",
    .outcome = "PyYAML raises a ScannerError: a tab cannot start any token",
    .summary = "Tabs cannot indent or separate anything in YAML.",
    .explanation =
        "PyYAML refuses a tab everywhere but inside quotes, block scalars and comments: as indentation, after a "
        "colon, before a comment, at the end of a line, within a plain value. Use spaces.",
    .bad = {.world_size = 8, .yaml = "micro_batch_size:\t2\n"},
    .good = plain_snippet,
};

const RuleInfo unknown_tag{
    .id = "CF105",
    .name = "unknown-tag",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/config/yaml_loader.py:_load_yaml",
    .outcome = "PyYAML's SafeLoader raises a ConstructorError",
    .summary = "Only the standard YAML tags can be used.",
    .explanation =
        "Primus uses PyYAML's SafeLoader, which knows !!null, !!bool, !!int, !!float, !!str, !!binary, !!timestamp, "
        "!!seq, !!map, !!set, !!pairs and !!omap, and nothing else; a value that is just '=' or '<<' counts as a "
        "tagged one too. Remove the tag, or quote a text that begins with '!'.",
    .bad = {.world_size = 8, .yaml = "micro_batch_size: !count 2\n"},
    .good = plain_snippet,
};

const RuleInfo several_documents{
    .id = "CF106",
    .name = "several-documents",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/config/yaml_loader.py:_load_yaml",
    .outcome = "PyYAML raises a ComposerError: expected a single document in the stream",
    .summary = "A configuration file holds one document.",
    .explanation =
        "A line of three dashes starts a new document, and Primus refuses a file with more than one. Put each "
        "document into a file of its own.",
    .bad = {.world_size = 8,
            .yaml = "work_group: team\nuser_name: me\nexp_name: run\nworkspace: ./output\nmodules: "
                    "{}\n---\nmicro_batch_size: 2\n"},
    .good = plain_snippet,
};

const RuleInfo empty_document{
    .id = "CF107",
    .name = "empty-document",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/config/yaml_loader.py:parse_yaml",
    .outcome = "Primus raises a ValueError: the file is empty or invalid",
    .summary = "A configuration file cannot be empty.",
    .explanation =
        "The file has no content: nothing at all, only comments, or null. A preset without settings is written {}.",
    .bad = {.world_size = 8, .yaml = "# nothing but a comment\n"},
    .good = plain_snippet,
};

const RuleInfo root_not_a_mapping{
    .id = "CF108",
    .name = "root-not-a-mapping",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/config/yaml_loader.py:_apply_extends",
    .outcome = "Primus stops with a TypeError or AttributeError while it looks for 'extends' or merges",
    .summary = "The top level of a configuration file must be a mapping of keys to values.",
    .explanation =
        "The whole file was read as one value, a list or a text, where keys with values are needed. A usual cause is "
        "a missing space after the colon: 'a:1' is a text, 'a: 1' a key with a value.",
    .bad = {.world_size = 8, .yaml = "8\n"},
    .good = plain_snippet,
};

const RuleInfo environment_variable_not_set{
    .id = "CF109",
    .name = "environment-variable-not-set",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/config/yaml_loader.py:_resolve_env_in_string",
    .outcome = "Primus raises a ValueError: the environment variable is required but not set",
    .summary = "A variable named as ${VAR} must be set in the environment.",
    .explanation =
        "${VAR} needs the variable; ${VAR:default} falls back to the default. Set the variable, add a default, or "
        "give it to this tool with --env VAR=VALUE.",
    .bad = {.world_size = 8, .yaml = "micro_batch_size: ${PRIMUS_PLAN_UNSET_EXAMPLE}\n"},
    .good = {.world_size = 8, .yaml = "micro_batch_size: ${PRIMUS_PLAN_UNSET_EXAMPLE:2}\nglobal_batch_size: 16\n"},
};

const RuleInfo extends_cycle{
    .id = "CF110",
    .name = "extends-cycle",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/config/yaml_loader.py:_apply_extends",
    .outcome = "Primus recurses until Python raises a RecursionError",
    .summary = "Files cannot extend each other in a circle.",
    .explanation =
        "A file that 'extends' leads back to itself, directly or through others, can never be loaded. Remove one of "
        "the links that the message shows.",
    .bad = {.world_size = 8, .yaml = "extends: experiment.yaml\nmicro_batch_size: 2\n"},
    .good = plain_snippet,
};

const RuleInfo extends_missing{
    .id = "CF111",
    .name = "extends-missing",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/config/yaml_loader.py:_apply_extends",
    .outcome = "Primus stops with a FileNotFoundError",
    .summary = "A file named by 'extends' must exist.",
    .explanation =
        "The path is taken relative to the folder of the file that names it, exactly as written: no suffix is added, "
        "and ~ is not expanded.",
    .bad = {.world_size = 8, .yaml = "extends: no_such_preset.yaml\nmicro_batch_size: 2\n"},
    .good = plain_snippet,
};

const RuleInfo bad_extends{
    .id = "CF112",
    .name = "bad-extends",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/config/yaml_loader.py:_apply_extends",
    .outcome = "Primus stops with a TypeError",
    .summary = "'extends' takes a file name or a list of file names.",
    .explanation = "Anything but a text or a list of texts (a number, null, a list in a list) stops Primus.",
    .bad = {.world_size = 8, .yaml = "extends: 8\nmicro_batch_size: 2\n"},
    .good = plain_snippet,
};

const RuleInfo limit_exceeded{
    .id = "CF113",
    .name = "limit-exceeded",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/config/yaml_loader.py:_load_yaml",
    .outcome =
        "nothing is known: this reader stops where PyYAML may recurse until Python raises a RecursionError, "
        "take very long, or read on",
    .summary = "A file must stay within the reader's bounds of depth, size and place.",
    .explanation =
        "No configuration needs hundreds of nested levels or hundreds of thousands of values. The bounds keep "
        "damaged or hostile files from taking all the time and memory of the machine. Presets may extend files of "
        "their own tree alone (of the folder that holds primus/), and no link may lead out of it, so that somebody "
        "else's tree shows nothing of this machine; an experiment may name any file.",
    .bad = {.world_size = 8,
            .yaml =
                "micro_batch_size: "
                "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
                "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
                "[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
                "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
                "]]"
                "\n"},
    .good = plain_snippet,
};

const RuleInfo duplicate_key{
    .id = "CF114",
    .name = "duplicate-key",
    .severity = Severity::warning,
    .stage = Stage::load,
    .runtime_site = "primus/core/config/yaml_loader.py:_load_yaml",
    .outcome = "PyYAML silently keeps the last value",
    .summary = "A key is set twice in one mapping; the last value wins.",
    .explanation =
        "PyYAML does not report a repeated key: the later value replaces the earlier one, wherever it stands. For "
        "nested blocks the whole earlier block is lost, not merged. Remove one of them.",
    .bad = {.world_size = 8, .yaml = "micro_batch_size: 1\nglobal_batch_size: 16\nmicro_batch_size: 2\n"},
    .good = plain_snippet,
};

const RuleInfo bad_merge_key{
    .id = "CF115",
    .name = "bad-merge-key",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/config/yaml_loader.py:_load_yaml",
    .outcome = "PyYAML raises a ConstructorError: expected a mapping or list of mappings for merging",
    .summary = "'<<' merges a mapping or a list of mappings.",
    .explanation = "The merge key takes an alias of a mapping, or a list of such aliases.",
    .bad = {.world_size = 8, .yaml = "<<: 5\nmicro_batch_size: 2\n"},
    .good = plain_snippet,
};

const RuleInfo bad_value{
    .id = "CF116",
    .name = "bad-value",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/config/yaml_loader.py:_load_yaml",
    .outcome = "PyYAML raises a ValueError or ConstructorError",
    .summary = "A value must be possible for the type that its form or its tag gives it.",
    .explanation =
        "Plain text that looks like a date is read as a date, so 2001-13-45 stops the run; quote it to make it a "
        "text. The same goes for a tag that does not fit its value, as in !!int x.",
    .bad = {.world_size = 8, .yaml = "exp_name: 2001-13-45\nmicro_batch_size: 2\n"},
    .good = plain_snippet,
};

const RuleInfo bad_key{
    .id = "CF117",
    .name = "bad-key",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/config/yaml_loader.py:_load_yaml",
    .outcome = "PyYAML raises a ConstructorError (found unhashable key) or a ParserError",
    .summary = "A key must be a single value.",
    .explanation =
        "A list or a mapping cannot be a key, and a key cannot be left out before its colon. Text with brackets or "
        "braces at its start needs quotes; so does a template such as {{ name }}.",
    .bad = {.world_size = 8, .yaml = "[a, b]: 1\nmicro_batch_size: 2\n"},
    .good = plain_snippet,
};

const RuleInfo bad_alias{
    .id = "CF118",
    .name = "bad-alias",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/config/yaml_loader.py:_load_yaml",
    .outcome = "PyYAML raises a ComposerError, or Primus recurses until Python raises a RecursionError",
    .summary = "An alias must name one anchor that stands before it.",
    .explanation =
        "*name repeats the value marked &name earlier in the same document. It is refused when there is no such "
        "anchor, when the anchor is defined twice, and when a value contains itself. A text that begins with * or & "
        "needs quotes.",
    .bad = {.world_size = 8, .yaml = "micro_batch_size: *size\n"},
    .good = plain_snippet,
};

const RuleInfo& rule_of(const ReadFailure& failure) { return failure.too_large ? limit_exceeded : unreadable_file; }

std::span<const RuleInfo* const> document_rules() {
  static constexpr const RuleInfo* list[] = {
      &unreadable_file,
      &invalid_yaml,
      &invalid_character,
      &tab_as_separator,
      &unknown_tag,
      &several_documents,
      &empty_document,
      &root_not_a_mapping,
      &environment_variable_not_set,
      &extends_cycle,
      &extends_missing,
      &bad_extends,
      &limit_exceeded,
      &duplicate_key,
      &bad_merge_key,
      &bad_value,
      &bad_key,
      &bad_alias,
  };
  return list;
}

}  // namespace primus_plan::loading
