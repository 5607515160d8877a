import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { strictObject } from '../../../platform/http/schemas.ts'
import type { Server } from '../../../platform/http/server.ts'
import { chooseAcceptedLanguage, inLanguage } from '../../../platform/language/t.ts'
import { currentLanguage, html, t } from '../html.ts'
import { layout } from '../layout.ts'
import { OFFLINE, withQuery } from '../urls.ts'
import { assetPath } from './assets.ts'

/** The Content Security Policy of a worker is that of its own response. */
const WORKER_POLICY = "default-src 'none'; connect-src 'self'"
const config = { public: true }
/** The language of the screen that registers the worker: no other one is known where there is no service. */
const schema = { hide: true, querystring: strictObject({ language: Type.Optional(Type.String({ maxLength: 35 })) }) }

interface InLanguage {
  readonly Querystring: { readonly language?: string }
}

/** The screen that browsers show while the service is unreachable. */
export async function offlineRoutes(app: Server): Promise<void> {
  app.get<InLanguage>(OFFLINE, { config, schema }, async ({ query }, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('Cache-Control', 'no-cache')
      .send(inLanguage(parseLanguage(query.language), offlineDocument)),
  )

  app.get<InLanguage>('/offline-worker.js', { config, schema }, async ({ query }, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .headers({ 'Cache-Control': 'no-cache', 'Content-Security-Policy': WORKER_POLICY })
      .send(inLanguage(parseLanguage(query.language), workerScript)),
  )
}

/** The language of that name, else that of the browser. */
function parseLanguage(name = ''): string {
  return chooseAcceptedLanguage(name) ?? currentLanguage()
}

function offlineDocument(): string {
  return layout({
    title: `${t('Not reachable')} · Recto`,
    islands: ['offline'],
    heading: t('Recto is not reachable'),
    main: html`<p>${t(
      'Your device is offline, or the service is not running at the moment. ' +
        'What you type meanwhile is kept in this browser.',
    )}</p>
<p class="buttons"><a class="button primary" href="" data-again>${t('Try again')}</a></p>`,
  })
}

/** Caches only this document and its assets: no page is stored in the browser. */
function workerScript(): string {
  const page = withQuery(OFFLINE, { language: currentLanguage() })
  const cachedAssets = [page, ...['recto.css', 'icon.svg', 'shell.js', 'offline.js'].map(assetPath)]
  const name = `recto-${createHash('sha256').update(offlineDocument()).digest('hex').slice(0, 12)}`
  return `const NAME = ${JSON.stringify(name)}
const KEPT = ${JSON.stringify(cachedAssets)}
addEventListener('install', (event) => {
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(KEPT)).then(() => skipWaiting()))
})
addEventListener('activate', (event) => {
  const deleteOld = (names) => Promise.all(names.filter((name) => name !== NAME).map((name) => caches.delete(name)))
  event.waitUntil(caches.keys().then(deleteOld))
})
addEventListener('fetch', (event) => {
  const { request } = event
  if (request.mode === 'navigate' && request.method === 'GET') {
    event.respondWith(fetch(request).catch(() => caches.match(${JSON.stringify(page)})))
  } else if (KEPT.includes(new URL(request.url).pathname)) {
    event.respondWith(fetch(request).catch(() => caches.match(request)))
  }
})
`
}
