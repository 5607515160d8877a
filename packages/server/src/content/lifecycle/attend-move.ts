import type { Jobs } from '../../events/jobs/runner.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import type { MoveFolder } from './move.ts'
import type { MoveOutcome } from './move-order.ts'

export interface MoveDeps {
  readonly jobs: Jobs
}

/** Moves, as a job if it takes long. */
export function attendMove<M extends MoveFolder>(
  { jobs }: MoveDeps,
  ctx: PagesCtx,
  move: M,
  run: (ctx: PagesCtx, move: M) => Promise<MoveOutcome>,
): Promise<MoveOutcome> {
  const { space, path, to } = move
  const subject = { space, path, to: { space: to.space ?? space, path: to.path } }
  return jobs.attend(ctx, {
    kind: 'move',
    subject,
    work: (progress, signal) => run({ ...ctx, signal }, { ...move, progress }),
  })
}
