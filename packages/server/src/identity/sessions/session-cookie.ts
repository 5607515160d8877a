import { SESSION_SECONDS } from '../credentials/find-caller.ts'

const NAME = 'svc_session'

/** With https the prefix `__Host-` keeps other hosts of the domain from setting the cookie (RFC 6265bis). */
export function hostCookieName(name: string, publicUrl: string): string {
  return publicUrl.startsWith('https:') ? `__Host-${name}` : name
}

/** The name of the cookie with a session's token. */
export function sessionCookieName(publicUrl: string): string {
  return hostCookieName(NAME, publicUrl)
}

export function cookieIn(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=')
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim()
  }
  return undefined
}

export interface Cookie {
  readonly name: string
  readonly value: string
  readonly seconds: number
  readonly path?: string
  /** Whether our scripts may read it. */
  readonly readable?: boolean
}

/** `Set-Cookie` with HttpOnly (unless `readable`) and SameSite. */
export function cookieHeader(
  publicUrl: string,
  { name, value, seconds, path = '/', readable = false }: Cookie,
): string {
  const httpOnly = readable ? '' : '; HttpOnly'
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  return `${name}=${value}; Path=${path}; Max-Age=${seconds}${httpOnly}; SameSite=Lax${secure}`
}

/** `Set-Cookie` for a session's token. */
export function sessionCookie(publicUrl: string, token: string): string {
  return cookieHeader(publicUrl, { name: sessionCookieName(publicUrl), value: token, seconds: SESSION_SECONDS })
}

/** `Set-Cookie` that ends it. */
export function endedCookie(publicUrl: string): string {
  return cookieHeader(publicUrl, { name: sessionCookieName(publicUrl), value: '', seconds: 0 })
}
