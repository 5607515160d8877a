import type { ErrorDefinition } from '@recto/contract/error-definition.ts'
import { ERRORS } from '@recto/contract/error-table.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import { pageUrl } from '@recto/contract/page-url.ts'
import type { ProblemDocument } from '../../platform/http/problems/problem.ts'
import { translateDetail } from '../../platform/language/details.ts'
import { buttonForm, hidden, textField } from './controls.ts'
import { CSRF_FIELD } from './forms.ts'
import { type Html, html, sentence, t } from './html.ts'
import { layout } from './layout.ts'
import { actorName, moment } from './rows.ts'
import { ACCOUNT, ASK, FIND, HOME, newPageUrl, SIGN_IN, trashUrl, withQuery } from './urls.ts'

/** An error, and what the caller can do about it. */
export interface ErrorView {
  readonly problem: ProblemDocument
  /** For callers without an account: without search, and without a form to ask for access. */
  readonly isVisitor?: boolean
  /** The name of the caller, if known. */
  readonly name?: string | undefined
  /** The requested page, in a space that the caller can see. */
  readonly page?: (PageAddress & { readonly mayEdit: boolean }) | undefined
  /** What the caller may ask for access to, whether or not it exists; an empty path is the space. */
  readonly asked?: { readonly space: string; readonly path: string } | undefined
  /** Whether a version of the page was requested: the page itself may exist. */
  readonly isVersion?: boolean
  /** The last part of the URL as search words. */
  readonly words?: string | undefined
  /** Seconds to wait. */
  readonly retryAfter?: string | undefined
}

export function errorDocument(view: ErrorView): string {
  const { problem, page, isVisitor } = view
  const { screenTitle }: ErrorDefinition = ERRORS[problem.code]
  const title = t(screenTitle ?? problem.title)
  return layout({
    title: `${title} · Recto`,
    ...(page && { space: page.space }),
    ...(isVisitor && { isVisitor, ...(page && { path: page.path }) }),
    signedOut: problem.code === 'link_invalid',
    main: html`<div class="screen narrow">
<p class="status">${problem.status}</p>
<h1>${title}</h1>
${screenTitle === undefined && html`<p>${sentence(translateDetail(problem.detail))}</p>`}
${helpFor(view)}
<p class="buttons">${
      problem.code !== 'link_invalid' &&
      html`<a class="button" href="${HOME}">${isVisitor ? t('Spaces') : t('Spaces and recent pages')}</a> `
    }<a class="button" href="/problems/${problem.code}">${t('What this means')}</a></p>
<footer class="about"><p>${t('Request {id}', { id: problem.requestId })}</p></footer>
</div>`,
  })
}

function helpFor(view: ErrorView): Html | undefined {
  const { code, status } = view.problem
  if (code === 'page_deleted') return deletedHelp(view)
  if (code === 'link_invalid') {
    return html`<p>${t(
      'If you have used it already, <link>sign in</link>. Otherwise ask for a new link: ' +
        'whoever administers Recto can create one.',
      { link: (text) => html`<a href="${SIGN_IN}">${text}</a>` },
    )}</p>`
  }
  const { screenAdvice }: ErrorDefinition = ERRORS[code]
  if (screenAdvice !== undefined) return html`<p>${t(screenAdvice)}</p>`
  if (status === 404) return view.isVisitor ? undefined : absentHelp(view)
  if (status === 403) return forbiddenHelp(view)
  return status === 429 || status === 503 ? waitHelp(view) : undefined
}

function absentHelp({ page, words, isVersion, asked }: ErrorView): Html {
  if (page && isVersion) {
    return html`<p><a class="button primary" href="${pageUrl(
      page.space,
      page.path,
    )}">${t('Open the latest version')}</a></p>`
  }
  return html`${
    page?.mayEdit &&
    html`<p><a class="button primary" href="${newPageUrl(page.space, {
      path: page.path,
    })}">${t('Create this page')}</a></p>`
  }
<form class="form" action="${FIND}">
<div class="field"><label for="q">${t('Search for it')}</label><input dir="auto" type="search" id="q" name="q"
  value="${words}" maxlength="500"></div>
<button type="submit" class="button">${t('Search')}</button>
</form>
${asked && askForm(asked)}`
}

function askForm({ space, path }: NonNullable<ErrorView['asked']>): Html {
  return html`<form class="form" method="post" action="${ASK}">
${CSRF_FIELD}${hidden('space', space)}${hidden('path', path)}
${textField('note', t('Note to the admins'), {
  maxLength: 500,
  help: t('If it exists and you may not see it, you can ask for access.'),
})}
<button type="submit" class="button">${t('Ask for access')}</button>
</form>`
}

function forbiddenHelp({ name }: ErrorView): Html {
  return html`<p>${
    name !== undefined && html`${t('You are signed in as {name}.', { name: html`<strong>${name}</strong>` })} `
  }${t(
    'Ask an admin of the space for a role in it, or an admin of the organisation for the rest. ' +
      'If another account or key has more rights, <link>sign out</link> and use it.',
    { link: (text) => html`<a href="${ACCOUNT}">${text}</a>` },
  )}</p>`
}

function deletedHelp({ problem, page }: ErrorView): Html | undefined {
  const { deletedAt, deletedBy } = problem
  const by = isActor(deletedBy) ? deletedBy : undefined
  const when =
    typeof deletedAt === 'string'
      ? html`<p>${
          by
            ? t('It was deleted {when} by {name}.', { when: moment(deletedAt), name: actorName(by) })
            : t('It was deleted {when}.', { when: moment(deletedAt) })
        }</p>`
      : undefined
  if (!page?.mayEdit) return html`${when}<p>${t('An editor of the space can restore it.')}</p>`
  const trash = trashUrl(page.space)
  return html`${when}
<div class="buttons">
${buttonForm(`${trash}/restore`, t('Restore page'), { look: 'primary', fields: { path: page.path } })}
<a class="button" href="${newPageUrl(page.space, { path: page.path })}">${t('Create a new page here')}</a> <a
  class="button" href="${trash}">${t('Open trash')}</a></div>`
}

/** The explanation of a 503 says already that it passes. */
function waitHelp({ problem, retryAfter }: ErrorView): Html {
  const seconds = retryAfter === undefined ? undefined : Number(retryAfter)
  const again = html`<a class="button primary" href="${withQuery('', {})}">${t('Try again')}</a>`
  if (problem.status !== 429) {
    const when = seconds !== undefined && t('in {seconds, plural, one {# second} other {# seconds}}', { seconds })
    return html`<p>${again}${when && html` <span class="quiet">${when}</span>`}</p>`
  }
  const wait =
    seconds === undefined
      ? t('Wait a moment, then try again.')
      : t('Wait {seconds, plural, one {# second} other {# seconds}}, then try again.', { seconds })
  return html`<p>${wait}</p>\n<p>${again}</p>`
}

function isActor(
  value: unknown,
): value is { readonly id: string; readonly name: string; readonly kind: 'human' | 'agent' } {
  return typeof value === 'object' && value !== null && 'name' in value && 'kind' in value
}
