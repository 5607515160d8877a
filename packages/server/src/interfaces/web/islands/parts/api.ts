/** Requests to the API with the session cookie, and the CSRF token for changes. */
import { t } from './t.ts'

export interface Call {
  readonly json?: unknown
  /** Markdown. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** Whether the browser sends it also while the page is left. */
  readonly keepalive?: boolean
}

/** The members of a problem document, if the response has one. */
export interface Problem {
  readonly status: number
  readonly code: string
  /** In the language of the person. */
  readonly detail: string
  /** Whether the detail says to try again. */
  readonly asksToRetry: boolean
  /** Whether the page has another version or another address now. */
  readonly isConflict: boolean
}

/** Sends a request; rejects only if there is no response. */
export function send(
  method: string,
  url: string,
  { json, text, headers, signal, keepalive = false }: Call = {},
): Promise<Response> {
  const body = json === undefined ? text : JSON.stringify(json)
  const type = json === undefined ? 'text/markdown; charset=utf-8' : 'application/json'
  return fetch(url, {
    method,
    keepalive,
    headers: {
      Accept: 'application/json',
      ...(body !== undefined && { 'Content-Type': type }),
      ...(method !== 'GET' && { 'X-CSRF-Token': csrfToken() }),
      ...headers,
    },
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  })
}

/** What a GET request returns; undefined if the service cannot be reached, or refuses. */
export async function readJson<T>(url: string, signal?: AbortSignal): Promise<T | undefined> {
  try {
    const response = await send('GET', url, signal && { signal })
    return response.ok ? await response.json() : undefined
  } catch {
    return undefined
  }
}

/** The problem of an error response. */
export async function readProblem(response: Response): Promise<Problem> {
  return problemIn(response.status, await response.text().catch(() => ''))
}

/** The problem in the body of an error response. */
export function problemIn(status: number, body: string): Problem {
  try {
    const { code, detail, localDetail = detail, current, movedTo } = JSON.parse(body)
    const isConflict = current !== undefined || movedTo !== undefined
    const asksToRetry = /try again/i.test(detail)
    return { status, code: String(code), detail: String(localDetail), asksToRetry, isConflict }
  } catch {
    const detail = t('The service answered with {status}.', { status })
    return { status, code: '', detail, asksToRetry: false, isConflict: false }
  }
}

/** The CSRF token of the current session: another tab may have signed in again. */
export function csrfToken(): string {
  return /(?:^|;\s*)(?:__Host-)?recto_csrf=([^;]*)/.exec(document.cookie)?.[1] ?? ''
}
