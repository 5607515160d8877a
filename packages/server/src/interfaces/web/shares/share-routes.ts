import { AppError } from '@recto/contract/errors.ts'
import { type PageAddress, parseSlug } from '@recto/contract/page-address.ts'
import { type Static, Type } from 'typebox'
import type { Ctx } from '../../../access/ctx.ts'
import type { PagesCtx } from '../../../content/pages/ctx.ts'
import { previewShare } from '../../../content/pages/shares/open-share.ts'
import { createShareSchema } from '../../../content/pages/shares/schema.ts'
import { createShare, listSharesAt, revokeShare } from '../../../content/pages/shares/shares.ts'
import { readSpace } from '../../../content/spaces/space.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters, strictObject, text } from '../../../platform/http/schemas.ts'
import { checked, filled, readText, readTexts } from '../fields.ts'
import { findText, msg } from '../html.ts'
import { type PageParams, screenAddress, screenPage, screenParams } from '../page-screen.ts'
import { formRoute, type Shown, screenRoute, whenDone } from '../screen.ts'
import { settingsUrl, sharePreviewUrl, shareUrl } from '../urls.ts'
import { renderSharedPage } from './render-page.ts'
import { previewNotice, type ShareView, shareScreen, spaceSharesScreen } from './share-view.ts'

const LINKS_PER_SCREEN = 20
const DONE: Readonly<Record<string, string>> = { revoked: msg('The link was revoked.') }
const query = strictObject({ cursor: pagingParameters.cursor, done: Type.Optional(Type.String()) })

const previewQuery = strictObject({
  children: Type.Optional(Type.Literal('yes')),
  at: Type.Optional(text({ maxLength: 1024 })),
})

/** Making share links of a page, what their readers see, and the links of a space. */
export const shareScreenRoutes = registerRoutes(
  screenRoute('/share/:space/*', {
    params: screenParams,
    query,
    view: ({ ctx, params, query: { cursor, done } }) => show(ctx, params, { cursor, done: findText(DONE, done) }),
  }),
  formRoute('/share/:space/*', {
    params: screenParams,
    act: async ({ ctx, params, body }) => {
      const address = screenAddress(params)
      const revokedId = readText(body, 'revoke')
      const here = shareUrl(address.space, address.path)
      if (revokedId !== '') return whenDone(revokeShare(ctx, revokedId), here, 'revoked')
      const { expiresAt: day, password } = filled(body, 'expiresAt', 'password')
      const input = checked(createShareSchema, {
        withChildren: readTexts(body, 'withChildren').includes('yes'),
        ...(day !== undefined && { expiresAt: `${day}T00:00:00Z` }),
        ...(password !== undefined && { password }),
      })
      const { url } = await createShare(ctx, address, input)
      return show(ctx, params, { url })
    },
    view: ({ ctx, params }, failed) => show(ctx, params, { failed }),
  }),
  screenRoute('/share-preview/:space/*', {
    params: screenParams,
    query: previewQuery,
    view: ({ ctx, params, query: shown }) => preview(ctx, screenAddress(params), shown),
  }),
  screenRoute('/settings/:slug/shares', {
    query,
    view: ({ ctx, params, query: { cursor, done } }) =>
      showSpace(ctx, parseSlug(params.slug), { cursor, done: findText(DONE, done) }),
  }),
  formRoute('/settings/:slug/shares/revoke', {
    act: ({ ctx, params, body }) =>
      whenDone(revokeShare(ctx, readText(body, 'revoke')), settingsUrl(parseSlug(params.slug), 'shares'), 'revoked'),
    view: ({ ctx, params }, failed) => showSpace(ctx, parseSlug(params.slug), { failed }),
  }),
)

async function show(ctx: PagesCtx, params: PageParams, more: Shown & Pick<ShareView, 'url'>) {
  const address = screenAddress(params)
  const [page, shares, pages] = await Promise.all([
    screenPage(ctx, address),
    listSharesAt(ctx, { ...address, ...toPaging(more) }),
    previewShare(ctx, address, async ({ below, narrowed }) => ({ below, narrowed })),
  ])
  return shareScreen({ page, shares, ...pages, ...more })
}

async function showSpace(ctx: Ctx, space: string, shown: Shown) {
  const shares = await listSharesAt(ctx, { space, ...toPaging(shown) })
  return spaceSharesScreen({ space: await readSpace(ctx, space), shares, ...shown })
}

function toPaging({ cursor }: Shown) {
  return { limit: LINKS_PER_SCREEN, ...(cursor !== undefined && { cursor }) }
}

/** What readers of a link would see: its page, or with `children` the one `at` a path. */
async function preview(ctx: PagesCtx, address: PageAddress, { children, at }: Static<typeof previewQuery>) {
  return previewShare(ctx, address, async (share) => {
    const { row, below } = share
    const pages = [row, ...(children ? below : [])]
    const page = at === undefined ? row : pages.find(({ path }) => path === at)
    if (!page) throw new AppError('not_found', 'A link of this page would not show that page.')
    const toPage = (path: string) =>
      sharePreviewUrl(row.space, row.path, { children, at: path === row.path ? '' : path })
    const notice = previewNotice(row, { ...share, withChildren: children !== undefined })
    return renderSharedPage(share, { page, pages, notice }, { toPage })
  })
}
