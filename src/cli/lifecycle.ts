import type { CommandCall } from './call.ts'
import { EXIT, UsageError } from './command.ts'
import { clientOf } from './connection.ts'
import { pageNamed } from './page-name.ts'
import { printJson, printList } from './print.ts'
import { ifMatchOf } from './put.ts'
import { StateError } from './report-error.ts'
import { oneLine, timeText } from './table.ts'

/** `recto versions`: the revisions of a page. */
export async function versionsCommand(call: CommandCall): Promise<number> {
  const { space, path } = pageNamed(call.arg('page'), call.terminal)
  await printList(
    call,
    clientOf(call.terminal).listVersions(space, path),
    [
      { title: 'VERSION', of: ({ version }) => version, right: true },
      { title: 'AT', of: ({ createdAt }) => timeText(createdAt) },
      { title: 'BY', of: ({ createdBy }) => createdBy.name, cut: true },
      { title: 'BYTES', of: ({ size }) => size, right: true },
      {
        title: 'NOTE',
        of: ({ note, restoredFrom }) => note ?? (restoredFrom === null ? '' : `as in ${restoredFrom}`),
        cut: true,
      },
    ],
    'The page has no revisions.',
  )
  return EXIT.done
}

/** `recto promote`: an old revision as the latest. */
export async function promoteCommand(call: CommandCall): Promise<number> {
  const { space, path } = pageNamed(call.arg('page'), call.terminal)
  const version = call.arg('n')
  if (!/^[1-9]\d{0,8}$/.test(version))
    throw new UsageError(`the n must be the number of a version, not ${version}`)
  const page = await clientOf(call.terminal).makeLatest(space, path, Number(version), {
    ifMatch: ifMatchOf(call),
  })
  if (call.flag('json')) printJson(call, page)
  else call.terminal.out(`${space}/${path} is as in version ${version}: version ${page.version} now.\n`)
  return EXIT.done
}

/** `recto mv`: a page or a folder to another address. */
export async function moveCommand(call: CommandCall): Promise<number> {
  const { terminal } = call
  if (call.flag('rewrite-links') && call.flag('no-rewrite-links'))
    throw new UsageError('--rewrite-links does not go with --no-rewrite-links')
  const from = pageNamed(call.arg('page'), terminal)
  const to = pageNamed(call.arg('to'), terminal)
  const client = clientOf(terminal)
  const withChildren = call.flag('children')
  const ifMatch = ifMatchOf(call)
  const how = { to, rewriteLinks: !call.flag('no-rewrite-links'), dryRun: call.flag('dry-run') }
  // A version is of a page; without one the page, if there is one, is only a part of what moves.
  const report =
    withChildren && ifMatch === undefined
      ? await client.moveFolder(from.space, { path: from.path, ...how })
      : await client.movePage(from.space, from.path, { withChildren, ...how }, { ifMatch: ifMatch ?? '*' })
  if (call.flag('json')) {
    printJson(call, report)
    return EXIT.done
  }
  const say = (text: string) => terminal.out(`${oneLine(text)}\n`)
  for (const { from, to } of report.moved) {
    say(`${report.dryRun ? 'Would move' : 'Moved'} ${from.space}/${from.path} to ${to.space}/${to.path}`)
  }
  for (const { space, path, links } of report.rewritten) {
    say(`${report.dryRun ? 'Would change' : 'Changed'} ${links.length} links on ${space}/${path}`)
  }
  for (const { space, path, line, href, reason } of report.left) {
    say(
      `Left as it is: ${href ?? 'a link'} on ${space}/${path}${line === null ? '' : `, line ${line}`} (${reason})`,
    )
  }
  if (report.refusals.length === 0) return EXIT.done
  const refusals = report.refusals.map(({ space, path, detail }) => `${space}/${path}: ${detail}`)
  throw new StateError(EXIT.conflict, `It cannot be moved.\n${refusals.join('\n')}`)
}

/** `recto rm`: a page or a folder into the trash, or a page away for good. */
export async function removeCommand(call: CommandCall): Promise<number> {
  if (call.flag('children')) return removeFolder(call)
  if (call.flag('dry-run')) throw new UsageError('--dry-run goes with --children')
  const { space, path } = pageNamed(call.arg('page'), call.terminal)
  const client = clientOf(call.terminal)
  const ifMatch = ifMatchOf(call)
  if (call.flag('purge')) {
    // Where a page stands its version is needed; one in the trash has none to name.
    await client.purgePage(space, path, { ifMatch: ifMatch ?? (await stands()) })
    call.terminal.out(`Removed ${space}/${path} for good.\n`)
    return EXIT.done
  }
  await client.deletePage(space, path, { ifMatch: ifMatch ?? '*' })
  call.terminal.out(`${space}/${path} is in the trash: \`recto undelete\` brings it back.\n`)
  return EXIT.done

  async function stands(): Promise<'*' | undefined> {
    return (await client.readMarkdown(space, path)) ? '*' : undefined
  }
}

async function removeFolder(call: CommandCall): Promise<number> {
  const { terminal } = call
  if (call.flag('purge')) throw new UsageError('--children does not go with --purge')
  if (ifMatchOf(call) !== undefined) throw new UsageError('--children does not go with a version')
  const { space, path } = pageNamed(call.arg('page'), terminal)
  const { dryRun, deleted } = await clientOf(terminal).deleteFolder(space, path, {
    dryRun: call.flag('dry-run'),
  })
  for (const page of deleted) {
    const address = oneLine(`${page.space}/${page.path}`)
    terminal.out(dryRun ? `Would delete ${address}\n` : `${address} is in the trash\n`)
  }
  return EXIT.done
}

/** `recto undelete`: a page out of the trash. */
export async function undeleteCommand(call: CommandCall): Promise<number> {
  const { space, path } = pageNamed(call.arg('page'), call.terminal)
  const page = await clientOf(call.terminal).restorePage(space, path)
  if (call.flag('json')) printJson(call, page)
  else call.terminal.out(`${page.space}/${page.path} is back, version ${page.version}.\n`)
  return EXIT.done
}
