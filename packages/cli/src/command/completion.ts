import { type Command, type CommandEntry, globalOptions } from "./command.ts";
import { Exit, UsageError } from "./exit.ts";

/** A command with the names of its options. */
interface CompletedCommand {
  readonly name: string;
  readonly about: string;
  readonly options: readonly string[];
}

/** Each shell's script: words of commands first, then the options of the command. */
const scripts: Readonly<Record<string, (list: readonly CompletedCommand[]) => string>> = {
  bash: (list) => `_rungs() {
  local line="\${COMP_WORDS[*]:1:$((COMP_CWORD - 1))}" current="\${COMP_WORDS[COMP_CWORD]}" words=""
  case "$line" in
${list.map(({ name, options }) => `    "${name}"*) words="${options.join(" ")}" ;;`).join("\n")}
${[...groupWords(list)].map(([group, words]) => `    "${group}") words="${words.join(" ")}" ;;`).join("\n")}
    "") words="${firstWords(list).join(" ")}" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -o filenames -F _rungs rungs`,
  zsh: (list) => `#compdef rungs
autoload -U +X bashcompinit && bashcompinit
${scripts.bash?.(list)}`,
  fish: (list) =>
    list
      .flatMap(({ name, about, options }) => {
        const [first = "", second] = name.split(" ");
        const used = second === undefined ? first : `${first}; and __fish_seen_subcommand_from ${second}`;
        const others = groupWords(list).get(first)?.join(" ");
        const open =
          second === undefined
            ? "__fish_use_subcommand"
            : `__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${others}`;
        return [
          ...(second === undefined ? [] : [`complete -c rungs -f -n __fish_use_subcommand -a ${first}`]),
          `complete -c rungs -f -n '${open}' -a ${second ?? first} -d '${about.replaceAll("'", "\\'")}'`,
          ...options.map(
            (option) =>
              `complete -c rungs -n '__fish_seen_subcommand_from ${used}' -l ${option.replace(/^--/, "")}`,
          ),
        ];
      })
      .join("\n"),
  powershell: (list) => `Register-ArgumentCompleter -Native -CommandName rungs -ScriptBlock {
  param($current, $ast, $cursor)
  $line = ($ast.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursor }) -join ' '
  $words = switch -Wildcard ($line) {
${list.map(({ name, options }) => `    '${name}*' { ${quoteAll(options)}; break }`).join("\n")}
${[...groupWords(list)].map(([group, words]) => `    '${group}' { ${quoteAll(words)}; break }`).join("\n")}
    '' { ${quoteAll(firstWords(list))} }
  }
  $words | Where-Object { $_ -like "$current*" } | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}`,
};

/** Creates `rungs completion`, which prints a script for the shell to load. */
export function createCompletion(commands: readonly CommandEntry[]): Command {
  return {
    details: [
      'bash: eval "$(rungs completion bash)" in ~/.bashrc. zsh: the same in ~/.zshrc, after compinit.',
      "fish: rungs completion fish > ~/.config/fish/completions/rungs.fish",
      "PowerShell: rungs completion powershell | Out-String | Invoke-Expression in $PROFILE",
    ],
    async run({ operands: [shell = ""], io }) {
      const write = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
      if (!write) throw new UsageError(`SHELL must be one of ${Object.keys(scripts).join(", ")}.`);
      io.out(write(await Promise.all(commands.map(listOptions))));
      return Exit.done;
    },
  };
}

async function listOptions({ name, about, load }: CommandEntry): Promise<CompletedCommand> {
  const { options = {} } = await load();
  return {
    name,
    about,
    options: Object.keys({ ...options, ...globalOptions }).map((option) => `--${option}`),
  };
}

const firstWords = (list: readonly CompletedCommand[]) => [
  ...new Set(list.map(({ name }) => name.split(" ")[0] ?? "")),
];

/** The second words of commands such as `grant create`, by their first. */
function groupWords(list: readonly CompletedCommand[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { name } of list) {
    const [first = "", second] = name.split(" ");
    if (second !== undefined) groups.set(first, [...(groups.get(first) ?? []), second]);
  }
  return groups;
}

const quoteAll = (words: readonly string[]) => words.map((word) => `'${word}'`).join(", ");
