import { addressIn, type PageAddress, parseSlug, parseWrittenPath } from '@recto/contract/page-address.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { withIdempotentResponse } from '../../access/idempotency/idempotent-response.ts'
import { isOverlaid, toProposals } from '../../access/overlay.ts'
import { parsePreconditions } from '../../access/preconditions.ts'
import { replayOfBatch, replayWithRole, requireRoleAtStill } from '../../access/replay-authorization.ts'
import type { Resource } from '../../access/resource.ts'
import { pageParams, proposalFields } from '../../access/schema.ts'
import { declareEndpoints, registerRoutes } from '../../platform/http/endpoint.ts'
import { withEtag, withProposal } from '../../platform/http/headers/response-headers.ts'
import { PAGE_WRITE_ERRORS } from '../../platform/http/openapi/errors.ts'
import { MOVE_HEADERS, RESTORE_HEADERS } from '../../platform/http/openapi/headers.ts'
import { listSchema, pagingQuery, strictObject } from '../../platform/http/schemas.ts'
import type { File } from '../files/file.ts'
import { maxJsonBytes, type PutRouteOptions } from '../pages/put-routes.ts'
import { batchWriteSchema, type PageAfterWrite, pageAfterWriteSchema, writtenItemSchema } from '../pages/schema.ts'
import { attendMove, type MoveDeps } from './attend-move.ts'
import { batchWrite } from './batch-write.ts'
import { moveToTrash, purge } from './delete.ts'
import { deleteFolder } from './delete-folder.ts'
import { type MovePage, moveFolder, movePage } from './move.ts'
import type { MoveOutcome } from './move-order.ts'
import { proposeDeletion } from './propose-deletion.ts'
import { proposeMove } from './propose-move.ts'
import { restorePage } from './restore.ts'
import * as schema from './schema.ts'
import { listTrashedPages } from './trash.ts'

const pages = declareEndpoints('Pages', pageParams.properties)
const { endpoint } = declareEndpoints('Lifecycle', pageParams.properties)

/** Whether a page or file is deleted permanently. */
export const removalQuery = strictObject({
  purge: Type.Optional(Type.Boolean({ description: 'Delete it permanently; for admins of the space.' })),
})

export const removalResponse = { 202: Type.Object(proposalFields), 204: Type.Null() }

/** Deletes, restores and moves pages, and writes several of them in one request. */
export const lifecycleRoutes = registerRoutes<PutRouteOptions & MoveDeps>(
  endpoint({
    route: 'DELETE /pages/:space/:path',
    config: {
      changeRequest: 'propose',
      errors: ['precondition_required', 'page_busy'],
      headers: { request: ['if-match'] },
    },
    operationId: 'pages.delete',
    summary: 'Delete a page',
    description:
      'Puts the page in the trash; `If-Match` must name its current ETag. ' +
      '`purge=true` deletes it permanently, also from the trash.',
    querystring: removalQuery,
    response: removalResponse,
    handler: async (request, reply) => {
      await remove(request, reply, 'page', addressIn(request.params))
      return reply
    },
  }),
  endpoint({
    route: 'POST /pages/:space/:path/restore',
    config: {
      changeRequest: 'propose',
      errors: ['page_exists', 'page_busy'],
      idempotency: replayWithRole('editor'),
      headers: RESTORE_HEADERS,
    },
    operationId: 'pages.restore',
    summary: 'Restore a page from the trash',
    description:
      'Restores the page that was deleted last at the address, with its history and metadata, ' +
      'as the next version of the address.',
    response: { 200: pageAfterWriteSchema },
    handler: async (request, reply) => {
      const { space, path } = addressIn(request.params)
      const respond = (page: PageAfterWrite) => withEtag(reply, page)
      return respond(await restorePage(withIdempotentResponse(request, reply, respond), { space, path }))
    },
  }),
  endpoint({
    route: 'POST /pages/:space/:path/move',
    config: {
      changeRequest: 'propose',
      errors: ['page_exists', 'file_exists', 'job_cancelled', 'precondition_required', ...PAGE_WRITE_ERRORS],
      idempotency: inBothSpaces,
      headers: MOVE_HEADERS,
    },
    operationId: 'pages.move',
    summary: 'Move a page',
    description:
      'Needs `If-Match`. The page keeps its id, history and metadata; the old address redirects to the new one. ' +
      'With `withChildren` the pages and files below it move, too. All or nothing.',
    body: schema.movePageSchema,
    response: { 200: schema.moveOutcomeSchema },
    handler: async (request, reply, deps) => {
      const { space, path } = addressIn(request.params)
      const { withChildren = false } = request.body
      const preconditions = parsePreconditions(request.headers)
      const move = { space, path, ...moveInput(request.body), withChildren, preconditions }
      if (isOverlaid(request.ctx)) {
        const respond = (outcome: MoveOutcome) => withProposal(reply, outcome)
        return sendUnchecked(reply, respond(await proposeMove(request.ctx, move)))
      }
      const outcome = await attendMove(deps, request.ctx, move, movePage)
      if (outcome.page) reply.header('ETag', outcome.page.etag)
      return sendUnchecked(reply, outcome)
    },
  }),
  endpoint({
    route: 'GET /spaces/:space/trash',
    operationId: 'pages.trash',
    summary: 'List the trash of a space, latest deletion first',
    querystring: pagingQuery,
    response: { 200: listSchema(schema.trashedPageSchema) },
    handler: (request) => listTrashedPages(request.ctx, { space: parseSlug(request.params.space), ...request.query }),
  }),
  pages.endpoint({
    route: 'POST /pages/batch',
    config: { changeRequest: 'propose', idempotency: replayOfBatch, checksText: true },
    bodyLimit: maxJsonBytes,
    operationId: 'pages.batch',
    summary: 'Write, edit and delete up to 100 pages',
    description:
      'The operations run in order, each as a request of its own: with its own preconditions (`ifMatch`, ' +
      '`ifNoneMatch`), transaction, event and outcome. An item that fails does not stop the others. ' +
      'Each counts as a request of the rate limit. A retry with the same `Idempotency-Key` after a crash is 409 ' +
      '`idempotency_answer_lost` if some of them were applied.',
    body: batchWriteSchema,
    response: { 200: Type.Object({ ...proposalFields, items: Type.Array(writtenItemSchema) }) },
    handler: async (request, reply) => {
      const { operations } = request.body
      if (operations.length > 1) await request.countFurther?.(operations.length - 1)
      const items = await batchWrite(request.ctx, operations, request.id)
      return withProposal(reply, { items, ...toProposals(request.ctx) })
    },
  }),
)

