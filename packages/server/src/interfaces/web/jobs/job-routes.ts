import { readJob } from '../../../events/jobs/job.ts'
import type { Server } from '../../../platform/http/server.ts'
import { messageCookie } from '../message.ts'
import { sendScreen } from '../screen.ts'
import { jobScreen } from './job-view.ts'
import type { MoveReport } from './move-job.ts'

/** So long after the end of a move its message offers Undo. */
const UNDO_MS = 60_000

/** The progress of long work of the caller, and its result. */
export async function jobScreenRoutes(app: Server): Promise<void> {
  app.get<{ Params: { id: string } }>('/jobs/:id', { schema: { hide: true } }, async (request, reply) => {
    const { ctx, params } = request
    const { id } = params
    const job = await readJob(ctx, id)
    const isRecent = job.finishedAt && ctx.now().getTime() - job.finishedAt.getTime() < UNDO_MS
    if (job.kind === 'move' && job.status === 'done' && isRecent) {
      const { done } = job.result as MoveReport // as the move stored it
      reply.header('Set-Cookie', messageCookie(ctx.config.publicUrl, done.message))
    }
    return sendScreen(reply, jobScreen(id, job))
  })
}
