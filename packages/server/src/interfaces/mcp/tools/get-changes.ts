import { actorText } from '@recto/contract/actor-text.ts'
import { Type } from 'typebox'
import { parseKinds, type ReadChanges, readChanges } from '../../../events/feed/changes.ts'
import type { FeedEntry } from '../../../events/feed/schema.ts'
import { strictObject } from '../../../platform/http/schemas.ts'
import { invalidArgument, spaceArgument, spaceFilter } from '../arguments.ts'
import { countFitting } from '../bounds.ts'
import { defineTool } from '../tool.ts'

/** Characters of a time. */
const MAX_TIME = 40
const DAY_MS = 24 * 3600_000

export const getChanges = defineTool({
  name: 'context_get_changes',
  title: 'Read what changed',
  description: 'Lists changes of pages and spaces, oldest first.',
  scope: 'read',
  input: strictObject({
    since: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 8192,
        description: 'A cursor of this tool, or a time such as 2026-11-22T08:00Z. Default: one day ago.',
      }),
    ),
    space: Type.Optional(spaceArgument),
    kinds: Type.Optional(
      Type.Array(Type.String({ maxLength: 1000 }), { maxItems: 50, description: 'Such as page.created.' }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  }),
  async run(ctx, { since, space, kinds, limit = 50 }) {
    const input = {
      ...parseStart(since, ctx.now()),
      ...spaceFilter(space),
      ...(kinds !== undefined && kinds.length > 0 && { kinds: parseKinds(kinds.join(',')) }),
    }
    let changes = await readChanges(ctx, { ...input, limit })
    const count = countFitting(changes.items)
    if (count < changes.items.length) changes = await readChanges(ctx, { ...input, limit: count })
    const { items, nextCursor, hasMore } = changes
    const rest = hasMore
      ? `More: call again with since ${nextCursor}`
      : `${items.length === 0 ? 'No changes.' : 'No more.'} For later changes: since ${nextCursor}`
    return { data: changes, text: [[...items.map(formatEntry), rest]] }
  },
})

function parseStart(since: string | undefined, now: Date): Pick<ReadChanges, 'since' | 'from'> {
  if (since === undefined) return { from: new Date(now.getTime() - DAY_MS) }
  // A cursor is longer than any other word for a time, which is none that this tool knows.
  if (since.length > MAX_TIME) return { since }
  const from = /^\d{4}-\d\d-\d\d/.test(since) ? new Date(since) : undefined
  if (from && !Number.isNaN(from.getTime())) return { from }
  throw invalidArgument('since', 'must be a cursor of this tool, or a time such as 2026-11-22T08:00Z')
}

function formatEntry(entry: FeedEntry): string {
  const { event, occurredAt, actor } = entry
  const { page, file, space, from, to } = entry
  const at = page ?? file
  const movedText = from ? ` from ${from.space}/${from.path}` : to ? ` to ${to.space}/${to.path}` : ''
  const what = at ? `${at.space}/${at.path}${movedText} (version ${at.version})` : `space ${space?.slug}`
  return `${occurredAt.slice(0, 16)}Z ${event} ${what} by ${actorText(actor)}`
}
