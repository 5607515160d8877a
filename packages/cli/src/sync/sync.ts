/** `recto clone`, `pull`, `push`, `sync`, `status`, `diff` and `resolve`: a folder in sync with a space. */
import { setTimeout } from 'node:timers/promises'
import { ConnectionError } from '@recto/client/transport/errors.ts'
import { counted } from '@recto/lib/text/counted.ts'
import { sourceDiff } from '@recto/markdown/diff/source-diff.ts'
import { unifiedDiff } from '@recto/markdown/diff/unified-diff.ts'
import { type CommandCall, CommandError, EXIT, type Terminal } from '../command.ts'
import type { Session } from '../folder-sync/compare.ts'
import type { Side } from '../folder-sync/conflict.ts'
import { type Difference, differences } from '../folder-sync/differences.ts'
import { leaveEndedRequest } from '../folder-sync/follow.ts'
import { FolderLockedError } from '../folder-sync/lock.ts'
import { parseName } from '../folder-sync/names.ts'
import { resolveConflict } from '../folder-sync/resolve.ts'
import type { Report } from '../folder-sync/run.ts'
import { type ChangedItem, isInSync, readStatus, type Status } from '../folder-sync/status.ts'
import { type Direction, synchronise } from '../folder-sync/synchronise.ts'
import { changesOfBoth } from '../folder-sync/watch.ts'
import { printJson } from '../print.ts'
import { createProgress, type ProgressBar } from '../progress.ts'
import { createSyncFolder, namesIn, openProposal, openSyncFolder } from './sync-folder.ts'

/** Between attempts of `sync --watch`. */
const RETRY_MS = 5_000

/** `recto clone` */
export async function cloneCommand(call: CommandCall): Promise<number> {
  const session = await createSyncFolder(call)
  const report = await synchronise(session, { direction: 'pull', ...createBar(call.terminal) })
  const pages = report.changes.filter(({ name }) => parseName(name).kind === 'page').length
  const count = `${counted(pages, 'page')}, ${counted(report.changes.length - pages, 'file')}`
  call.terminal.out(`Cloned \`${session.config.space}\` to ${session.root}: ${count}.\n`)
  return printProblems(call.terminal, report)
}

/** `recto pull`, `recto push` and `recto sync` */
export async function syncCommand(call: CommandCall, direction: Direction): Promise<number> {
  const session = await leaveEndedRequest(openSyncFolder(call))
  if (call.flag('dry-run') || (direction === 'sync' && call.flag('check'))) return printDryRun(call, session, direction)
  if (direction === 'sync' && call.flag('watch')) return watchBoth(call, session)
  return runOnce(call, direction === 'push' ? await openProposal(call, session) : session, direction)
}

async function runOnce(call: CommandCall, session: Session, direction: Direction): Promise<number> {
  const options = { allowDeletes: call.flag('allow-deletes'), full: call.flag('full') }
  const report = await synchronise(session, { direction, ...options, ...createBar(call.terminal) })
  if (call.flag('json')) {
    const { conflicts, problems } = report
    printJson(call, { ...report, conflicts: [...conflicts], problems: Object.fromEntries(problems) })
    return toExitCode(report)
  }
  const isWatching = direction === 'sync' && call.flag('watch')
  const { changeRequest, url, space } = session.config
  const pushWord = changeRequest === undefined ? 'pushed' : 'proposed'
  for (const { to, change, name } of report.changes) {
    call.terminal.out(`${to === 'folder' ? 'pulled' : pushWord}  ${change.padEnd(8)}  ${name}\n`)
  }
  if (report.changes.some(({ to }) => to === 'space') && changeRequest !== undefined) {
    call.terminal.out(
      `In the change request ${changeRequest}: ${url}/spaces/${space}/change-requests/${changeRequest}\n`,
    )
  }
  const isClean = report.conflicts.size === 0 && report.problems.size === 0
  if (report.changes.length === 0 && isClean && !isWatching) call.terminal.out('Already up to date.\n')
  return printProblems(call.terminal, report)
}

async function watchBoth(call: CommandCall, session: Session): Promise<number> {
  const stop = new AbortController()
  const end = () => stop.abort()
  process.once('SIGINT', end).once('SIGTERM', end)
  call.terminal.err('Watching both sides; Ctrl+C ends it.\n')
  try {
    for await (const _ of changesOfBoth(session, stop.signal)) {
      while (!stop.signal.aborted && !(await tryOnce(call, session))) {
        await setTimeout(RETRY_MS, undefined, { signal: stop.signal }).catch(() => {})
      }
    }
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end)
    stop.abort()
  }
  return EXIT.done
}

