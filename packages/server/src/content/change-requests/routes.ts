import { parseSlug } from '@recto/contract/page-address.ts'
import { Type } from 'typebox'
import { withIdempotentResponse } from '../../access/idempotency/idempotent-response.ts'
import { parsePreconditions } from '../../access/preconditions.ts'
import { replayWithRole } from '../../access/replay-authorization.ts'
import { spaceParameter, spaceParams } from '../../access/schema.ts'
import { declareEndpoints, registerRoutes } from '../../platform/http/endpoint.ts'
import { withEtag, withWritten } from '../../platform/http/headers/response-headers.ts'
import { navigates } from '../../platform/http/negotiate.ts'
import { WRITE_HEADERS } from '../../platform/http/openapi/headers.ts'
import { listSchema } from '../../platform/http/schemas.ts'
import { readChangeRequest, readChanges, readDiff } from './changes.ts'
import { type MergeOutcome, mergeRequest } from './merge.ts'
import * as requests from './requests.ts'
import { reviewRequest, setCheck } from './review.ts'
import * as schema from './schema.ts'
import { updateDrafts } from './update-drafts.ts'

const number = Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Of the change request.' })
const { action, endpoint } = declareEndpoints('Change requests', { ...spaceParams.properties, number })

const toAddress = ({ space, number }: { readonly space: string; readonly number: unknown }) => ({
  space: parseSlug(space),
  number: Number(number),
})

/** What is said of a request is on the changes that its sender read. */
const ON_WHAT_WAS_READ = {
  scope: 'propose',
  errors: ['change_request_closed', 'change_request_full', 'precondition_required'],
  headers: WRITE_HEADERS,
} as const

