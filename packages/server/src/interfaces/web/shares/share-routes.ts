import { Type } from 'typebox'
import type { Ctx } from '../../../access/ctx.ts'
import { createShareSchema } from '../../../content/pages/shares/schema.ts'
import { createShare, listSharesAt, revokeShare } from '../../../content/pages/shares/shares.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters } from '../../../platform/http/paging.ts'
import { strictObject } from '../../../platform/http/schemas.ts'
import { checked, filled, readText, readTexts } from '../fields.ts'
import { type PageParams, screenAddress, screenPage, screenParams } from '../page-screen.ts'
import { formRoute, screenRoute, whenDone } from '../screen.ts'
import { shareUrl } from '../urls.ts'
import { type ShareView, shareScreen } from './share-view.ts'

const LINKS_PER_SCREEN = 20
const query = strictObject({ cursor: pagingParameters.cursor, done: Type.Optional(Type.String()) })

/** Making share links of a page, and revoking them. */
export const shareScreenRoutes = registerRoutes(
  screenRoute('/share/:space/*', {
    params: screenParams,
    query,
    view: ({ ctx, params, query: { cursor, done } }) =>
      show(ctx, params, { cursor, done: done === 'revoked' ? 'The link was revoked.' : undefined }),
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
)

async function show(ctx: Ctx, params: PageParams, more: Omit<ShareView, 'page' | 'shares'>) {
  const address = screenAddress(params)
  const { cursor } = more
  const paging = { limit: LINKS_PER_SCREEN, ...(cursor !== undefined && { cursor }) }
  const [page, shares] = await Promise.all([screenPage(ctx, address), listSharesAt(ctx, { ...address, ...paging })])
  return shareScreen({ page, shares, ...more })
}