/** False if the service does not answer, or another run works in the folder. */
async function tryOnce(call: CommandCall, session: Session): Promise<boolean> {
  try {
    await runOnce(call, await leaveEndedRequest(session), 'sync')
    return true
  } catch (error) {
    if (!(error instanceof ConnectionError || error instanceof FolderLockedError)) throw error
    call.terminal.err(`recto: ${error.message}\n`)
    return false
  }
}

async function printDryRun(call: CommandCall, session: Session, direction: Direction): Promise<number> {
  const status = await readStatus(session, call.flag('full'))
  const dryRunStatus = {
    ...status,
    folder: direction === 'pull' ? [] : status.folder,
    space: direction === 'push' ? [] : status.space,
  }
  printStatus(call, dryRunStatus)
  return direction === 'sync' && call.flag('check') && !isInSync(status) ? EXIT.conflict : EXIT.done
}

/** `recto status` */
export async function statusCommand(call: CommandCall): Promise<number> {
  const status = await readStatus(await leaveEndedRequest(openSyncFolder(call)), call.flag('full'))
  printStatus(call, status)
  return call.flag('check') && !isInSync(status) ? EXIT.conflict : EXIT.done
}

function printStatus(call: CommandCall, status: Status): void {
  if (call.flag('json')) {
    printJson(call, status)
    return
  }
  const { terminal } = call
  const section = (title: string, items: readonly ChangedItem[]) => {
    if (items.length === 0) return
    terminal.out(`${title}:\n`)
    for (const { change, name, move } of items) {
      terminal.out(`  ${change.padEnd(8)}  ${move ? `${move.from} -> ${move.to}` : name}\n`)
    }
  }
  section('Changed in the folder', status.folder)
  section('Changed in the space', status.space)
  if (status.conflicts.length > 0) {
    terminal.out(`Conflicts, see \`recto resolve --help\`:\n${status.conflicts.map((name) => `  ${name}\n`).join('')}`)
  }
  for (const { name, reason } of status.problems) terminal.out(`Cannot be synchronised: ${name}: ${reason}\n`)
  if (isInSync(status)) terminal.out('The folder and the space are equal.\n')
}

/** `recto diff` */
export async function diffCommand(call: CommandCall): Promise<number> {
  const session = await leaveEndedRequest(openSyncFolder(call))
  const names = new Set(namesIn(session, call, call.rest('file')))
  for await (const difference of differences(session, names)) {
    for (const part of formatParts(difference)) call.terminal.out(`${part}\n`)
  }
  return EXIT.done
}

/** `recto resolve` */
export async function resolveCommand(call: CommandCall): Promise<number> {
  const session = openSyncFolder(call)
  const side = (call.option('keep') ?? 'both') as Side // one of its choices
  for (const name of namesIn(session, call, call.rest('file'))) {
    if (!resolveConflict(session.root, name, side)) throw new CommandError(`${name} has no conflict`)
    call.terminal.out(`Resolved ${name}. \`recto push\` writes it to the space.\n`)
  }
  return EXIT.done
}

function createBar(terminal: Terminal) {
  let progress: ProgressBar | undefined
  return {
    onStart(total: number) {
      progress?.end()
      progress = total > 0 ? createProgress(terminal, total, 'changes') : undefined
    },
    onStep: () => progress?.step(),
    onEnd: () => progress?.end(),
  }
}

function printProblems(terminal: Terminal, report: Report): number {
  for (const note of report.notes) terminal.out(`${note}.\n`)
  for (const name of report.conflicts) terminal.out(`Conflict: ${name}\n`)
  if (report.conflicts.size > 0) terminal.out('Edit the files with conflicts, or use `recto resolve`, and push.\n')
  for (const [name, reason] of report.problems) terminal.out(`Not synchronised: ${name}: ${reason}\n`)
  return toExitCode(report)
}

function toExitCode({ conflicts, problems }: Report): number {
  if (conflicts.size > 0) return EXIT.conflict
  return problems.size > 0 ? EXIT.partial : EXIT.done
}

/** A difference in the unified format: of the Markdown, and of the metadata. */
function formatParts({ name, on, texts, metadata }: Difference): string[] {
  const sides = (suffix = '') =>
    [
      on === 'folder' ? '/dev/null' : `space/${name}${suffix}`,
      on === 'space' ? '/dev/null' : `folder/${name}${suffix}`,
    ] as const
  const parts: string[] = []
  if (texts) parts.push(unifiedDiff(sourceDiff(texts.space, texts.folder), sides()))
  if (metadata) parts.push(unifiedDiff(sourceDiff(metadata.space, metadata.folder), sides(' (metadata)')))
  if (parts.length > 0) return parts
  return [on === 'both' ? `The bytes of ${name} differ.` : `Only in the ${on}: ${name}`]
}
