import type { Server } from '../server.ts'

/** The URL of a space among those of its pages, as people shorten them. */
const SPACE = /^\/pages\/([a-z0-9]+(?:-[a-z0-9]+)*)$/

/** Redirects GET and HEAD from a URL with a slash at its end to the one without, and from `/pages/<space>` to the space. */
export function redirectUntidyUrls(app: Server, spaceUrl: (slug: string) => string): void {
  app.addHook('onRequest', (request, reply, done) => {
    const target =
      request.method === 'GET' || request.method === 'HEAD' ? tidyUrl(request, spaceUrl) : undefined
    if (target === undefined) return done()
    reply.header('Cache-Control', 'no-store').redirect(target, 308)
  })
}

function tidyUrl(
  { originalUrl, is404 }: { readonly originalUrl: string; readonly is404: boolean },
  spaceUrl: (slug: string) => string,
): string | undefined {
  const end = originalUrl.search(/[?#]/)
  const path = end === -1 ? originalUrl : originalUrl.slice(0, end)
  const query = originalUrl.slice(path.length)
  const slug = is404 ? SPACE.exec(path)?.[1] : undefined
  if (slug !== undefined) return spaceUrl(slug) + query
  // An empty segment or a backslash could begin the name of another host.
  if (!/^\/.*[^/]\/$/.test(path) || /\/\/|\\/.test(path)) return undefined
  return path.slice(0, -1) + query
}
