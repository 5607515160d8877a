import type { Check, Review, Verdict } from '../../../content/change-requests/schema.ts'
import { translateDetail } from '../../../platform/language/details.ts'
import { hidden, radioButtons, textField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { findText, type Html, html, joinList, msg, t } from '../html.ts'
import { badge, moment, personName, type Row, rows, type Tone } from '../rows.ts'
import { changeRequestUrl } from '../urls.ts'
import type { RequestView } from './read-changes.ts'

const STATUS_NAMES: Readonly<Record<Check['status'], string>> = {
  passed: msg('passed'),
  pending: msg('pending'),
  failed: msg('failed'),
}
const STATUSES: Readonly<Record<Check['status'], Tone>> = { passed: 'success', pending: 'warning', failed: 'error' }
const VERDICTS: Readonly<Record<Verdict, readonly [string, Tone]>> = {
  approve: [msg('approves'), 'success'],
  requestChanges: [msg('asks for changes'), 'error'],
  comment: [msg('comments'), 'plain'],
}

/** The checks of the service itself. */
const CHECK_NAMES: Readonly<Record<string, string>> = {
  conflicts: msg('conflicts'),
  links: msg('links'),
  approvals: msg('approvals'),
}

/** What is said of a request: its checks, and the verdicts on it. */
export function reviewsSection({ request }: RequestView): Html {
  const { checks, reviews, reviewers } = request
  return html`${
    checks.length > 0 &&
    html`<section aria-labelledby="checks"><h2 id="checks">${t('Checks')}</h2>
${rows(t('Checks'), checks.map(checkRow), '')}</section>`
  }
${
  (reviews.length > 0 || reviewers.length > 0) &&
  html`<section aria-labelledby="reviews"><h2 id="reviews">${t('Reviews')}</h2>
${
  reviewers.length > 0 &&
  html`<p class="quiet">${t('Asked: {names}', { names: joinList(reviewers.map(personName)) })}</p>`
}
${reviews.length > 0 && rows(t('Reviews'), reviews.map(reviewRow), '')}</section>`
}`
}

function checkRow({ name: id, status, required, details, url, paths = [], updatedAt, updatedBy }: Check): Row {
  const ownName = findText(CHECK_NAMES, id)
  const name = ownName ?? id
  const places = joinList(paths.map((path) => html`<bdi>${path}</bdi>`))
  return {
    title: url === undefined ? html`${name}` : html`<a href="${url}" rel="nofollow noreferrer">${name}</a>`,
    badges: [badge(t(STATUS_NAMES[status]), STATUSES[status]), required && badge(t('needed'))],
    about: html`${
      ownName === undefined || details === '' ? details : translateDetail(details)
    }${paths.length > 0 && html` ${places}`}${
      updatedBy && updatedAt !== undefined && html` ${personName(updatedBy)} ${moment(updatedAt)}`
    }`,
  }
}

function reviewRow({ author, verdict, body, createdAt, stale }: Review): Row {
  const [text, tone] = VERDICTS[verdict]
  return {
    title: personName(author),
    badges: [badge(t(text), tone), stale && badge(t('of older changes'), 'warning')],
    about: html`${moment(createdAt)}${body !== '' && html`<br><span class="review-body">${body}</span>`}`,
  }
}

/** The form for a verdict, below the changes that it is on. */
export function reviewForm({ request, failed }: RequestView): Html | false {
  if (request.state !== 'open') return false
  const own = failed?.fields.act === 'review' ? { failed } : {}
  const choices = [
    { value: 'comment', text: t('Comment') },
    { value: 'approve', text: t('Approve: the changes are right as they are') },
    { value: 'requestChanges', text: t('Ask for changes') },
  ]
  return html`<section aria-labelledby="your-review"><h2 id="your-review">${t('Your review')}</h2>
<form class="form" method="post" action="${changeRequestUrl(request)}">
${CSRF_FIELD}${hidden('act', 'review')}${hidden('etag', request.etag)}
${radioButtons('verdict', t('Verdict'), { value: 'comment', choices, ...own })}
${textField('body', t('Comment'), {
  maxLength: 10_000,
  rows: 3,
  help: t('Everybody with an account who reads the space sees it.'),
  ...own,
})}
<button class="button" accesskey="r">${t('Send the review')}</button>
</form></section>`
}
