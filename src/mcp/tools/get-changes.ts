import { Type } from 'typebox'
import { AppError } from '../../errors.ts'
import { parseKinds, type ReadChanges, readChanges } from '../../events/changes.ts'
import type { FeedEntry } from '../../events/schema.ts'
import { argumentsOf, spaceArgument, spaceFilter } from '../arguments.ts'
import { countFitting } from '../bounds.ts'
import { defineTool } from '../tool.ts'

const DAY_MS = 24 * 3600_000

export const getChanges = defineTool({
  name: 'context_get_changes',
  title: 'Read what changed',
  description: 'Lists changes of pages and spaces, oldest first.',
  scope: 'read',
  input: argumentsOf({
    since: Type.Optional(
      Type.String({
        maxLength: 8192,
        description: 'A cursor of this tool, or a time such as 2026-11-22T08:00Z. Default: one day ago.',
      }),
    ),
    space: Type.Optional(spaceArgument),
    kinds: Type.Optional(Type.String({ maxLength: 1000, description: 'Such as `page.created,page.moved`.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  }),
  async run(ctx, { since, space, kinds, limit = 50 }) {
    const input = {
      ...startOf(since, ctx.now()),
      ...spaceFilter(space),
      ...(kinds !== undefined && { kinds: parseKinds(kinds) }),
    }
    let changes = await readChanges(ctx, { ...input, limit })
    const count = countFitting(changes.items)
    if (count < changes.items.length) changes = await readChanges(ctx, { ...input, limit: count })
    const { items, nextCursor, hasMore } = changes
    const rest = hasMore
      ? `More: call again with since ${nextCursor}`
      : `${items.length === 0 ? 'No changes.' : 'No more.'} For later changes: since ${nextCursor}`
    return { data: changes, text: [[...items.map(lineOf), rest].join('\n')] }
  },
})

function startOf(since: string | undefined, now: Date): Pick<ReadChanges, 'since' | 'from'> {
  if (since === undefined) return { from: new Date(now.getTime() - DAY_MS) }
  if (!/^\d{4}-\d\d-\d\d/.test(since)) return { since }
  const from = new Date(since)
  if (!Number.isNaN(from.getTime())) return { from }
  const message = 'must be a cursor of this tool, or a time such as 2026-11-22T08:00Z'
  throw new AppError('invalid_request', `The arguments are not valid: /since ${message}.`, {
    issues: [{ path: '/since', message }],
  })
}

function lineOf(entry: FeedEntry): string {
  const { event, occurredAt, actor } = entry
  const { page, file, space } = entry
  const at = page ?? file
  const what = at ? `${at.space}/${at.path} (version ${at.version})` : `space ${space?.slug}`
  return `${occurredAt.slice(0, 16)}Z ${event} ${what} by ${actor.name}`
}
