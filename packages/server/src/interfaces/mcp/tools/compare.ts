import { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import { unifiedDiff } from '@recto/markdown/diff/unified-diff.ts'
import { Type } from 'typebox'
import type { PagesCtx } from '../../../content/pages/ctx.ts'
import { readPage } from '../../../content/pages/read.ts'
import { pageHistory } from '../../../content/pages/revisions.ts'
import { strictObject } from '../../../platform/http/schemas.ts'
import { resolveAddress } from '../address.ts'
import { invalidArgument, pageArguments, versionArgument } from '../arguments.ts'
import { MAX_CONTENT, truncate } from '../bounds.ts'
import { defineTool } from '../tool.ts'

export const compare = defineTool({
  name: 'context_compare',
  title: 'Compare versions of a page',
  description:
    'Unified difference of two versions (default: the last change), or of a version (default: latest) with `text`.',
  scope: 'read',
  input: strictObject({
    ...pageArguments,
    from: Type.Optional(versionArgument),
    to: Type.Optional(versionArgument),
    text: Type.Optional(Type.String()),
  }),
  async run(ctx, { from, to, text, ...page }) {
    const address = await resolveAddress(ctx, page, 'read')
    if (text !== undefined && to !== undefined) throw invalidArgument('text', 'cannot be combined with `to`')
    if (text !== undefined) rejectTooLong(text, ctx.config.maxBodyBytes)
    const readBody = async (version: number | undefined) => {
      const read = await readPage(ctx, { ...address, ...(version !== undefined && { version }) })
      return { body: read.content.body.toString('utf8'), version: read.version }
    }
    const after = text === undefined ? await readBody(to) : undefined
    const base = from ?? (after && (await versionBefore(ctx, address, after.version)))
    const before = after && base === undefined ? { body: '', version: 0 } : await readBody(base)
    const diff = await ctx.pages.markdown.compareSource(before.body, after?.body ?? text ?? '')
    const names = [`version ${before.version}`, after ? `version ${after.version}` : 'text'] as const
    const { added, removed } = diff
    const diffText = truncate(unifiedDiff(diff, names), MAX_CONTENT)
    const cut = diff.truncated || diffText.endsWith('…') ? '\nTruncated.' : ''
    return {
      data: { ...address, from: before.version, to: after?.version ?? null, added, removed, diff: diffText },
      text: [added + removed === 0 && !diff.unended ? 'No differences.' : { content: `${diffText}${cut}` }],
    }
  },
})

/** The version before it in the history: numbers may be skipped. */
async function versionBefore(ctx: PagesCtx, address: PageAddress, version: number): Promise<number | undefined> {
  for (let cursor: string | undefined; ; ) {
    const list = await pageHistory(ctx, { ...address, limit: 200, ...(cursor && { cursor }) })
    const earlierRevision = list.items.find((revision) => revision.version < version)
    if (earlierRevision || list.nextCursor === null) return earlierRevision?.version
    cursor = list.nextCursor
  }
}

function rejectTooLong(text: string, maxBytes: number): void {
  if (Buffer.byteLength(text) <= maxBytes) return
  throw new AppError('payload_too_large', `\`text\` is longer than a page, ${maxBytes} bytes.`)
}
