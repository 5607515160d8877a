import { Type } from 'typebox'
import { tickTask } from '../../../content/pages/tick-task.ts'
import { strictObject } from '../../../platform/http/schemas.ts'
import type { Server } from '../../../platform/http/server.ts'
import { screenAddress, screenParams } from '../page-screen.ts'

const tick = strictObject({
  version: Type.Integer({ minimum: 1 }),
  task: Type.Integer({ minimum: 0 }),
  isDone: Type.Boolean(),
})

/** Ticks a task of a page, for the check boxes of the reading page. */
export async function taskRoutes(app: Server): Promise<void> {
  app.post(
    '/tick/:space/*',
    { schema: { hide: true, params: screenParams, body: tick } },
    async ({ ctx, params, body }) => ({ version: await tickTask(ctx, { ...screenAddress(params), ...body }) }),
  )
}
