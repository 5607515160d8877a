import { Type } from 'typebox'
import { replayOfBatch } from '../access/replay-authorization.ts'
import type { Server } from '../http/server.ts'
import { maxJsonBytes, type PutRouteOptions } from '../pages/put-routes.ts'
import { batchWriteSchema, writtenItemSchema } from '../pages/schema.ts'
import { batchWrite } from './batch-write.ts'

/** Writes of several pages in one request. */
export async function batchWriteRoutes(app: Server, options: PutRouteOptions): Promise<void> {
  app.post(
    '/pages/batch',
    {
      config: { idempotency: replayOfBatch, checksText: true },
      bodyLimit: maxJsonBytes(options),
      schema: {
        tags: ['Pages'],
        operationId: 'pages.batch',
        summary: 'Write, edit and delete up to 100 pages',
        description:
          'The operations run in order, each as a request of its own: with its own preconditions (`ifMatch`, `ifNoneMatch`), transaction, event and outcome. An item that fails does not stop the others. Each counts as a request of the rate limit. A retry with the same `Idempotency-Key` after a crash is 409 `idempotency_answer_lost` if some of them were applied.',
        body: batchWriteSchema,
        response: { 200: Type.Object({ items: Type.Array(writtenItemSchema) }) },
      },
    },
    async (request) => {
      const { operations } = request.body
      if (operations.length > 1) await request.countFurther?.(operations.length - 1)
      return { items: await batchWrite(request.ctx, operations, request.id) }
    },
  )
}
