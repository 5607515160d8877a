import type { Server } from '../../../platform/http/server.ts'
import { currentLanguage, html, t, trusted } from '../html.ts'
import { islandTags } from './assets.ts'

/** The frame in which diagrams are rendered: the only document that allows styles created by a script. */
export async function diagramRoutes(app: Server): Promise<void> {
  app.get('/diagram-frame', { config: { public: true }, schema: { hide: true } }, async (_, reply) => {
    reply.documentPolicy = { framed: true }
    return reply
      .type('text/html; charset=utf-8')
      .header('Cache-Control', 'no-cache')
      .send(
        html`${trusted(
          '<!doctype html>',
        )}<html lang="${currentLanguage()}"><head><title>${t('Diagram')}</title>${islandTags([
          'diagram-frame',
        ])}</head><body></body></html>`.text,
      )
  })
}
