import type { Server } from '../../http/server.ts'
import { readPageLinks } from '../../links/page-links.ts'
import { readMetadata } from '../../metadata/metadata.ts'
import { pagesAround } from '../../pages/children.ts'
import { screenAddress, screenParams } from '../page-screen.ts'
import { sendHtml } from '../screen.ts'
import { panelView } from './panel-view.ts'
import { treeView } from './tree-view.ts'

const BACKLINKS = 10

/** HTML fragments that a page loads after itself, so that the page can be cached. */
export async function fragmentRoutes(app: Server): Promise<void> {
  app.get(
    '/fragments/tree/:space/*',
    { schema: { hide: true, params: screenParams } },
    async (request, reply) => {
      const address = screenAddress(request.params)
      const around = await pagesAround(request.ctx, address)
      return sendHtml(reply, treeView(around, address.path).text)
    },
  )

  app.get(
    '/fragments/panel/:space/*',
    { schema: { hide: true, params: screenParams } },
    async (request, reply) => {
      const address = screenAddress(request.params)
      const [metadata, links] = await Promise.all([
        readMetadata(request.ctx, address),
        readPageLinks(request.ctx, { ...address, limit: BACKLINKS }),
      ])
      return sendHtml(reply, panelView(address, metadata.entries, links).text)
    },
  )
}
