import type { PageAddress } from '@recto/contract/page-address.ts'
import type { BlockDiff } from '@recto/markdown/diff/block-diff.ts'
import type { SourceDiff } from '@recto/markdown/diff/source-diff.ts'
import type { PagesCtx } from '../../../content/pages/ctx.ts'
import { type PageRevision, readPage } from '../../../content/pages/read.ts'

export type ComparedRevisions = Awaited<ReturnType<typeof comparison>>

/** The difference of two versions of a page: as Markdown, or as rendered. */
export async function comparison(
  ctx: PagesCtx,
  input: PageAddress & {
    readonly from: number
    readonly to: number
    readonly as: 'source' | 'rendered'
  },
) {
  const { space, path, from, to, as } = input
  const [before, after] = await Promise.all(
    [from, to].map((version) => readPage(ctx, { space, path, version, links: as === 'rendered' })),
  )
  if (!before || !after) throw new Error('both versions were read')
  const diff =
    as === 'source' ? { source: await sources(ctx, before, after) } : { blocks: await blocks(ctx, before, after) }
  return { before: before.row, after: after.row, diff }
}

function sources(ctx: PagesCtx, before: PageRevision, after: PageRevision): Promise<SourceDiff> {
  const [a, b] = [before, after].map(({ content }) => content.body.toString('utf8'))
  return ctx.pages.markdown.compareSource(a ?? '', b ?? '')
}

async function blocks(ctx: PagesCtx, before: PageRevision, after: PageRevision): Promise<BlockDiff> {
  const [a, b] = await Promise.all([before.html(), after.html()])
  return ctx.pages.markdown.compareBlocks(a, b)
}
