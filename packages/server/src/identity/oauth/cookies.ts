import { hostCookieName } from '../sessions/session-cookie.ts'

/** How many requests to connect an app may be pending in a browser over https: the cookies of earlier ones end. */
const MAX_PENDING = 5
const HOST_COOKIE = /^(__Host-(recto_oauth[\w.]*)~([\w-]*))=(.*)$/

/**
 * The cookies of the provider over https with the prefix `__Host-` (RFC 6265bis), which forbids a path: their names end
 * with the id of the request instead. `cookie` is what the browser has sent.
 */
export function toHostCookies(
  publicUrl: string,
  lines: readonly string[],
  cookie: string | undefined,
): readonly string[] {
  if (hostCookieName('', publicUrl) === '') return lines
  const renamedCookies = lines.map((line) => {
    const [pair = '', ...attributes] = line.split(/; */)
    const [, name, value] = /^([^=]*)=(.*)$/.exec(pair) ?? []
    const isPath = (attribute: string) => /^path=/i.test(attribute)
    const id = attributes.find(isPath)?.split('/').at(-1)
    const others = attributes.filter((attribute) => !isPath(attribute))
    return [`__Host-${name}~${id}=${value}`, 'path=/', ...others].join('; ')
  })
  const pending = hostCookiesIn(cookie)
  const endedIds = [...new Set(pending.map(({ id }) => id))].slice(0, 1 - MAX_PENDING)
  const surplus = pending.filter(({ id }) => endedIds.includes(id))
  return [...renamedCookies, ...surplus.map(({ full }) => `${full}=; path=/; max-age=0; secure; httponly`)]
}

/** The `Cookie` header for the provider: the cookies of one request, under its own names. */
export function fromHostCookies(publicUrl: string, cookie: string | undefined, id: string): string | undefined {
  if (hostCookieName('', publicUrl) === '') return cookie
  const own = hostCookiesIn(cookie).filter((one) => one.id === id || one.id === '')
  return own.map(({ name, value }) => `${name}=${value}`).join('; ')
}

function hostCookiesIn(cookie = '') {
  return cookie.split(';').flatMap((pair) => {
    const [, full = '', name, id = '', value] = HOST_COOKIE.exec(pair.trim()) ?? []
    return name === undefined ? [] : [{ full, name, id, value }]
  })
}
