import { actorText } from '@recto/contract/actor-text.ts'
import { parseSlug } from '@recto/contract/page-address.ts'
import { counted } from '@recto/lib/text/counted.ts'
import { jsonLine } from '@recto/lib/text/single-line.ts'
import { type Static, Type } from 'typebox'
import { readChangeRequest, readChanges, readDiff } from '../../../content/change-requests/changes.ts'
import { mergeRequest } from '../../../content/change-requests/merge.ts'
import { listChangeRequests } from '../../../content/change-requests/requests.ts'
import { reviewRequest } from '../../../content/change-requests/review.ts'
import {
  type ChangeRequest,
  mergeSchema,
  requestsQuery,
  type WholeRequest,
  writeReviewSchema,
} from '../../../content/change-requests/schema.ts'
import type { PagesCtx } from '../../../content/pages/ctx.ts'
import { strictObject } from '../../../platform/http/schemas.ts'
import { ifVersion, listArguments, listResult, spaceArgument, spaceFilter, versionArgument } from '../arguments.ts'
import { countFitting, fittingPage, truncate } from '../bounds.ts'
import { defineTool } from '../tool.ts'

/** Characters of differences in a result. */
const MAX_DIFF = 6_000
const MAX_DESCRIPTION = 2_000
const MAX_DETAILS = 200

const requestArguments = { space: spaceArgument, number: versionArgument }
const readArguments = { ...requestArguments, version: versionArgument }

export const listChangeRequestsTool = defineTool({
  name: 'context_list_change_requests',
  title: 'List change requests',
  description: 'Lists change requests, latest change first.',
  scope: 'read',
  input: strictObject({
    space: Type.Optional(spaceArgument),
    state: requestsQuery.properties.state,
    author: Type.Optional(Type.String({ description: '`me`, or an id.' })),
    path: Type.Optional(Type.String()),
    ...listArguments,
  }),
  async run(ctx, { space, limit, cursor, ...query }) {
    const list = await fittingPage({ limit, cursor }, (paging) =>
      listChangeRequests(ctx, { ...query, ...paging, ...spaceFilter(space) }),
    )
    return listResult(list, requestLine, 'Try another `state`.')
  },
})

const readInput = strictObject({
  ...requestArguments,
  path: Type.Optional(Type.String({ description: 'From this page on.' })),
  fromCharacter: Type.Optional(Type.Integer({ minimum: 0 })),
})

export const getChangeRequestTool = defineTool({
  name: 'context_get_change_request',
  title: 'Read a change request',
  description: 'Reads a change request: its pages, reviews, conflicts and differences, part by part.',
  scope: 'read',
  input: readInput,
  async run(ctx, input) {
    const address = { space: parseSlug(input.space), number: input.number }
    const request = bounded(await readChangeRequest(ctx, address))
    const { items } = await readChanges(ctx, address)
    const start = input.path === undefined ? 0 : items.findIndex(({ path }) => path === input.path)
    const { text, next } = await readDiffs(ctx, address, start < 0 ? [] : items.slice(start), input.fromCharacter)
    const shownChanges = items.slice(0, countFitting(items, MAX_DIFF))
    const isFirst = input.path === undefined
    const head = isFirst
      ? [
          ...requestText(request),
          ...shownChanges.map(({ path, kind, title }) => `- ${path} (${kind}): ${title}`),
          ...(items.length > shownChanges.length ? [`${items.length - shownChanges.length} more pages.`] : []),
          ...request.conflicts.slice(0, 50).map(({ path, kind }) => `Conflict (${kind}): ${path}`),
        ]
      : [requestLine(request)]
    const rest = next ? `More: call again with path ${next.path} and fromCharacter ${next.fromCharacter}` : 'End.'
    const conflicts = request.conflicts.slice(0, countFitting(request.conflicts, MAX_DIFF))
    return {
      data: { ...request, conflicts, items: isFirst ? shownChanges : [], diff: text, next },
      text: [head, { content: text }, rest],
    }
  },
})

export const reviewChangeRequestTool = defineTool({
  name: 'context_review_change_request',
  title: 'Review a change request',
  description: 'Approves what you read of a change request that others wrote, requests changes, or comments.',
  scope: 'propose',
  destructive: false,
  input: strictObject({ ...readArguments, ...writeReviewSchema.properties }),
  shown: strictObject({
    ...readArguments,
    verdict: { ...writeReviewSchema.properties.verdict, description: 'Without the scope `write`: comment.' },
    body: Type.Optional(Type.String()),
  }),
  async run(ctx, { space, number, version, ...review }) {
    const address = { space: parseSlug(space), number }
    await reviewRequest(ctx, address, review, ifVersion(version))
    const request = bounded(await readChangeRequest(ctx, address))
    return { data: request, text: [requestText(request)] }
  },
})

