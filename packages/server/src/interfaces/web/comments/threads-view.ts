import { buttonForm, hidden, textField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, t, trusted } from '../html.ts'
import { badge, moment, personName } from '../rows.ts'
import type { FailedForm } from '../screen.ts'
import { threadUrl } from '../urls.ts'
import type { ShownThread, ThreadsView } from './read-threads.ts'

/** The form that begins a thread. */
interface NewThreadForm {
  readonly action: string
  readonly label: string
  readonly fields?: Readonly<Record<string, string>>
  /** Whether it may be about a passage. */
  readonly takesQuote?: boolean
  /** Whether it opens by a click, or once a passage is selected. */
  readonly isFolded?: boolean
  readonly failed?: FailedForm | undefined
}

/** The open threads about something, the resolved ones behind a click, and the form for a new one. */
export function threadsSection(view: ThreadsView, form: NewThreadForm): Html {
  const { open, resolved, isCut, address } = view
  return html`<div class="threads" data-space="${address.space}"${
    address.path !== undefined && html` data-path="${address.path}"`
  }>
${open.length > 0 && list(view, open)}
${
  resolved.length > 0 &&
  html`<details class="resolved"><summary>
${t('{count, number} resolved', { count: resolved.length })}</summary>\n${list(view, resolved)}</details>`
}
${isCut && html`<p class="quiet">${t('There are more threads: the API lists them all.')}</p>`}
${view.mayComment && offerThread(form)}
${!view.mayComment && open.length + resolved.length === 0 && html`<p class="quiet">${t('Nobody has commented.')}</p>`}
</div>`
}

function offerThread(form: NewThreadForm): Html {
  if (!form.isFolded) return newThread(form)
  return html`<details><summary class="button small">${form.label}</summary>${newThread(form)}</details>`
}

function list(view: ThreadsView, threads: readonly ShownThread[]): Html {
  return html`<ul>${threads.map((thread) => threadItem(view, thread))}</ul>`
}

function threadItem(view: ThreadsView, thread: ShownThread): Html {
  const { id, quote, place, outdated, subject, comments, notification } = thread
  return html`<li class="thread"${notification !== undefined && html` data-notification="${notification}"`}
    id="thread-${id}" tabindex="-1"${
      quote &&
      html` data-quote="${quote.exact}" data-prefix="${quote.prefix ?? ''}"
      data-place="${place === null ? '' : place.startLine}"`
    }>
${notification !== undefined && html`<p class="unread">${badge(t('new'), 'success')}</p>`}
${
  subject.kind === 'change' &&
  html`<p class="quiet">${t('About {path}', { path: html`<bdi>${subject.path}</bdi>` })}</p>`
}
${quote && html`<blockquote dir="auto">${quote.exact}</blockquote>`}
${
  outdated &&
  html`<p>${badge(t('outdated'), 'warning')} <span class="quiet">${t(
    'The page has changed: this passage is not there any more.',
  )}</span></p>`
}
${comments.map((comment) => commentItem(view, comment))}
${actions(view, thread)}
</li>\n`
}

function commentItem({ mayComment, isAdmin }: ThreadsView, comment: ShownThread['comments'][number]): Html {
  const { id, author, body, html: text, createdAt, editedAt, isOwn, thread } = comment
  const action = threadUrl(thread)
  return html`<div class="comment" id="comment-${id}">
<p class="who">${personName(author)} <span class="quiet">${moment(createdAt)}${
    editedAt !== null && ` · ${t('edited')}`
  }</span></p>
${text === undefined ? html`<p class="source">${body}</p>` : html`<div class="prose" dir="auto">${trusted(text)}</div>`}
${
  mayComment &&
  (isOwn || isAdmin) &&
  html`<details class="edit"><summary class="quiet">${isOwn ? t('Edit') : t('Delete')}</summary>
${
  isOwn &&
  commentForm({
    action,
    id: `edit-${id}`,
    label: t('Comment'),
    value: body,
    fields: { act: 'edit', comment: id },
    button: t('Save'),
  })
}
${buttonForm(action, t('Delete'), {
  fields: { act: 'delete', comment: id },
  label: t('Delete the comment of {name}', { name: author.name }),
  look: 'danger',
})}
</details>`
}
</div>`
}

function actions({ mayComment }: ThreadsView, { id, state, mayResolve }: ShownThread): Html | false {
  if (!mayComment) return false
  const action = threadUrl(id)
  const act = state === 'open' ? 'resolve' : 'reopen'
  return html`<div class="thread-actions">
<details><summary class="button small">${t('Reply')}</summary>
${commentForm({ action, id: `reply-${id}`, label: t('Reply'), fields: { act: 'reply' }, button: t('Reply') })}
</details>
${
  mayResolve &&
  buttonForm(action, act === 'resolve' ? t('Resolve') : t('Open again'), { fields: { act }, look: 'small' })
}
</div>`
}

interface CommentForm {
  readonly action: string
  readonly id: string
  readonly label: string
  readonly value?: string
  readonly fields: Readonly<Record<string, string>>
  readonly button: string
}

function commentForm({ action, id, label, value = '', fields, button }: CommentForm): Html {
  return html`<form class="form" method="post" action="${action}">${CSRF_FIELD}${hiddenFields(fields)}
${textField('body', label, { id, value, maxLength: 10_000, rows: 3, required: true })}
<button class="button primary">${button}</button></form>`
}

function newThread({ action, label, fields = {}, takesQuote = false, failed }: NewThreadForm): Html {
  return html`<form class="form new-thread" method="post" action="${action}">${CSRF_FIELD}${hiddenFields(fields)}
${
  takesQuote &&
  html`${hidden('selected', '')}${hidden('before', '')}${hidden('after', '')}<blockquote dir="auto"
    hidden></blockquote>`
}
${textField('body', label, { id: 'new-comment', maxLength: 10_000, rows: 3, required: true, failed })}
<button class="button primary">${t('Comment')}</button></form>`
}

function hiddenFields(fields: Readonly<Record<string, string>>): Html[] {
  return Object.entries(fields).map(([name, value]) => hidden(name, value))
}
