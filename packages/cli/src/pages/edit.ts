import type { Edit } from '@recto/client/types.ts'
import { given } from '@recto/lib/given.ts'
import { parseJson } from '@recto/lib/json/json.ts'
import { type CommandCall, CommandError, UsageError } from '../command.ts'
import { openClient } from '../connection.ts'
import { readInput, textOrFile } from '../input.ts'
import { printJson } from '../print.ts'
import { readIfMatch } from '../spec.ts'
import { editInEditor } from './editor.ts'
import { pageNamed } from './page-name.ts'

const AT_HEADING = ['with', 'level', 'occurrence'] as const
/** The editing options, and the further options of each. */
const PARAMETERS = {
  append: [],
  prepend: [],
  replace: ['with', 'count'],
  'replace-section': AT_HEADING,
  'append-to-section': AT_HEADING,
  'insert-before': AT_HEADING,
  'insert-after': AT_HEADING,
  edits: [],
} as const satisfies Readonly<Record<string, readonly string[]>>
type EditOption = keyof typeof PARAMETERS
const EDITS = Object.keys(PARAMETERS) as EditOption[]

const HEADING_OPERATIONS = {
  'replace-section': 'replaceSection',
  'append-to-section': 'appendToSection',
  'insert-before': 'insertBefore',
  'insert-after': 'insertAfter',
} as const

/** `recto edit`: edits a part of a page by options, or the page in an editor. */
export async function editCommand(call: CommandCall): Promise<void> {
  const name = pageNamed(call.arg('page'), call.terminal)
  const ifMatch = readIfMatch(call)
  const [edit, ...others] = EDITS.filter((edit) => call.option(edit) !== undefined)
  if (others.length > 0)
    throw new UsageError(
      `only one edit is possible at a time, use --edits for several: ` +
        `${[edit, ...others].map((word) => `--${word}`).join(', ')}`,
    )
  for (const option of ['with', 'count', 'level', 'occurrence']) {
    if (call.option(option) !== undefined && !(edit && (PARAMETERS[edit] as readonly string[]).includes(option))) {
      throw new UsageError(`--${option} cannot be combined with ${edit ? `--${edit}` : 'the editor'}`)
    }
  }
  const note = call.option('note')
  if (!edit) return editInEditor(call, name, { ifMatch, note })
  const edits = await readEdits(call, edit)
  const page = await openClient(call.terminal).pages.edit(name.space, name.path, edits, {
    ifMatch: ifMatch ?? '*',
    note,
  })
  if (call.flag('json')) return printJson(call, page)
  const lines = page.changes.map(({ fromLine, toLine }) =>
    fromLine === toLine ? `${fromLine}` : `${fromLine} to ${toLine}`,
  )
  call.terminal.out(`Changed ${page.space}/${page.path}, line ${lines.join(', ')}, version ${page.version}.\n`)
}

async function readEdits(call: CommandCall, edit: EditOption): Promise<readonly Edit[]> {
  const { terminal } = call
  const words = call.option(edit) ?? ''
  if (edit === 'edits') return parseEdits((await readInput(terminal, words)).toString('utf8'), words)
  if (edit === 'append') {
    const text = await textOrFile(terminal, words)
    return [{ op: edit, text: text === '' || text.endsWith('\n') ? text : `${text}\n` }]
  }
  if (edit === 'prepend') return [{ op: edit, text: await textOrFile(terminal, words) }]
  const text = call.option('with')
  if (text === undefined) throw new UsageError(`--${edit} requires --with`)
  const addedText = await textOrFile(terminal, text)
  if (edit === 'replace') {
    const find = await textOrFile(terminal, words)
    return [{ op: 'replace', find, text: addedText, ...given({ expectedCount: call.number('count') }) }]
  }
  const place = given({ level: call.number('level'), occurrence: call.number('occurrence') })
  return [{ op: HEADING_OPERATIONS[edit], heading: words, ...place, text: addedText }]
}

/** The service validates the edits. */
function parseEdits(text: string, file: string): readonly Edit[] {
  try {
    const edits = parseJson(text)
    if (Array.isArray(edits)) return edits
  } catch (error) {
    throw new CommandError(`${file} is not JSON: ${(error as Error).message}`)
  }
  throw new CommandError(`${file} must contain an array of edits`)
}
