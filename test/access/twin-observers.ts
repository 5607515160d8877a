import { type Answer, assertStatus, type Client } from '../support/client.ts'
import type { Request } from './twin-requests.ts'

/** Who asks: with a key, or with the cookie of a session. */
export interface Observer {
  readonly name: string
  readonly client: Client
  readonly headers: Readonly<Record<string, string>>
}

/** The headers of a session of the key's owner. */
export async function signIn(browser: Client, key: string): Promise<Record<string, string>> {
  const answer = await browser.call('POST', '/sign-in', {
    body: new URLSearchParams({ key }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  const cookies = assertStatus(answer, 303)
    .headers.getSetCookie()
    .map((line) => line.split(';')[0] ?? '')
  const token = cookies.find((cookie) => cookie.startsWith('recto_csrf='))?.split('=')[1] ?? ''
  return { cookie: cookies.join('; '), 'x-csrf-token': token, 'sec-fetch-site': 'same-origin' }
}

const HEADERS = ['content-type', 'location', 'cache-control', 'vary', 'allow', 'retry-after', 'link']

/**
 * All that an answer says, but for what differs between any two services: ids, times, addresses and places in the feed.
 */
function told({ status, text, headers }: Answer, base: string): string {
  const kept = HEADERS.map((name) => headers.get(name))
  return `${status} ${plainText([JSON.stringify(kept), text].join('\n'), base)}`
}

/** A text without what differs between any two services. */
export function plainText(text: string, base: string): string {
  return text
    .replaceAll(base, 'BASE')
    .replace(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, 'ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/(name="_?csrf[^"]*" value|nonce|content)="[^"]*"/g, '$1')
    .replace(/\d\d? \w{3} \d{4}(?:, | at )?[\d:]*/g, 'TIME')
    .replace(
      /("nextCursor\\*":\\*"|[?&](?:since|cursor)=| since )([\w-]{40,})/g,
      (_, name, { length }) => `${name}CURSOR of ${length}`,
    )
}

/** What a request is told. */
export async function ask({ client, headers }: Observer, request: Request): Promise<string> {
  const { method, path, ...options } = request
  const answer = await client.call(method, path, { ...options, headers: { ...headers, ...options.headers } })
  return told(answer, client.base)
}
