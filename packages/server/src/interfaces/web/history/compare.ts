import type { PageAddress } from '@recto/contract/page-address.ts'
import type { BlockDiff } from '@recto/markdown/diff/block-diff.ts'
import type { SourceDiff } from '@recto/markdown/diff/source-diff.ts'
import type { PagesCtx } from '../../../content/pages/ctx.ts'
import { type PageRevision, readPage } from '../../../content/pages/read.ts'

export type ComparedRevisions = Awaited<ReturnType<typeof comparison>>

/** The difference of two versions of a page: as Markdown, or as rendered. */
export async function comparison(
  ctx: PagesCtx,
  input: PageAddress & { readonly from: number; readonly to: number; readonly as: 'source' | 'rendered' },
) {
  const { space, path, from, to, as } = input
  const [before, after] = await Promise.all(
    [from, to].map((version) => readPage(ctx, { space, path, version, links: as === 'rendered' })),
  )
  if (!before || !after) throw new Error('both versions were read')
  return { before: before.row, after: after.row, diff: await compareRevisions(ctx, { before, after, as }) }
}

/** The difference of two states of a page; a page that is created or deleted has one of them. */
export async function compareRevisions(
  ctx: PagesCtx,
  { before, after, as }: { readonly before?: Compared; readonly after?: Compared; readonly as: 'source' | 'rendered' },
): Promise<Difference> {
  const { markdown } = ctx.pages
  if (as === 'rendered') return { blocks: await markdown.compareBlocks(await toHtml(before), await toHtml(after)) }
  return { source: await markdown.compareSource(toText(before), toText(after)) }
}

type Compared = PageRevision | undefined
export type Difference = { readonly source: SourceDiff } | { readonly blocks: BlockDiff }

function toText(revision: Compared): string {
  return revision?.content.body.toString('utf8') ?? ''
}

async function toHtml(revision: Compared): Promise<string> {
  return (await revision?.html()) ?? ''
}
