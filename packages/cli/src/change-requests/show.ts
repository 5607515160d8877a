import type { Client } from '@recto/client/client.ts'
import { actorText } from '@recto/contract/actor-text.ts'
import { splitLines } from '@recto/lib/text/split-lines.ts'
import type { CommandCall } from '../command.ts'
import { openClient } from '../connection.ts'
import { printJson } from '../print.ts'
import { oneLine, visible } from '../table.ts'
import { requestNamed } from './request-name.ts'

type Address = ReturnType<typeof requestNamed>
type Change = Awaited<ReturnType<Client['changeRequests']['changes']>>['items'][number]

/** `recto cr show` */
export async function showCommand(call: CommandCall): Promise<void> {
  const address = requestNamed(call)
  const client = openClient(call.terminal)
  const { items } = await client.changeRequests.changes(address.space, address.number)
  if (call.flag('patch')) {
    const pages = items.filter(({ resource }) => resource === 'page')
    for (const change of pages) call.terminal.out(await readPatch(client, address, change))
    return
  }
  const request = await client.changeRequests.get(address.space, address.number)
  if (call.flag('json')) {
    printJson(call, { ...request, items })
    return
  }
  const { title, state, author, description, conflicts, url } = request
  const lines = [
    `${oneLine(title)} (${state}), by ${actorText(author)}`,
    ...(description === '' ? [] : ['', description, '']),
    ...items.map(({ path, kind }) => `  ${kind.padEnd(8)}  ${path}`),
    ...conflicts.map(({ path, kind }) => `Conflict (${kind}): ${path}`),
    url,
  ]
  call.terminal.out(`${visible(lines.join('\n'))}\n`)
}

/** `recto cr diff` */
export async function diffCommand(call: CommandCall): Promise<void> {
  const { space, number } = requestNamed(call)
  const { changeRequests } = openClient(call.terminal)
  const path = call.optional('path')
  const paths =
    path === undefined ? (await changeRequests.changes(space, number)).items.map((item) => item.path) : [path]
  for (const each of paths) {
    const { diff, metadata, kind } = await changeRequests.diff(space, number, each)
    const keys = metadata.map(({ key, before, after }) => `${toText({ key, before })} -> ${JSON.stringify(after)}`)
    const parts = [`${each} (${kind})`, ...(diff === '' ? [] : [diff]), ...keys]
    call.terminal.out(`${visible(parts.join('\n'))}\n`)
  }
}

function toText({ key, before }: { readonly key: string; readonly before?: unknown }): string {
  return `${JSON.stringify(key)}: ${JSON.stringify(before)}`
}

/** The change of one text; empty where only metadata changes. */
async function readPatch(client: Client, { space, number }: Address, change: Change): Promise<string> {
  const { path, kind, baseVersion, movedFrom } = change
  const from = movedFrom ?? path
  const read = async (at: string, options: object) => (await client.pages.getMarkdown(space, at, options)).body
  const before = baseVersion === null ? undefined : await read(from, { version: baseVersion })
  const after = kind === 'deleted' ? undefined : await read(path, { changeRequest: number })
  return filePatch(`${path}.md`, before, after, `${from}.md`)
}

/** Lines around a change. */
const CONTEXT = 3

/** The change of a file in the format of git, of one part; absent: there is no such file. Empty if nothing changes. */
function filePatch(name: string, before?: string, after?: string, oldName = name): string {
  if (before === after && name === oldName) return ''
  const [from, to] = [quoted(`a/${oldName}`), quoted(`b/${name}`)]
  const move = name === oldName ? '' : `rename from ${quoted(oldName)}\nrename to ${quoted(name)}\n`
  const mode =
    before === undefined ? 'new file mode 100644\n' : after === undefined ? 'deleted file mode 100644\n' : move
  const names = `--- ${before === undefined ? '/dev/null' : from}\n+++ ${after === undefined ? '/dev/null' : to}\n`
  const hunk = toHunk(splitLines(before ?? ''), splitLines(after ?? ''))
  return `diff --git ${from} ${to}\n${mode}${hunk === '' ? '' : names}${hunk}`
}

/** Git quotes names with other characters than those of ASCII, as bytes in octal. */
function quoted(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name) && !/["\\]/.test(name)) return name
  const bytes = [...Buffer.from(name)].map((byte) => {
    const letter = String.fromCharCode(byte)
    if (letter === '"' || letter === '\\') return `\\${letter}`
    return byte >= 0x20 && byte < 0x7f ? letter : `\\${byte.toString(8).padStart(3, '0')}`
  })
  return `"${bytes.join('')}"`
}

function toHunk(before: readonly string[], after: readonly string[]): string {
  const shortest = Math.min(before.length, after.length)
  let start = 0
  while (start < shortest && before[start] === after[start]) start++
  let end = 0
  while (end < shortest - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const first = Math.max(0, start - CONTEXT)
  const rest = Math.max(0, end - CONTEXT)
  const [removed, added] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  if (removed.length + added.length === 0) return ''
  const range = (lines: readonly string[]) => {
    const count = lines.length - rest - first
    return `${count === 0 ? 0 : first + 1},${count}`
  }
  const lines = [
    ...before.slice(first, start).map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...before.slice(before.length - end, before.length - rest).map((line) => ` ${line}`),
  ]
  const closedLines = lines.map((line) => (line.endsWith('\n') ? line : `${line}\n\\ No newline at end of file\n`))
  return `@@ -${range(before)} +${range(after)} @@\n${closedLines.join('')}`
}