/** Moves and deletes folders: paths with pages or files below them, whether or not there is a page at the path. */
export const folderRoutes = registerRoutes<MoveDeps>(
  endpoint({
    route: 'POST /spaces/:space/move-folder',
    config: {
      errors: ['invalid_path', 'page_exists', 'file_exists', 'job_cancelled', ...PAGE_WRITE_ERRORS],
      idempotency: inBothSpaces,
    },
    operationId: 'folders.move',
    summary: 'Move a folder',
    description:
      'Moves all pages and files below a path, and the page at the path if there is one, ' +
      'as a page move with `withChildren` does. All or nothing. 404 where nothing is in the folder, 409 ' +
      '`page_exists` or `file_exists` where an address is taken. Takes no `If-Match`: a folder has no version.',
    body: schema.moveFolderSchema,
    response: { 200: schema.moveOutcomeSchema },
    handler: (request, reply, deps) => {
      const path = parseWrittenPath(request.body.path)
      const move = { space: parseSlug(request.params.space), path, ...moveInput(request.body) }
      return sendUnchecked(reply, attendMove(deps, request.ctx, move, moveFolder))
    },
  }),
  endpoint({
    route: 'POST /spaces/:space/delete-folder',
    config: { errors: ['invalid_path', 'page_busy'], idempotency: replayWithRole('editor') },
    operationId: 'folders.delete',
    summary: 'Delete a folder',
    description:
      'Moves all pages and files below a path, and the page at the path if there is one, to the trash, regardless ' +
      'of their versions. All or nothing. 404 if the folder is empty. Pages and files are restored individually.',
    body: schema.deleteFolderSchema,
    response: { 200: schema.folderDeletionSchema },
    handler: (request, reply) => {
      const { dryRun = false } = request.body
      const path = parseWrittenPath(request.body.path)
      const space = parseSlug(request.params.space)
      return sendUnchecked(reply, deleteFolder(request.ctx, { space, path, dryRun }))
    },
  }),
)

/** Moves a page or file to the trash, or deletes it permanently; or proposes its deletion. */
export async function remove(
  request: Pick<FastifyRequest<{ Querystring: Static<typeof removalQuery> }>, 'ctx' | 'query' | 'headers'>,
  reply: FastifyReply,
  resource: Resource,
  { space, path }: PageAddress,
): Promise<FastifyReply> {
  const { ctx, query, headers } = request
  const removal = { space, path, preconditions: parsePreconditions(headers) }
  if (isOverlaid(ctx)) {
    const proposal = await proposeDeletion(ctx, resource, { ...removal, purge: query.purge })
    return reply.send(withProposal(reply, proposal))
  }
  await (query.purge ? purge : moveToTrash)(ctx, resource, removal)
  return reply.code(204).send(null)
}

/** The target and the options of a move, with their defaults. */
export function moveInput({ to, rewriteLinks = true, dryRun = false }: Static<typeof schema.moveFileSchema>) {
  const target = { path: to.path, ...(to.space !== undefined && { space: parseSlug(to.space) }) }
  return { to: target, rewriteLinks, dryRun }
}

/** Sends JSON without its schema: checking very many pages would block the event loop for a second. */
async function sendUnchecked(reply: FastifyReply, result: object | Promise<object>) {
  return reply
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(await result)
}

/** A replayed move needs the rights of the original: the editor role at both places, and access to all in it. */
export async function inBothSpaces(
  { ctx, params, body }: FastifyRequest,
  storedBody: Buffer | undefined,
): Promise<void> {
  const { space, path } = params as { space: string; path?: string } // of the URL
  const { to, path: folder } = body as MovePage // as above
  const from = { space, path: path ?? folder }
  await requireRoleAtStill(ctx, [from, { space, ...to }], ctx.overlay ? 'viewer' : 'editor')
  if (!storedBody) return
  const {
    moved = [],
    rewritten,
    left,
    usedBy = [],
  }: Pick<MoveOutcome, 'rewritten' | 'left'> & Partial<Pick<MoveOutcome, 'moved'> & Pick<File, 'usedBy'>> = JSON.parse(
    storedBody.toString(),
  )
  const movedAddresses = moved.flatMap((page) => [page.from, page.to])
  await requireRoleAtStill(ctx, [...movedAddresses, ...rewritten, ...left, ...usedBy], 'viewer')
}