/** Change requests: sets of changes of a space that are not made yet. */
export const changeRequestRoutes = registerRoutes(
  endpoint({
    route: 'POST /spaces/:space/change-requests',
    config: { scope: 'propose', errors: ['too_many_change_requests'], idempotency: replayWithRole('viewer') },
    operationId: 'changeRequests.create',
    summary: 'Open a change request',
    description:
      'A set of changes of a space that are not made yet. ' +
      'Writes with `?changeRequest=` and its number propose changes, and reads show the space with them.',
    body: schema.createRequestSchema,
    response: { 201: schema.changeRequestSchema },
    handler: async (request, reply) => {
      const respond = (created: schema.ChangeRequest) => withWritten(reply, created, true)
      const ctx = withIdempotentResponse(request, reply, respond)
      return respond(await requests.createChangeRequest(ctx, parseSlug(request.params.space), request.body))
    },
  }),
  endpoint({
    route: 'GET /spaces/:space/change-requests',
    operationId: 'changeRequests.list',
    summary: 'List the change requests of a space, latest change first',
    querystring: schema.requestsQuery,
    response: { 200: listSchema(schema.changeRequestSchema) },
    handler: ({ ctx, params, query }) => requests.listChangeRequests(ctx, { ...query, space: parseSlug(params.space) }),
  }),
  endpoint({
    route: 'GET /change-requests',
    operationId: 'changeRequests.listAll',
    summary: 'List the change requests of all spaces that you can read, latest change first',
    querystring: Type.Object(
      { ...schema.requestsQuery.properties, space: Type.Optional(spaceParameter) },
      { additionalProperties: false },
    ),
    response: { 200: listSchema(schema.changeRequestSchema) },
    handler: ({ ctx, query: { space, ...query } }) =>
      requests.listChangeRequests(ctx, { ...query, ...(space !== undefined && { space: parseSlug(space) }) }),
  }),
  endpoint({
    route: 'GET /spaces/:space/change-requests/:number',
    operationId: 'changeRequests.get',
    summary: 'Read a change request, with its conflicts, reviews and checks',
    response: { 200: schema.readRequestSchema },
    handler: async (request, reply) => {
      const outcome = await readChangeRequest(request.ctx, toAddress(request.params))
      // A person who opens the `url` of a request gets its screen.
      if (navigates(request)) return reply.redirect(`/to-review/${outcome.space}/${outcome.number}`, 303)
      return withEtag(reply, outcome)
    },
  }),
  endpoint({
    route: 'PATCH /spaces/:space/change-requests/:number',
    config: { scope: 'propose', errors: ['drafts_deleted', 'precondition_required'], headers: WRITE_HEADERS },
    operationId: 'changeRequests.update',
    summary: 'Change the title, the description or the reviewers of a change request',
    body: schema.updateRequestSchema,
    response: { 200: schema.changeRequestSchema },
    handler: async ({ ctx, params, body, headers }, reply) =>
      withEtag(reply, await requests.updateChangeRequest(ctx, toAddress(params), body, parsePreconditions(headers))),
  }),
  action({
    route: 'DELETE /spaces/:space/change-requests/:number',
    config: { scope: 'propose', errors: ['change_request_closed'] },
    operationId: 'changeRequests.delete',
    summary: 'Delete a change request of which nothing is merged',
    act: ({ ctx, params }) => requests.deleteChangeRequest(ctx, toAddress(params)),
  }),
  endpoint({
    route: 'POST /spaces/:space/change-requests/:number/close',
    config: { scope: 'propose', errors: ['change_request_closed', 'drafts_deleted'] },
    operationId: 'changeRequests.close',
    summary: 'Close a change request without merging it',
    response: { 200: schema.changeRequestSchema },
    handler: async ({ ctx, params }, reply) =>
      withEtag(reply, await requests.endChangeRequest(ctx, toAddress(params), 'closed')),
  }),
  endpoint({
    route: 'POST /spaces/:space/change-requests/:number/reopen',
    config: { scope: 'propose', errors: ['change_request_closed', 'drafts_deleted'] },
    operationId: 'changeRequests.reopen',
    summary: 'Open a closed change request again',
    response: { 200: schema.changeRequestSchema },
    handler: async ({ ctx, params }, reply) =>
      withEtag(reply, await requests.endChangeRequest(ctx, toAddress(params), 'open')),
  }),
  endpoint({
    route: 'POST /spaces/:space/change-requests/:number/reviews',
    config: ON_WHAT_WAS_READ,
    operationId: 'changeRequests.review',
    summary: 'Review a change request',
    description:
      'Needs `If-Match`: the verdict is on the changes that you read. Nobody approves what they wrote; ' +
      'what an app wrote for you, you approve signed in with a browser.',
    body: schema.writeReviewSchema,
    response: { 200: schema.readRequestSchema },
    handler: async ({ ctx, params, body, headers }, reply) => {
      await reviewRequest(ctx, toAddress(params), body, parsePreconditions(headers))
      return withEtag(reply, await readChangeRequest(ctx, toAddress(params)))
    },
  }),
  endpoint({
    route: 'POST /spaces/:space/change-requests/:number/checks',
    config: ON_WHAT_WAS_READ,
    operationId: 'changeRequests.check',
    summary: 'Say what a program finds in a change request',
    description:
      'Needs `If-Match`: the result is of the changes that the program read, ' +
      'and counts for those that its principal did not write.',
    body: schema.setCheckSchema,
    response: { 200: schema.readRequestSchema },
    handler: async ({ ctx, params, body, headers }, reply) => {
      await setCheck(ctx, toAddress(params), body, parsePreconditions(headers))
      return withEtag(reply, await readChangeRequest(ctx, toAddress(params)))
    },
  }),
  endpoint({
    route: 'GET /spaces/:space/change-requests/:number/changes',
    config: { errors: ['drafts_deleted'] },
    operationId: 'changeRequests.changes',
    summary: 'List the changed pages of a change request that you can read',
    response: { 200: Type.Object({ items: Type.Array(schema.changedPageSchema) }) },
    handler: ({ ctx, params }) => readChanges(ctx, toAddress(params)),
  }),
  endpoint({
    route: 'GET /spaces/:space/change-requests/:number/diff',
    config: { errors: ['drafts_deleted'] },
    operationId: 'changeRequests.diff',
    summary: 'Compare a changed page with the version that it changes',
    querystring: schema.diffQuery,
    response: { 200: schema.diffSchema },
    handler: ({ ctx, params, query }) => readDiff(ctx, { ...toAddress(params), ...query }),
  }),
  endpoint({
    route: 'POST /spaces/:space/change-requests/:number/update',
    config: {
      scope: 'propose',
      errors: ['change_request_closed', 'merge_conflict', 'precondition_required'],
      headers: WRITE_HEADERS,
    },
    operationId: 'changeRequests.updateDrafts',
    summary: 'Merge the present versions of pages into their drafts',
    description:
      'Needs `If-Match`, and the role editor if it is somebody else’s. ' +
      'All drafts are based on the present versions then, or none: 409 `merge_conflict` names the conflicts. ' +
      'Where you have solved one in the draft, name it in `resolved`.',
    body: schema.updateDraftsSchema,
    response: { 200: schema.readRequestSchema },
    handler: async ({ ctx, params, body, headers }, reply) => {
      await updateDrafts(ctx, toAddress(params), { ...body, preconditions: parsePreconditions(headers) })
      return withEtag(reply, await readChangeRequest(ctx, toAddress(params)))
    },
  }),
  endpoint({
    route: 'POST /spaces/:space/change-requests/:number/merge',
    config: {
      errors: [
        'change_request_closed',
        'drafts_deleted',
        'merge_blocked',
        'merge_conflict',
        'merge_incomplete',
        'page_busy',
        'precondition_required',
      ],
      idempotency: replayWithRole('viewer'),
      headers: WRITE_HEADERS,
    },
    operationId: 'changeRequests.merge',
    summary: 'Merge a change request',
    description:
      'Needs `If-Match`, and the role editor at the address of every change. ' +
      'Each page is merged by lines onto its present version, all in one transaction, or none: ' +
      '409 `merge_conflict` names the conflicts, and `merge_blocked` the checks that the space needs.',
    body: schema.mergeSchema,
    response: { 200: schema.mergedSchema },
    handler: async (request, reply) => {
      const respond = (outcome: MergeOutcome) => withEtag(reply, outcome)
      const ctx = withIdempotentResponse(request, reply, respond)
      const preconditions = parsePreconditions(request.headers)
      return respond(await mergeRequest(ctx, toAddress(request.params), { ...request.body, preconditions }))
    },
  }),
)
