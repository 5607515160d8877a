import { AppError, inputError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import { requireRank } from '../../access/caller.ts'
import { toCurrent } from '../../access/preconditions.ts'
import type { PagesCtx } from './ctx.ts'
import { type PageRevision, readPage } from './read.ts'
import { writeUnlessOvertaken } from './write.ts'

export interface TickTask extends PageAddress {
  /** The version that the caller sees. */
  readonly version: number
  /** The number of the task in this version, from 0. */
  readonly task: number
  readonly isDone: boolean
}

interface Task {
  /** The offset of the character between the brackets. */
  readonly offset: number
  readonly isDone: boolean
  /** Its line without that character: it identifies the task. */
  readonly line: string
}

/**
 * Ticks a task of a page, or clears it: one byte of the latest version, as one revision. If the page was changed since,
 * the task is found by its line; 412 if that was changed or removed. Returns the latest version.
 */
export async function tickTask(ctx: PagesCtx, input: TickTask): Promise<number> {
  const { space, path, version, isDone } = input
  const knownRevision = await readPage(ctx, { space, path, version })
  requireRank(knownRevision.row, space, 'editor')
  const before = await readTasks(knownRevision)
  const wantedTask = before[input.task]
  if (!wantedTask) throw noSuchTask(input.task)
  for (;;) {
    const latest = await readPage(ctx, { space, path })
    const task = latest.version === version ? wantedTask : sameTask(wantedTask, before, await readTasks(latest))
    if (!task) throw taskChanged(latest)
    if (task.isDone === isDone) return latest.version
    const body = withMark(readText(latest), task, isDone ? 'x' : ' ')
    const page = await writeUnlessOvertaken(ctx, { space, path, body, version: latest.version })
    if (page) return page.version
  }
}

/** The box of a task. Before it there may be the label of a footnote. */
const BOX = /(?<![^\s>])\[[ xX]\](?=\s|$)/

async function readTasks(revision: PageRevision): Promise<readonly Task[]> {
  const { tasks } = await revision.content.rendered()
  const body = readText(revision)
  const starts = lineStarts(body)
  return tasks.map((number) => {
    const start = starts[number] ?? body.length
    const line = body.slice(start, starts[number + 1]).trimEnd()
    const mark = line.search(BOX) + 1
    return { offset: start + mark, isDone: line[mark] !== ' ', line: line.slice(0, mark) + line.slice(mark + 1) }
  })
}

function lineStarts(body: string): number[] {
  return [0, ...[...body.matchAll(/\r\n?|\n/g)].map(({ 0: end, index }) => index + end.length)]
}

/** The task with the same line; of several, the one at the same place among them, if there are as many as before. */
function sameTask(wantedTask: Task, before: readonly Task[], now: readonly Task[]): Task | undefined {
  const isSame = ({ line }: Task) => line === wantedTask.line
  const [old, current] = [before.filter(isSame), now.filter(isSame)]
  return old.length === current.length ? current[old.indexOf(wantedTask)] : undefined
}

function withMark(body: string, { offset }: Task, mark: string): Buffer {
  return Buffer.from(body.slice(0, offset) + mark + body.slice(offset + 1))
}

function readText({ content }: PageRevision): string {
  return content.body.toString('utf8')
}

function noSuchTask(task: number): AppError {
  const message = `is ${task}, but this version has fewer tasks`
  return inputError('invalid_request', `\`task\` ${message}.`, '/task', message)
}

function taskChanged({ row }: PageRevision): AppError {
  return new AppError('precondition_failed', 'This task was changed or removed: read the page again.', {
    members: { current: toCurrent(row) },
  })
}