export const mergeChangeRequestTool = defineTool({
  name: 'context_merge_change_request',
  title: 'Merge a change request',
  description: 'Makes the changes of a change request that you read, or those of `paths`, all or none.',
  scope: 'write',
  input: strictObject({ ...readArguments, ...mergeSchema.properties }),
  shown: strictObject({
    ...readArguments,
    paths: Type.Optional(Type.Array(Type.String())),
    note: Type.Optional(Type.String()),
  }),
  async run(ctx, { space, number, version, ...merge }) {
    const address = { space: parseSlug(space), number }
    const outcome = await mergeRequest(ctx, address, { ...merge, preconditions: ifVersion(version) })
    const shownPages = outcome.merged.slice(0, countFitting(outcome.merged))
    return {
      data: { ...outcome, merged: shownPages },
      text: [
        [
          `Merged ${counted(outcome.merged.length, 'page')}. ${requestLine(outcome)}`,
          ...shownPages.map((page) => `- ${page.path} (${page.kind}): version ${page.version}`),
        ],
      ],
    }
  },
})

function requestLine({ space, number, state, title, author, changes }: ChangeRequest): string {
  return `${space} ${number} (${state}): ${title}, by ${actorText(author)}, ${counted(changes, 'page')}`
}

function requestText(request: WholeRequest): string[] {
  const { etag, state, mergeable, description, url } = request
  const mergeText = state === 'open' ? (mergeable ? ' It can be merged.' : ' It cannot be merged yet.') : ''
  return [
    requestLine(request),
    `Version: ${etag.slice(1, -1)}.${mergeText} ${url}`,
    ...(description === '' ? [] : [truncate(description, MAX_DESCRIPTION)]),
    ...request.checks.map(({ name, status, details }) => `Check ${name}: ${status}${details && `: ${details}`}`),
    ...request.reviews.map(({ author, verdict, stale, body }) => {
      return `Review by ${actorText(author)}: ${verdict}${stale ? ' (changed since)' : ''}${body && `: ${body}`}`
    }),
  ]
}

/** A change request with the parts of its lists that fit into a result; the latest reviews first. */
function bounded(request: WholeRequest): WholeRequest {
  const reviews = request.reviews.map((each) => ({ ...each, body: truncate(each.body, MAX_DESCRIPTION) })).reverse()
  const checks = request.checks.map(({ paths: _, ...each }) => ({
    ...each,
    details: truncate(each.details, MAX_DETAILS),
  }))
  return {
    ...request,
    reviews: reviews.slice(0, countFitting(reviews, MAX_DIFF)),
    checks: checks.slice(0, countFitting(checks, MAX_DIFF)),
    basedOn: request.basedOn.slice(0, countFitting(request.basedOn, MAX_DIFF)),
  }
}

/** The differences of pages, one after the other, as many as fit, and where the next part begins. */
async function readDiffs(
  ctx: PagesCtx,
  address: { readonly space: string; readonly number: number },
  changes: readonly { readonly path: string }[],
  fromCharacter: Static<typeof readInput>['fromCharacter'] = 0,
) {
  let text = ''
  for (const [index, { path }] of changes.entries()) {
    const whole = await readOneDiff(ctx, address, path)
    const from = index === 0 ? fromCharacter : 0
    const remaining = whole.slice(from)
    const capacity = MAX_DIFF - text.length
    if (remaining.length > capacity) {
      const part = truncate(remaining, capacity).slice(0, -1)
      return { text: text + part, next: { path, fromCharacter: from + part.length } }
    }
    text += remaining
    const following = changes[index + 1]
    if (following && text.length === MAX_DIFF) return { text, next: { path: following.path, fromCharacter: 0 } }
  }
  return { text, next: null }
}

async function readOneDiff(
  ctx: PagesCtx,
  address: { readonly space: string; readonly number: number },
  path: string,
): Promise<string> {
  const { kind, diff, metadata } = await readDiff(ctx, { ...address, path })
  const valueText = (value: unknown) => (value === undefined ? 'none' : jsonLine(value))
  const lines = metadata.map(
    ({ key, before, after }) => `${jsonLine(key)}: ${valueText(before)} -> ${valueText(after)}`,
  )
  return `=== ${path} (${kind})\n${diff === '' ? '' : `${diff}\n`}${lines.map((each) => `${each}\n`).join('')}`
}
