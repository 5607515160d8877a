/** Calls of our own API by the pages: with the session's cookie, and its token where something may change. */

export interface Call {
  readonly json?: unknown
  /** Markdown. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** What a refusal says, as far as it says anything. */
export interface Problem {
  readonly status: number
  readonly code: string
  readonly detail: string
  /** Whether it tells of the page as it is now. */
  readonly hasCurrent: boolean
}

/** Sends a request; rejects only where no answer came. */
export function send(
  method: string,
  url: string,
  { json, text, headers, signal }: Call = {},
): Promise<Response> {
  const body = json === undefined ? text : JSON.stringify(json)
  const type = json === undefined ? 'text/markdown; charset=utf-8' : 'application/json'
  return fetch(url, {
    method,
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

/** The problem of an answer that is none of the good ones. */
export async function problemOf(response: Response): Promise<Problem> {
  const { status } = response
  try {
    const { code, detail, current } = await response.json()
    return { status, code: String(code), detail: String(detail), hasCurrent: current !== undefined }
  } catch {
    return { status, code: '', detail: `The service answered with ${status}.`, hasCurrent: false }
  }
}

/** The token of the session that the browser has now: another tab may have signed in anew. */
export function csrfToken(): string {
  return /(?:^|;\s*)(?:__Host-)?recto_csrf=([^;]*)/.exec(document.cookie)?.[1] ?? ''
}
