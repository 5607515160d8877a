import type { Edit } from '../client/types.ts'
import type { CommandCall } from './call.ts'
import { CommandError, EXIT, UsageError } from './command.ts'
import { clientOf } from './connection.ts'
import { editInEditor } from './editor.ts'
import { readInput, textOrFile } from './input.ts'
import { pageNamed } from './page-name.ts'
import { printJson } from './print.ts'
import { ifMatchOf } from './put.ts'

const DEEDS = [
  'append',
  'prepend',
  'replace',
  'replace-section',
  'insert-before',
  'insert-after',
  'edits',
] as const
type Deed = (typeof DEEDS)[number]

/** What each way to edit takes beside itself. */
const TAKES: Readonly<Record<Deed, readonly string[]>> = {
  append: [],
  prepend: [],
  replace: ['with', 'count'],
  'replace-section': ['with', 'level', 'occurrence'],
  'insert-before': ['with', 'level', 'occurrence'],
  'insert-after': ['with', 'level', 'occurrence'],
  edits: [],
}

/** `recto edit`: a part of a page by an edit, or all of it in an editor. */
export async function editCommand(call: CommandCall): Promise<number> {
  const name = pageNamed(call.arg('page'), call.terminal)
  const ifMatch = ifMatchOf(call)
  const [deed, ...others] = DEEDS.filter((deed) => call.option(deed) !== undefined)
  if (others.length > 0)
    throw new UsageError(
      `one edit at a time, or all of them in --edits: ${[deed, ...others].map((word) => `--${word}`).join(', ')}`,
    )
  for (const option of ['with', 'count', 'level', 'occurrence']) {
    if (call.option(option) !== undefined && !(deed && TAKES[deed].includes(option))) {
      throw new UsageError(`--${option} does not go with ${deed ? `--${deed}` : 'an editor'}`)
    }
  }
  const note = call.option('note')
  if (!deed) return editInEditor(call, name, { ifMatch, note })
  const edits = await editsOf(call, deed)
  const page = await clientOf(call.terminal).editPage(name.space, name.path, edits, {
    ifMatch: ifMatch ?? '*',
    note,
  })
  if (call.flag('json')) {
    printJson(call, page)
    return EXIT.done
  }
  const lines = page.changes.map(({ fromLine, toLine }) =>
    fromLine === toLine ? `${fromLine}` : `${fromLine} to ${toLine}`,
  )
  call.terminal.out(
    `Changed ${page.space}/${page.path}, line ${lines.join(', ')}: version ${page.version} now.\n`,
  )
  return EXIT.done
}

async function editsOf(call: CommandCall, deed: Deed): Promise<readonly Edit[]> {
  const { terminal } = call
  const given = call.option(deed) ?? ''
  if (deed === 'edits') return parseEdits((await readInput(terminal, given)).toString('utf8'), given)
  if (deed === 'append' || deed === 'prepend') return [{ op: deed, text: await textOrFile(terminal, given) }]
  const text = call.option('with')
  if (text === undefined) throw new UsageError(`--${deed} needs --with, the new text`)
  const added = await textOrFile(terminal, text)
  if (deed === 'replace') {
    const expectedCount = call.number('count')
    const find = await textOrFile(terminal, given)
    return [{ op: 'replace', find, text: added, ...(expectedCount !== undefined && { expectedCount }) }]
  }
  const [level, occurrence] = [call.number('level'), call.number('occurrence')]
  const heading = {
    heading: given,
    ...(level !== undefined && { level }),
    ...(occurrence !== undefined && { occurrence }),
    text: added,
  }
  if (deed === 'replace-section') return [{ op: 'replaceSection', ...heading }]
  return [{ op: deed === 'insert-before' ? 'insertBefore' : 'insertAfter', ...heading }]
}

/** The service judges what is in it. */
function parseEdits(text: string, file: string): readonly Edit[] {
  try {
    const edits: unknown = JSON.parse(text)
    if (Array.isArray(edits)) return edits
  } catch (error) {
    throw new CommandError(`${file} is not JSON: ${(error as Error).message}`)
  }
  throw new CommandError(`${file} must hold an array of edits`)
}
