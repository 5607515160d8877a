import type { Client } from '@recto/client/client.ts'
import { actorText } from '@recto/contract/actor-text.ts'
import type { CommandCall } from '../call.ts'
import { openClient } from '../connection.ts'
import { printJson } from '../print.ts'
import { oneLine, visible } from '../table.ts'
import { filePatch } from './patch.ts'
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
