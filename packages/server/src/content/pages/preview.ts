import type { PageAddress } from '@recto/contract/page-address.ts'
import type { Heading } from '@recto/markdown/page.ts'
import type { NeededRole } from '../../access/caller.ts'
import { requirePlace } from '../../access/space.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { annotateLinks } from '../links/annotate-links.ts'
import { annotateImages, fileTargets, linkedFile, listFileStates } from '../links/page-files.ts'
import { listTargets, toLinkStates } from '../links/store-states.ts'
import { linkedPages } from '../links/targets.ts'
import { checkedBody } from './body.ts'
import type { PagesCtx } from './ctx.ts'
import { translateBody } from './reading/translate-body.ts'

export interface PagePreview {
  readonly title: string | undefined
  readonly html: string
  readonly headings: readonly Heading[]
}

/** Renders a body as the page would show it, and stores nothing. For those who may write there, or have `role`. */
export async function previewPage(
  ctx: PagesCtx,
  input: PageAddress & { readonly body: string },
  role: NeededRole = 'organizer',
): Promise<PagePreview> {
  const space = await requirePlace(ctx, input, role)
  const body = checkedBody(input.body, ctx.config.maxBodyBytes)
  const renderedPage = await ctx.pages.markdown.render(body.toString('utf8'))
  const at = { space: space.slug, path: input.path, publicOrigin: ctx.config.publicUrl }
  const targets = await linkedPages(renderedPage, at)
  const states = toLinkStates(await listTargets(ctx.db, toAccessSubject(ctx.actor), space.id, targets))
  const { title, headings } = renderedPage
  const referredTargets = await fileTargets(renderedPage, at, states)
  const files = await listFileStates(ctx.db, toAccessSubject(ctx.actor), space.id, referredTargets)
  const linkedHtml = await annotateLinks(renderedPage, at, states, undefined, linkedFile(at, files))
  const html = await annotateImages(linkedHtml, at, files)
  return {
    title,
    headings,
    html: translateBody(
      ctx.config.externalImages === 'load'
        ? html
        : await ctx.pages.markdown.hideExternalImages(html, ctx.config.publicUrl),
    ),
  }
}
