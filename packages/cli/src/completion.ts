import type { Client } from '@recto/client/client.ts'
import { readCall } from './call.ts'
import type { CommandCall, Terminal } from './command.ts'
import { findCommand } from './commands.ts'
import { openClient } from './connection.ts'
import { type CommandSpec, collectOptions, type Named, type OptionSpec } from './spec.ts'
import { oneLine } from './table.ts'

/** Tells the script to complete file names itself. */
const FILES = ':files'
const COMPLETION_TIMEOUT_MS = 800
const MAX_CANDIDATES = 200

interface Candidate {
  readonly text: string
  readonly summary?: string
}

/** `recto completion`: prints the completion script of a shell. */
export async function completionCommand(call: CommandCall): Promise<void> {
  call.terminal.out(call.arg('shell') === 'bash' ? BASH : ZSH)
}

/** `recto complete`: prints completions of the last word, one per line; nothing on any error. */
export async function completeCommand({ terminal, words }: CommandCall): Promise<void> {
  const typedWords = words[0] === '--' ? words.slice(1) : words
  const current = typedWords.at(-1) ?? ''
  const candidates = await candidatesFor(typedWords.slice(0, -1), current, terminal).catch(() => [])
  for (const { text, summary } of candidates) {
    if (text === FILES || text.startsWith(current))
      terminal.out(summary ? `${text}\t${oneLine(summary)}\n` : `${text}\n`)
  }
}

async function candidatesFor(
  before: readonly string[],
  current: string,
  terminal: Terminal,
): Promise<readonly Candidate[]> {
  const words = before[0] === 'help' ? before.slice(1) : before
  const { spec, rest } = findCommand(words)
  const options = collectOptions(spec)
  const afterOption = optionAwaiting(options, rest)
  if (afterOption) return listChoices(afterOption, current, terminal)
  if (current.startsWith('-') && !rest.includes('--')) {
    return Object.entries(options).map(([name, { summary }]) => ({ text: `--${name}`, summary }))
  }
  const commands = rest.length > 0 ? [] : (spec.commands ?? []).filter(({ hidden }) => !hidden)
  const argument = argumentAt(spec, rest, terminal)
  return [
    ...commands.map(({ name, summary }) => ({ text: name, summary })),
    ...(argument ? await listChoices(argument, current, terminal).catch(() => []) : []),
  ]
}

/** The option whose value is completed. */
function optionAwaiting(
  options: Readonly<Record<string, OptionSpec>>,
  words: readonly string[],
): OptionSpec | undefined {
  const last = words.at(-1) ?? ''
  const option = Object.entries(options).find(
    ([name, { short }]) => last === `--${name}` || (short && last === `-${short}`),
  )
  return option?.[1].value === undefined ? undefined : option[1]
}

/** The argument that the next word would be. */
function argumentAt(spec: CommandSpec, words: readonly string[], terminal: Terminal) {
  const list = spec.arguments ?? []
  // Parsed like the command itself, but with any number of arguments.
  const lenient = { ...spec, arguments: [{ name: 'words', summary: '', many: true, optional: true }] }
  const count = readCall(lenient, words, terminal).rest('words').length
  return list[count] ?? (list.at(-1)?.many ? list.at(-1) : undefined)
}

async function listChoices(
  { choices, names }: { readonly choices?: readonly string[]; readonly names?: Named },
  current: string,
  terminal: Terminal,
): Promise<readonly Candidate[]> {
  if (choices) return choices.map((text) => ({ text }))
  if (names === 'file' || names === 'folder') return [{ text: FILES }]
  if (names === 'space') return listSpaceCandidates(completionClient(terminal), '')
  if (names === 'page') return listPageCandidates(completionClient(terminal), current)
  return []
}

function completionClient(terminal: Terminal): Client {
  return openClient(terminal, { retryTimeout: 0, timeout: COMPLETION_TIMEOUT_MS })
}

async function listSpaceCandidates(client: Client, suffix: string): Promise<Candidate[]> {
  const { items } = await client.spaces.list({ limit: MAX_CANDIDATES }).page()
  return items.map(({ slug, name }) => ({ text: slug + suffix, summary: name }))
}

/** Spaces until the first slash is typed; then the pages and folders of one level. */
async function listPageCandidates(client: Client, current: string): Promise<Candidate[]> {
  const slash = current.indexOf('/')
  if (slash === -1) return listSpaceCandidates(client, '/')
  const [space, prefix] = [current.slice(0, slash), current.slice(slash + 1)]
  const list = client.pages.list(space, { limit: MAX_CANDIDATES, ...(prefix !== '' && { prefix }) })
  const candidates = new Map<string, Candidate>()
  for (const { path, title } of (await list.page()).items) {
    const end = path.indexOf('/', prefix.length)
    const text = `${space}/${end === -1 ? path : path.slice(0, end + 1)}`
    if (!candidates.has(text)) candidates.set(text, end === -1 ? { text, summary: title } : { text })
  }
  return [...candidates.values()]
}

const BASH = `# bash completion for recto
_recto() {
  local line text
  COMPREPLY=()
  while IFS= read -r line; do
    text=\${line%%$'\\t'*}
    if [[ $text == '${FILES}' ]]; then
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")
      return
    fi
    [[ $text == */ ]] && compopt -o nospace 2>/dev/null
    COMPREPLY+=("$(printf '%q' "$text")")
  done < <("\${COMP_WORDS[0]}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _recto recto
`

const ZSH = `#compdef recto
_recto() {
  local line text
  local -a folders others descriptions
  for line in "\${(@f)$("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    text=\${line%%$'\\t'*}
    if [[ $text == '${FILES}' ]]; then
      _files
      return
    fi
    if [[ $text == */ ]]; then folders+=("$text")
    elif [[ -n $text ]]; then others+=("$text"); descriptions+=("\${line//$'\\t'/  -- }")
    fi
  done
  (( $#folders )) && compadd -S '' -- "\${folders[@]}"
  (( $#others )) && compadd -d descriptions -- "\${others[@]}"
}
compdef _recto recto
`
