import { pageUrl } from '@recto/contract/page-url.ts'
import { parseEmoji } from '@recto/lib/text/emoji.ts'
import type { FastifyRequest } from 'fastify'
import { requirePage } from '../../../access/page.ts'
import { readPage } from '../../../content/pages/read.ts'
import { setIcon } from '../../../content/pages/set-icon.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { readText } from '../fields.ts'
import { type PageParams, screenAddress } from '../page-screen.ts'
import { type FailedForm, formRoute, type Screen, screenRoute } from '../screen.ts'
import { iconScreen } from './icon-view.ts'

/** The icon of a page. */
export const iconRoutes = registerRoutes(
  screenRoute('/icon/:space/*', { view: (request) => icon(request) }),
  formRoute('/icon/:space/*', {
    act: async ({ ctx, params, body }) => {
      const address = screenAddress(params)
      const icon = readText(body, 'remove') === 'yes' ? '' : readText(body, 'icon')
      await setIcon(ctx, { ...address, icon })
      return pageUrl(address.space, address.path)
    },
    view: icon,
  }),
)

async function icon(request: FastifyRequest<{ Params: PageParams }>, failed?: FailedForm): Promise<Screen> {
  const { ctx } = request
  const address = screenAddress(request.params)
  const page = await requirePage(ctx, address, 'editor')
  const { row } = await readPage(ctx, address)
  const { icon } = JSON.parse(row.frontmatter)
  return iconScreen({ page: { ...page, editable: true }, icon: parseEmoji(icon), failed })
}
