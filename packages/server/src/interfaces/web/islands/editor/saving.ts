import { SIGN_IN } from '../../urls.ts'
import { type Problem, readProblem, send } from '../parts/api.ts'
import { element } from '../parts/dom.ts'
import { t } from '../parts/t.ts'

/** The result of saving. */
export type Saved =
  | { readonly kind: 'saved'; readonly version: number; readonly title: string }
  /** There is another version, the page is at another address, or its space is not at this one. */
  | { readonly kind: 'conflict' }
  /** The page was deleted in the meantime. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'rejected'; readonly message: string; readonly action?: HTMLElement }

/** Saves the text if the page still has version `base`; without `base`, creates the page. */
export async function savePage(
  url: string,
  text: string,
  { base, note }: { readonly base: number | undefined; readonly note: string },
): Promise<Saved> {
  let response: Response
  try {
    response = await send('PUT', url, {
      json: { body: text, ...(note !== '' && { note }) },
      headers: base === undefined ? { 'If-None-Match': '*' } : { 'If-Match': `"${base}"` },
    })
  } catch {
    return { kind: 'rejected', message: t('The service cannot be reached. Your text is kept. Try again in a moment.') }
  }
  if (response.ok) {
    const { version, title }: { version: number; title: string } = await response.json()
    return { kind: 'saved', version, title }
  }
  const problem = await readProblem(response)
  if (problem.status === 404) return { kind: 'conflict' }
  if (problem.code !== 'precondition_failed') return failure(problem, response)
  return problem.isConflict ? { kind: 'conflict' } : { kind: 'gone' }
}

/** Whether the session is still valid: a form that is sent without one would be lost. */
export async function sessionState(): Promise<Saved | undefined> {
  try {
    const response = await send('GET', '/me')
    return response.ok ? undefined : failure(await readProblem(response), response)
  } catch {
    return { kind: 'rejected', message: t('The service cannot be reached. Your text is kept. Try again in a moment.') }
  }
}

function failure({ status, code, detail, asksToRetry }: Problem, { headers }: Response): Saved {
  const keptText = t('Your text is kept.')
  if (status === 401 || code === 'csrf_token_invalid') {
    const text = t('Sign in in another tab, then save again')
    const link = element('a', { href: SIGN_IN, target: '_blank', rel: 'opener' }, text)
    return { kind: 'rejected', message: t('You are signed out. Your text is kept.'), action: link }
  }
  if (status >= 500 || status === 429) {
    const seconds = headers.get('Retry-After')
    const advice =
      seconds === null
        ? t('Try again in a moment.')
        : t('Try again in {seconds, plural, one {# second} other {# seconds}}.', { seconds: Number(seconds) })
    // The seconds say it better.
    const text = detail.replace(/ Try again shortly\.$/, '')
    const isSaid = asksToRetry && text === detail
    return { kind: 'rejected', message: isSaid ? `${text} ${keptText}` : `${text} ${keptText} ${advice}` }
  }
  return { kind: 'rejected', message: `${detail} ${keptText}` }
}
