import assert from 'node:assert/strict'
import { checkContract } from './contract.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; a test reads of it what it asserts. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any
}

export interface Options {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly json?: unknown
}

/** Calls the service as one caller does. */
export class Client {
  readonly base: string
  readonly key: string | undefined

  constructor(base: string, key: string | undefined) {
    this.base = base
    this.key = key
  }

  async call(method: string, path: string, options: Options = {}): Promise<Answer> {
    const headers: Record<string, string> = { ...options.headers }
    if (this.key !== undefined) headers.authorization ??= `Bearer ${this.key}`
    if (options.json !== undefined) headers['content-type'] ??= 'application/json'
    const body = options.json === undefined ? options.body : JSON.stringify(options.json)
    const response = await fetch(this.base + path, {
      method,
      headers,
      redirect: 'manual',
      ...(body !== undefined && { body }),
    })
    const text = await response.text()
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
    const json = isJson && text ? JSON.parse(text) : undefined
    await checkContract({
      method,
      path,
      contentType: headers['content-type'],
      sent: options.json,
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      received: json,
    })
    return { status: response.status, headers: response.headers, text, json }
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.call('GET', path, { headers })
  }

  /** The page object and body at an address. */
  page(path: string): Promise<Answer> {
    return this.get(path, { accept: 'application/json' })
  }

  /** Creates a page, or replaces its body, whatever version it has. The path begins with the space. */
  async write(page: string, body: string): Promise<void> {
    const answer = await this.put(`/pages/${page}`, body)
    if (answer.status === 428) {
      assertStatus(await this.put(`/pages/${page}`, body, { 'if-match': '*' }), 200)
    } else assertStatus(answer, 201)
  }

  /** Writes Markdown; `headers` may hold If-Match. */
  put(path: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.call('PUT', path, { body, headers: { 'content-type': 'text/markdown', ...headers } })
  }

  post(path: string, json?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.call('POST', path, { headers, ...(json !== undefined && { json }) })
  }

  patch(path: string, json: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.call('PATCH', path, { json, headers })
  }

  delete(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.call('DELETE', path, { headers })
  }

  /** Makes a space and returns its slug. */
  async space(slug: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
    assertStatus(await this.post('/spaces', { slug, ...more }), 201)
    return slug
  }

  /** All items of a list, page by page. */
  // biome-ignore lint/suspicious/noExplicitAny: as `json` above
  async all(path: string): Promise<any[]> {
    const items = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const separator = path.includes('?') ? '&' : '?'
      const answer: Answer = await this.get(
        cursor === '' ? path : `${path}${separator}cursor=${encodeURIComponent(cursor)}`,
      )
      assertStatus(answer, 200)
      items.push(...answer.json.items)
      cursor = answer.json.nextCursor
    }
    return items
  }
}

/** Asserts a status and shows the answer where it is another. */
export function assertStatus(answer: Answer, status: number): Answer {
  assert.equal(answer.status, status, `${answer.status} instead of ${status}: ${answer.text.slice(0, 500)}`)
  return answer
}

/** Asserts a refusal: its status, its code, and the form that every problem has. */
export function assertProblem(answer: Answer, status: number, code: string): Answer {
  assertStatus(answer, status)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/)
  assert.equal(answer.json.code, code)
  assert.equal(answer.json.status, status)
  assert.ok(answer.json.type.endsWith(`/problems/${code}`))
  for (const member of ['title', 'detail', 'requestId']) assert.equal(typeof answer.json[member], 'string')
  assert.equal(answer.json.requestId, answer.headers.get('x-request-id'))
  return answer
}

/** The path and the query of the absolute `Location` of a redirect. */
export function redirectOf({ headers }: Pick<Answer, 'headers'>): string {
  const { pathname, search } = new URL(headers.get('location') ?? '')
  return pathname + search
}
