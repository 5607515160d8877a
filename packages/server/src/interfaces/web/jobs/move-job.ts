import type { FastifyRequest } from 'fastify'
import type { MoveOutcome } from '../../../content/lifecycle/move-order.ts'
import type { Jobs, Progress } from '../../../events/jobs/runner.ts'
import { preferredWaitMs } from '../../../platform/http/headers/response-headers.ts'
import type { Done } from '../message.ts'
import { jobUrl } from '../urls.ts'

/** What the screen of a move that takes long shows. */
export interface MoveSubject {
  readonly space: string
  readonly path: string
  readonly to: { readonly space: string; readonly path: string }
}

/** The report of such a move. */
export interface MoveReport {
  readonly done: Done
  readonly counts: { readonly moved: number; readonly files: number; readonly rewritten: number; readonly left: number }
}

/** Moves pages: redirects to the moved pages, or to the progress if the move takes long. */
export async function runMove(
  { ctx, headers }: FastifyRequest,
  jobs: Jobs,
  subject: MoveSubject,
  move: (
    ctx: FastifyRequest['ctx'],
    progress: Progress,
  ) => Promise<{ readonly outcome: MoveOutcome; readonly done: Done }>,
): Promise<string | Done> {
  const ran = await jobs.run(ctx, {
    kind: 'move',
    subject,
    waitMs: preferredWaitMs(headers),
    async work(progress, signal): Promise<MoveReport> {
      const { outcome, done } = await move({ ...ctx, signal }, progress)
      const { moved, files, rewritten, left } = outcome
      const counts = { moved: moved.length, files: files.length, rewritten: rewritten.length, left: left.length }
      return { done, counts }
    },
  })
  return 'id' in ran ? jobUrl(ran.id) : ran.result.done
}
