import assert from 'node:assert/strict'

export interface Visit {
  readonly status: number
  readonly location: string | null
  readonly text: string
  /** What the next screen says, with a script; empty if nothing. */
  readonly message: string
}

export interface Form {
  readonly action: string
  /** The fields that are there without anybody typing: hidden ones and what is chosen. */
  readonly fields: readonly (readonly [string, string])[]
}

/** Speaks as a browser without script does that is signed in. */
export interface WebSession {
  get(path: string): Promise<Visit>
  send(form: Form): Promise<Visit>
}

/** Signs in with a key. */
export async function openWebSession(base: string, key: string): Promise<WebSession> {
  const signIn = await fetch(`${base}/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ key }),
  })
  assert.equal(signIn.status, 303)
  const cookie = signIn.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const headers = { cookie, 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'same-origin' }
  const visit = async (path: string, init: RequestInit): Promise<Visit> => {
    const response = await fetch(base + path, { redirect: 'manual', ...init })
    const { status } = response
    const line = response.headers.getSetCookie().find((each) => each.includes('recto_message='))
    const message = decodeURIComponent(/=([^;]*)/.exec(line ?? '')?.[1] ?? '')
    return { status, location: response.headers.get('location'), text: await response.text(), message }
  }
  return {
    get: (path) => visit(path, { headers }),
    send: ({ action, fields }) =>
      visit(action, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(fields.map(([name, value]) => [name, value])),
      }),
  }
}

/** The addresses that a document of ours leads to. */
export function linksIn(text: string): string[] {
  const main = text.slice(text.indexOf('<main'))
  return [...main.matchAll(/<a\s[^>]*?href="(\/[^"#]*)/g)].map(([, href = '']) => unescaped(href))
}

/** The forms of a document of ours that change something. */
export function formsIn(text: string): Form[] {
  const forms = text.matchAll(/<form\s[^>]*method="post"\s+action="([^"]*)"[^>]*>(.*?)<\/form>/gs)
  return [...forms].map(([, action = '', inner = '']) => ({
    action: unescaped(action),
    fields: [...inner.matchAll(/<input\s+type="hidden"\s+name="([^"]*)"\s+value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [unescaped(name), unescaped(value)] as const,
    ),
  }))
}

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}
