import { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import { requirePage } from '../../access/page.ts'
import { removeLinksFrom } from '../links/remove-links.ts'
import { type LinkSource, resolve } from '../links/resolve.ts'
import { rewriteBody } from '../links/rewrite.ts'
import { checkedBody } from '../pages/body.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { findPage } from '../pages/find.ts'
import type { Page } from '../pages/page.ts'
import { readPage } from '../pages/read.ts'
import { writeUnlessOvertaken } from '../pages/write.ts'

export interface RetargetLinks extends PageAddress {
  /** The new target of the links. */
  readonly from: PageAddress
}

const MAX_NOTE = 400

/** Points the links of a page from one address to another page, as one revision; nothing else is changed. */
export async function retargetLinks(ctx: PagesCtx, input: RetargetLinks & { readonly to: PageAddress }): Promise<Page> {
  const { from, to } = input
  await requirePage(ctx, to, 'viewer')
  const note = `Links to ${named(from)} changed to ${named(to)}`
  return change(ctx, input, note, async (body, at) => {
    const target = (address: PageAddress) => (isSame(address, from) ? to : address)
    const rewrittenBody = await rewriteBody(ctx.pages.markdown, body, { from: at, to: at, target })
    return rewrittenBody.changed.length > 0 ? rewrittenBody.body : undefined
  })
}

/** Removes the links of a page to an address, and keeps their texts, as one revision. */
export async function removeLinks(ctx: PagesCtx, input: RetargetLinks): Promise<Page> {
  const { from } = input
  return change(ctx, input, `Links to ${named(from)} are removed`, (body, at) =>
    removeLinksFrom(ctx.pages.markdown, body, (href) => {
      const address = resolve(href, at)
      return address !== undefined && isSame(address, from)
    }),
  )
}

async function change(
  ctx: PagesCtx,
  { space, path }: RetargetLinks,
  note: string,
  rewrite: (body: string, at: LinkSource) => Promise<string | undefined>,
): Promise<Page> {
  for (;;) {
    const page = await findPage(ctx, { space, path }, 'editor')
    const { content, version } = await readPage(ctx, { space, path, version: page.version })
    const at = { space: page.space_slug, path, publicOrigin: ctx.config.publicUrl }
    const body = await rewrite(content.body.toString('utf8'), at)
    if (body === undefined) {
      throw new AppError(
        'edit_not_applicable',
        `The page \`${path}\` has no such link that can be changed by itself: edit the page. Nothing was changed.`,
      )
    }
    const write = { body: checkedBody(body, ctx.config.maxBodyBytes), note: note.slice(0, MAX_NOTE).toWellFormed() }
    const writtenPage = await writeUnlessOvertaken(ctx, { space, path, version, ...write })
    // Otherwise the change is applied to the result of a concurrent write.
    if (writtenPage) return writtenPage
  }
}

function isSame(a: PageAddress, b: PageAddress): boolean {
  return a.space === b.space && a.path === b.path
}

function named({ space, path }: PageAddress): string {
  return `${space}/${path}`
}
