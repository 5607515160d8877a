import { inputError } from '@recto/contract/errors.ts'
import { parseSlug } from '@recto/contract/page-address.ts'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { parsePreconditions } from '../../../access/preconditions.ts'
import { mergeRequest } from '../../../content/change-requests/merge.ts'
import {
  deleteChangeRequest,
  endChangeRequest,
  listChangeRequests,
  updateChangeRequest,
} from '../../../content/change-requests/requests.ts'
import { reviewRequest } from '../../../content/change-requests/review.ts'
import {
  mergeSchema,
  updateDraftsSchema,
  updateRequestSchema,
  writeReviewSchema,
} from '../../../content/change-requests/schema.ts'
import { updateDrafts } from '../../../content/change-requests/update-drafts.ts'
import { bodySchema } from '../../../content/comments/schema.ts'
import { createThread } from '../../../content/comments/threads.ts'
import { readSpace } from '../../../content/spaces/space.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { enumSchema, pagingParameters, strictObject } from '../../../platform/http/schemas.ts'
import { checked, readText, readTexts } from '../fields.ts'
import { findText, msg } from '../html.ts'
import { formRoute, type Screen, type Shown, screenRoute, whenDone } from '../screen.ts'
import { changeRequestUrl, TO_REVIEW } from '../urls.ts'
import { requestListScreen } from './list-view.ts'
import { readForScreen } from './read-changes.ts'
import { requestScreen } from './request-view.ts'

const DONE: Readonly<Record<string, string>> = {
  suggested: msg('Your change is in this change request. It counts once it is merged.'),
  merged: msg('Merged.'),
  reviewed: msg('Your review was sent.'),
  closed: msg('Closed.'),
  reopened: msg('Open again.'),
  saved: msg('Saved.'),
  deleted: msg('The change request was deleted.'),
}
const done = Type.Optional(Type.String())
const listQuery = strictObject({
  space: Type.Optional(Type.String()),
  state: Type.Optional(enumSchema(['open', 'merged', 'closed', 'all'])),
  by: Type.Optional(enumSchema(['', 'me', 'asked'])),
  cursor: pagingParameters.cursor,
  done,
})
const params = Type.Object({ space: Type.String(), number: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) })
const query = strictObject({
  path: Type.Optional(Type.String({ maxLength: 1024 })),
  as: Type.Optional(enumSchema(['source', 'rendered'])),
  done,
})

interface Address {
  readonly space: string
  readonly number: number
}
interface Choice extends Shown {
  readonly path?: string | undefined
  readonly as?: 'source' | 'rendered' | undefined
}

/** The change requests that one can see, and one of them with its changes. */
export const changeRequestScreenRoutes = registerRoutes(
  screenRoute(TO_REVIEW, {
    query: listQuery,
    view: async ({ ctx, query: { space: slug, state = 'open', by, cursor, done } }) => {
      const space = slug === undefined ? undefined : await readSpace(ctx, parseSlug(slug))
      const requests = await listChangeRequests(ctx, {
        ...(space && { space: space.slug }),
        ...(state !== 'all' && { state }),
        ...(by === 'me' && { author: by }),
        ...(by === 'asked' && { reviewer: 'me' }),
        ...(cursor !== undefined && { cursor }),
      })
      return requestListScreen({ space, requests, state, by: by || undefined, cursor, done: findText(DONE, done) })
    },
  }),
  screenRoute('/to-review/:space/:number', {
    params,
    query,
    view: ({ ctx, params, query }) => view(ctx, params, { ...query, done: findText(DONE, query.done) }),
  }),
  formRoute('/to-review/:space/:number', {
    params,
    act: ({ ctx, params, body }) => {
      const address = toAddress(params)
      const url = changeRequestUrl(address)
      const preconditions = parsePreconditions({ 'if-match': readText(body, 'etag') })
      switch (readText(body, 'act')) {
        case 'merge': {
          const { paths = [] } = checked(mergeSchema, { paths: choosePaths(readTexts(body, 'paths')) })
          return whenDone(mergeRequest(ctx, address, { paths, preconditions }), url, 'merged')
        }
        case 'review': {
          const review = checked(writeReviewSchema, {
            verdict: readText(body, 'verdict'),
            body: readText(body, 'body'),
          })
          return whenDone(reviewRequest(ctx, address, review, preconditions), url, 'reviewed')
        }
        case 'discuss': {
          const path = readText(body, 'path')
          const { body: text } = checked(bodySchema, { body: readText(body, 'body') })
          const subject = { ...address, ...(path !== '' && { path }) }
          return createThread(ctx, subject, { body: text }).then(({ id }) => `${url}#thread-${id}`)
        }
        case 'resolve': {
          const draft = { path: readText(body, 'path'), version: Number(readText(body, 'version')) }
          const update = checked(updateDraftsSchema, { paths: [draft.path], resolved: [draft] })
          return whenDone(updateDrafts(ctx, address, { ...update, preconditions }), url, 'saved')
        }
        case 'close':
          return whenDone(endChangeRequest(ctx, address, 'closed'), url, 'closed')
        case 'reopen':
          return whenDone(endChangeRequest(ctx, address, 'open'), url, 'reopened')
        case 'delete':
          return whenDone(deleteChangeRequest(ctx, address), TO_REVIEW, 'deleted')
        default: {
          const texts = { title: readText(body, 'title'), description: readText(body, 'description') }
          const change = checked(updateRequestSchema, texts)
          return whenDone(updateChangeRequest(ctx, address, change, preconditions), url, 'saved')
        }
      }
    },
    view: ({ ctx, params }, failed) => view(ctx, params, { failed }),
  }),
)

function toAddress({ space, number }: Address): Address {
  return { space: parseSlug(space), number }
}

function choosePaths(paths: readonly string[]): readonly string[] {
  if (paths.length > 0) return paths
  throw inputError('invalid_request', 'Choose at least one page to merge.', '/paths', 'is empty')
}

async function view(
  ctx: FastifyRequest['ctx'],
  params: Address,
  { path, as = 'source', ...shown }: Choice,
): Promise<Screen> {
  const address = toAddress(params)
  const [space, data] = await Promise.all([readSpace(ctx, address.space), readForScreen(ctx, address, { path, as })])
  return requestScreen({ ...shown, ...data, space, path, as })
}
