import { actorText } from '@recto/contract/actor-text.ts'
import { parseSlug } from '@recto/contract/page-address.ts'
import { Type } from 'typebox'
import { createThreadSchema, state, subjectQuery, type Thread } from '../../../content/comments/schema.ts'
import type { SubjectAddress } from '../../../content/comments/subject.ts'
import { createThread, listSubjectThreads, replyToThread, resolveThread } from '../../../content/comments/threads.ts'
import type { PagesCtx } from '../../../content/pages/ctx.ts'
import { strictObject, uuidSchema } from '../../../platform/http/schemas.ts'
import { parseFileAddress, resolveAddress } from '../address.ts'
import {
  cursorArgument,
  invalidArgument,
  listArguments,
  listResult,
  pageArguments,
  versionArgument,
} from '../arguments.ts'
import { countFitting, fittingPage, truncate } from '../bounds.ts'
import { defineTool } from '../tool.ts'

const MAX_QUOTE = 200
const MAX_BODY = 2_000
/** Characters of the comments of one thread. */
const MAX_THREAD = 6_000
const { body, quote } = createThreadSchema.properties
const subject = {
  space: pageArguments.space,
  path: Type.Optional(pageArguments.path),
  resource: subjectQuery.properties.resource,
  number: Type.Optional(versionArgument),
}
/** What most calls need: the list of tools is short. */
const shownSubject = { space: subject.space, path: Type.Optional(Type.String()), number: Type.Optional(Type.Integer()) }
type Subject = {
  readonly space?: string
  readonly path?: string
  readonly resource?: 'page' | 'file'
  readonly number?: number
}

async function toSubject(
  ctx: PagesCtx,
  { space, path, resource, number }: Subject,
  use: 'read' | 'write',
): Promise<SubjectAddress> {
  if (number !== undefined) {
    if (space === undefined) throw invalidArgument('space', 'is needed with `number`')
    return { space: parseSlug(space), number, ...(path !== undefined && { path }), resource }
  }
  if (path === undefined) throw invalidArgument('path', 'is needed without `number`')
  const at = { path, ...(space !== undefined && { space }) }
  if (resource === 'file') return { ...(await parseFileAddress(ctx, at, use)), resource }
  return resolveAddress(ctx, at, use)
}

export const listCommentsTool = defineTool({
  name: 'context_list_comments',
  title: 'List comments',
  description: 'Lists comments on a page, or on a change request by its `number`.',
  scope: 'read',
  input: strictObject({ ...subject, state, ...listArguments }),
  shown: strictObject({ ...shownSubject, cursor: cursorArgument }),
  async run(ctx, { limit, cursor, state, ...about }) {
    const address = await toSubject(ctx, about, 'read')
    const list = await fittingPage({ limit, cursor }, async (paging) => {
      const threads = await listSubjectThreads(ctx, address, { ...paging, state })
      return { ...threads, items: threads.items.map(bounded) }
    })
    return listResult(list, threadText, 'Nobody has commented.')
  },
})

export const commentTool = defineTool({
  name: 'context_comment',
  title: 'Comment',
  description:
    'Comments on a page, a passage as written (`quote`) or a change request; replies to a `thread`, resolves it.',
  scope: 'propose',
  destructive: false,
  input: strictObject({
    ...subject,
    quote,
    thread: Type.Optional(uuidSchema),
    resolve: Type.Optional(Type.Boolean({ description: 'Of `thread`; false opens it again.' })),
    body: Type.Optional(body),
  }),
  shown: strictObject({
    ...shownSubject,
    quote: Type.Optional(strictObject({ exact: Type.String() })),
    thread: Type.Optional(Type.String()),
    resolve: Type.Optional(Type.Boolean()),
    body: Type.Optional(Type.String()),
  }),
  async run(ctx, { body, quote, thread: id, resolve, ...about }) {
    if (id === undefined) {
      if (body === undefined) throw invalidArgument('body', 'is needed')
      return toResult(await createThread(ctx, await toSubject(ctx, about, 'write'), { body, ...(quote && { quote }) }))
    }
    if (resolve === undefined) {
      if (body === undefined) throw invalidArgument('body', 'or `resolve` is needed')
      return toResult(await replyToThread(ctx, id, body))
    }
    if (body !== undefined) await replyToThread(ctx, id, body)
    return toResult(await resolveThread(ctx, id, resolve))
  },
})

function toResult(thread: Thread) {
  const data = bounded(thread)
  return { data, text: [[threadText(data)]] }
}

/** A thread with as many of its latest comments as fit into a result, and their beginnings. */
function bounded(thread: Thread): Thread & { readonly earlierComments?: number } {
  const latest = thread.comments.map((each) => ({ ...each, body: truncate(each.body, MAX_BODY) })).reverse()
  const comments = latest.slice(0, countFitting(latest, MAX_THREAD)).reverse()
  const earlierComments = thread.comments.length - comments.length
  return { ...thread, comments, ...(earlierComments > 0 && { earlierComments }) }
}

function threadText({ earlierComments, ...thread }: ReturnType<typeof bounded>): string {
  const { id, state, quote, place, outdated, subject, comments } = thread

  const at = place ? `lines ${place.startLine} to ${place.endLine}` : outdated ? 'outdated' : (subject.path ?? '')
  const about = quote ? ` on ${JSON.stringify(truncate(quote.exact, MAX_QUOTE))}` : ''
  const lines = comments.map(({ author, body }) => `  ${actorText(author)}: ${body}`)
  const earlier = earlierComments === undefined ? [] : [`  ${earlierComments} earlier comments.`]
  return [`${id} (${state}, ${at})${about}`, ...earlier, ...lines].join('\n')
}
