import type { Client } from '@recto/client/client.ts'
import type { Revision } from '@recto/client/types.ts'
import { actorText } from '@recto/contract/actor-text.ts'
import { type CommandCall, UsageError } from '../command.ts'
import { openClient } from '../connection.ts'
import { itemsAndNext, printList } from '../print.ts'
import { type Column, oneLine, timeText, visible } from '../table.ts'
import { type PageName, pageNamed, parseVersion } from './page-name.ts'

const COLUMNS: readonly Column<Revision>[] = [
  { title: 'VERSION', of: ({ version }) => version, right: true },
  { title: 'AT', of: ({ createdAt }) => timeText(createdAt) },
  { title: 'BY', of: ({ createdBy }) => actorText(createdBy), cut: true },
  { title: 'BYTES', of: ({ size }) => size, right: true },
  { title: 'NOTE', of: formatNote, cut: true },
]

/** `recto log`: lists the revisions of a page; with `--patch` what each of them changed. */
export async function logCommand(call: CommandCall): Promise<void> {
  const name = pageNamed(call.arg('page'), call.terminal)
  const client = openClient(call.terminal)
  const revisions = client.pages.versions.list(name.space, name.path)
  if (!call.flag('patch')) {
    await printList(call, revisions, 'The page has no revisions.', COLUMNS)
    return
  }
  if (call.flag('json')) throw new UsageError('--patch cannot be combined with --json')
  const { items, next } = await itemsAndNext(call, revisions)
  for (const [index, revision] of items.entries()) {
    const { version, createdAt, createdBy } = revision
    const previous = (items[index + 1] ?? next)?.version
    const note = formatNote(revision)
    const head = [`version ${version}`, timeText(createdAt), actorText(createdBy), ...(note ? [note] : [])]
    call.terminal.out(`${head.map(oneLine).join('  ')}\n`)
    call.terminal.out(`${await patchBetween(client, name, [previous, version])}\n`)
  }
}

/** `recto compare`: shows the differences between two versions. */
export async function compareCommand(call: CommandCall): Promise<void> {
  const name = pageNamed(call.arg('page'), call.terminal)
  const to = call.optional('to')
  const versions = [parseVersion(call.arg('from')), to === undefined ? undefined : parseVersion(to)] as const
  const client = openClient(call.terminal)
  const latest = versions[1] ?? (await client.pages.getMarkdown(name.space, name.path)).version
  call.terminal.out(await patchBetween(client, name, [versions[0], latest]))
}

/** A unified diff of two versions; of an empty text and the second one without the first. Empty if they are equal. */
async function patchBetween(
  client: Client,
  { space, path }: PageName,
  [from, to]: readonly [number | undefined, number],
): Promise<string> {
  const readBody = async (version: number | undefined) =>
    version === undefined ? '' : (await client.pages.getMarkdown(space, path, { version })).body
  const [before, after] = await Promise.all([readBody(from), readBody(to)])
  if (before === after) return ''
  const { sourceDiff } = await import('@recto/markdown/diff/source-diff.ts')
  const { unifiedDiff } = await import('@recto/markdown/diff/unified-diff.ts')
  const names = [from, to].map((version) =>
    version === undefined ? '/dev/null' : `${space}/${path} version ${version}`,
  ) as [string, string]
  return `${visible(unifiedDiff(sourceDiff(before, after), names))}\n`
}

function formatNote({ note, restoredFrom }: Revision): string {
  return note ?? (restoredFrom === null ? '' : `restores ${restoredFrom}`)
}
