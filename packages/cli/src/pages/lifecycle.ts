import type { MoveReport } from '@recto/client/types.ts'
import { counted } from '@recto/lib/text/counted.ts'
import { type CommandCall, EXIT, StateError, type Terminal, UsageError } from '../command.ts'
import { openClient } from '../connection.ts'
import { printJson } from '../print.ts'
import { readIfMatch } from '../spec.ts'
import { oneLine } from '../table.ts'
import { movedInto, pageNamed } from './page-name.ts'

/** `recto mv`: moves a page or a folder. */
export async function moveCommand(call: CommandCall): Promise<void> {
  const { terminal } = call
  if (call.flag('rewrite-links') && call.flag('no-rewrite-links'))
    throw new UsageError('--rewrite-links cannot be combined with --no-rewrite-links')
  const from = pageNamed(call.arg('page'), terminal)
  const to = pageNamed(movedInto(call.arg('to'), from.path), terminal)
  const client = openClient(terminal)
  const withChildren = call.flag('children')
  const ifMatch = readIfMatch(call)
  const move = { to, rewriteLinks: !call.flag('no-rewrite-links'), dryRun: call.flag('dry-run') }
  // With a version there must be a page at the path; without one it can be a folder.
  const report =
    withChildren && ifMatch === undefined
      ? await client.folders.move(from.space, { path: from.path, ...move })
      : await client.pages.move(from.space, from.path, { withChildren, ...move }, { ifMatch: ifMatch ?? '*' })
  if (call.flag('json')) return printJson(call, report)
  printMove(terminal, report)
  if (report.refusals.length === 0) return
  const reasons = report.refusals.map(({ space, path, detail }) => `${space}/${path}: ${detail}`)
  throw new StateError(EXIT.conflict, `The move is not possible.\n${reasons.join('\n')}`)
}

function printMove(terminal: Terminal, report: MoveReport): void {
  const print = (text: string) => terminal.out(`${oneLine(text)}\n`)
  for (const { from, to } of report.moved) {
    print(`${report.dryRun ? 'Would move' : 'Moved'} ${from.space}/${from.path} to ${to.space}/${to.path}`)
  }
  for (const { from, to } of report.files) {
    const verb = report.dryRun ? 'Would move' : 'Moved'
    print(`${verb} the file ${from.space}/${from.path} to ${to.space}/${to.path}`)
  }
  for (const { space, path, links } of report.rewritten) {
    print(`${report.dryRun ? 'Would change' : 'Changed'} ${counted(links.length, 'link')} on ${space}/${path}`)
  }
  for (const { space, path, line, href, reason } of report.left) {
    print(`Not changed: ${href ?? 'a link'} on ${space}/${path}${line === null ? '' : `, line ${line}`} (${reason})`)
  }
}

/** `recto rm`: moves a page or a folder to the trash, or deletes a page permanently. */
export async function removeCommand(call: CommandCall): Promise<void> {
  if (call.flag('children')) return removeFolder(call)
  if (call.flag('dry-run')) throw new UsageError('--dry-run requires --children')
  const { space, path } = pageNamed(call.arg('page'), call.terminal)
  const client = openClient(call.terminal)
  const ifMatch = readIfMatch(call)
  if (call.flag('purge')) {
    // A page that exists needs a condition; a page in the trash must not have one.
    await client.pages.purge(space, path, { ifMatch: ifMatch ?? (await anyVersion()) })
    call.terminal.out(`Deleted ${space}/${path} permanently.\n`)
    return
  }
  await client.pages.delete(space, path, { ifMatch: ifMatch ?? '*' })
  call.terminal.out(`${space}/${path} is in the trash; \`recto restore\` restores it.\n`)

  async function anyVersion(): Promise<'*' | undefined> {
    return (await client.rawPages.read(space, path)) ? '*' : undefined
  }
}

async function removeFolder(call: CommandCall): Promise<void> {
  const { terminal } = call
  if (call.flag('purge')) throw new UsageError('--children cannot be combined with --purge')
  if (readIfMatch(call) !== undefined) throw new UsageError('--children cannot be combined with a version')
  const { space, path } = pageNamed(call.arg('page'), terminal)
  const { dryRun, deleted, files } = await openClient(terminal).folders.delete(space, path, {
    dryRun: call.flag('dry-run'),
  })
  const names = [
    ...deleted.map(({ space, path }) => `${space}/${path}`),
    ...files.map(({ space, path }) => `the file ${space}/${path}`),
  ]
  for (const name of names) {
    const address = oneLine(name)
    terminal.out(dryRun ? `Would delete ${address}\n` : `${address} is in the trash\n`)
  }
}
