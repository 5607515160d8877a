import { addressIn, fileAddressIn, type PageAddress, parseSlug } from '@recto/contract/page-address.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { withIdempotentResponse } from '../../access/idempotency/idempotent-response.ts'
import { replayWithRole } from '../../access/replay-authorization.ts'
import type { Resource } from '../../access/resource.ts'
import { pageParams } from '../../access/schema.ts'
import { declareEndpoints, registerRoutes } from '../../platform/http/endpoint.ts'
import { listSchema, pagingParameters, strictObject, uuidSchema } from '../../platform/http/schemas.ts'
import { editComment, removeComment } from './comments.ts'
import * as schema from './schema.ts'
import type { SubjectAddress } from './subject.ts'
import { createThread, listSubjectThreads, readThread, replyToThread, requireThread, resolveThread } from './threads.ts'

const number = Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Of the change request.' })
const { action, endpoint } = declareEndpoints('Comments', { ...pageParams.properties, number, id: uuidSchema })

const toAddress = (params: PageAddress, resource: Resource | undefined): SubjectAddress =>
  resource === 'file' ? { ...fileAddressIn(params), resource } : addressIn(params)
const toRequest = ({ space, number }: { readonly space: string; readonly number: unknown }) => ({
  space: parseSlug(space),
  number: Number(number),
})

function withLocation(reply: FastifyReply, thread: schema.Thread): schema.Thread {
  reply.code(201).header('Location', `/threads/by-id/${thread.id}`)
  return thread
}

/** Who replied must still read the thread. */
async function replayInThread({ ctx, params }: FastifyRequest): Promise<void> {
  const { id } = params as { id: string } // of the URL
  await requireThread(ctx, { thread: id })
}

/** Who may propose may comment: where the space takes comments of editors alone, the use case says so. */
const WRITES = { scope: 'propose' } as const
const ADDS = { ...WRITES, errors: ['too_many_comments'] } as const
const { state } = schema

/** Threads of comments about pages, passages of them, files, change requests and their changes. */
export const commentRoutes = registerRoutes(
  endpoint({
    route: 'GET /threads/by-id/:id',
    operationId: 'threads.get',
    summary: 'Read a thread of comments',
    response: { 200: schema.threadSchema },
    handler: ({ ctx, params }) => readThread(ctx, params.id),
  }),
  endpoint({
    route: 'POST /threads/by-id/:id/replies',
    config: { ...ADDS, idempotency: replayInThread },
    operationId: 'threads.reply',
    summary: 'Reply to a thread',
    body: schema.bodySchema,
    response: { 201: schema.threadSchema },
    handler: async (request, reply) => {
      const respond = (thread: schema.Thread) => withLocation(reply, thread)
      const ctx = withIdempotentResponse(request, reply, respond)
      return respond(await replyToThread(ctx, request.params.id, request.body.body))
    },
  }),
  endpoint({
    route: 'POST /threads/by-id/:id/resolve',
    config: WRITES,
    operationId: 'threads.resolve',
    summary: 'Resolve a thread',
    description: 'For its author and editors. Repeating it changes nothing.',
    response: { 200: schema.threadSchema },
    handler: ({ ctx, params }) => resolveThread(ctx, params.id, true),
  }),
  endpoint({
    route: 'POST /threads/by-id/:id/reopen',
    config: WRITES,
    operationId: 'threads.reopen',
    summary: 'Open a resolved thread again',
    response: { 200: schema.threadSchema },
    handler: ({ ctx, params }) => resolveThread(ctx, params.id, false),
  }),
  endpoint({
    route: 'PATCH /comments/:id',
    config: WRITES,
    operationId: 'comments.update',
    summary: 'Change the text of your comment',
    body: schema.bodySchema,
    response: { 200: schema.commentSchema },
    handler: ({ ctx, params, body }) => editComment(ctx, params.id, body.body),
  }),
  action({
    route: 'DELETE /comments/:id',
    config: WRITES,
    operationId: 'comments.delete',
    summary: 'Delete a comment',
    description: 'For its author and admins of the space. With its last comment a thread ends.',
    act: ({ ctx, params }) => removeComment(ctx, params.id),
  }),
  endpoint({
    route: 'GET /threads/:space/:path',
    operationId: 'threads.list',
    summary: 'List the threads about a page or file, the first one first',
    description: 'Each passage stands at its place in the latest version, which follows the changes of the page.',
    querystring: strictObject({ ...schema.subjectQuery.properties, state, ...pagingParameters }),
    response: { 200: listSchema(schema.threadSchema) },
    handler: ({ ctx, params, query: { resource, ...query } }) =>
      listSubjectThreads(ctx, toAddress(params, resource), query),
  }),
  endpoint({
    route: 'POST /threads/:space/:path',
    config: {
      ...WRITES,
      errors: [...ADDS.errors, 'quote_ambiguous', 'quote_not_found'],
      idempotency: replayWithRole('viewer'),
    },
    operationId: 'threads.create',
    summary: 'Comment on a page, a passage of it, or a file',
    description: 'With `quote` it is about a passage: one that the page has once, as it is written there.',
    querystring: schema.subjectQuery,
    body: schema.createThreadSchema,
    response: { 201: schema.threadSchema },
    handler: async (request, reply) => {
      const respond = (thread: schema.Thread) => withLocation(reply, thread)
      const ctx = withIdempotentResponse(request, reply, respond)
      return respond(await createThread(ctx, toAddress(request.params, request.query.resource), request.body))
    },
  }),
  endpoint({
    route: 'GET /spaces/:space/change-requests/:number/threads',
    operationId: 'changeRequests.threads.list',
    summary: 'List the threads about a change request and its changes, the first one first',
    querystring: strictObject({
      path: Type.Optional(Type.String({ maxLength: 1024, description: 'Only those about this change.' })),
      resource: schema.subjectQuery.properties.resource,
      state,
      ...pagingParameters,
    }),
    response: { 200: listSchema(schema.threadSchema) },
    handler: ({ ctx, params, query: { path, resource, ...query } }) =>
      listSubjectThreads(ctx, { ...toRequest(params), ...(path !== undefined && { path }), resource }, query),
  }),
  endpoint({
    route: 'POST /spaces/:space/change-requests/:number/threads',
    config: { ...ADDS, idempotency: replayWithRole('viewer') },
    operationId: 'changeRequests.threads.create',
    summary: 'Comment on a change request, or on one of its changes',
    body: schema.createRequestThreadSchema,
    response: { 201: schema.threadSchema },
    handler: async (request, reply) => {
      const respond = (thread: schema.Thread) => withLocation(reply, thread)
      const ctx = withIdempotentResponse(request, reply, respond)
      const { path, resource, body } = request.body
      const address = { ...toRequest(request.params), ...(path !== undefined && { path }), resource }
      return respond(await createThread(ctx, address, { body }))
    },
  }),
)
