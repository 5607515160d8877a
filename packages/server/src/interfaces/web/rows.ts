import type { Actor, Role } from '../../access/caller.ts'
import type { List } from '../../platform/http/paging.ts'
import { avatar } from './avatar.ts'
import { type Html, type HtmlValue, html, msg, t } from './html.ts'
import { type TimeForm, time } from './time.ts'
import { withQuery } from './urls.ts'

export interface Row {
  readonly title: HtmlValue
  /** Small text below the title. */
  readonly about?: HtmlValue
  readonly badges?: readonly (Html | false | undefined)[]
  readonly actions?: HtmlValue
}

/** A list of items with actions; wraps on narrow screens. */
export function rows(label: string, list: readonly Row[], empty: HtmlValue): Html {
  if (list.length === 0) return html`<div class="empty">${empty}</div>`
  const items = list.map(
    ({ title, about, badges = [], actions }) => html`<li>
<div class="what"><div class="name">${title}${badges.map((badge) => badge && html` ${badge}`)}</div>
${about !== undefined && html`<div class="quiet">${about}</div>`}</div>
${actions !== undefined && html`<div class="actions">${actions}</div>`}
</li>
`,
  )
  return html`<ul class="rows action-list" aria-label="${label}">
${items}</ul>`
}

export type Tone = 'success' | 'error' | 'warning' | 'info' | 'plain'

/** Roles in a space as they are shown. */
export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  viewer: msg('viewer'),
  editor: msg('editor'),
  admin: msg('admin'),
}

/** A short label, such as a state. */
export function badge(text: string, tone: Tone = 'plain'): Html {
  return html`<span class="badge ${tone}">${text}</span>`
}

/** The name of an actor, with a badge for agents; nothing for one who is not named. */
export function actorName(actor: Actor | undefined): Html {
  if (!actor) return html``
  const { name, kind, via } = actor
  return html`<span class="actor">${name}</span>${kind === 'agent' && html` ${badge(t('agent'))}`}${
    via !== undefined && ` ${t('via {app}', { app: via })}`
  }`
}

/** The same in a sentence. */
export function authorName({ name, kind, via }: Actor): Html {
  const author = kind === 'agent' ? t('{name} (agent)', { name }) : name
  return html`${via === undefined ? author : t('{name} via {app}', { name: author, app: via })}`
}

/** The name of an actor beside the picture. */
export function personName(actor: Actor): Html {
  return html`${avatar(actor)}${actorName(actor)}`
}

/** A timestamp of JSON as `<time>`. */
export function moment(text: string, form?: TimeForm): Html {
  return time(new Date(text), form)
}

/** Filters a list by a part of the names in it; `label` says what it filters. */
export function nameFilter(url: string, label: string, name: string | undefined): Html {
  return html`<form class="toolbar" method="get" action="${url}" role="search" aria-label="${label}">
<input class="input" dir="auto" type="search" name="name" aria-label="${t('Name')}" placeholder="${t('Name')}"
  value="${name}" maxlength="200">
<button type="submit" class="button">${t('Filter')}</button>${name && html` <a href="${url}">${t('Show all')}</a>`}
</form>`
}

/** The same for a list that is longer than a screen. */
export function longListFilter(
  url: string,
  label: string,
  { name, cursor, list }: { name?: string | undefined; cursor?: string | undefined; list: List<unknown> },
): Html | undefined {
  return name || cursor !== undefined || list.nextCursor !== null ? nameFilter(url, label, name) : undefined
}

/** The links to the next page of a list and back to the first; a list with a `section` has its cursor and its id. */
export function pager(
  path: string,
  query: Readonly<Record<string, string | undefined>>,
  list: { readonly cursor?: string | undefined; readonly nextCursor: string | null },
  section?: string,
): Html | undefined {
  const { cursor, nextCursor } = list
  if (cursor === undefined && nextCursor === null) return undefined
  const anchor = section === undefined ? '' : `#${section}`
  const toUrl = (more: object) => withQuery(path, { ...query, ...more }) + anchor
  return pagination(
    t('Pages of the list'),
    cursor !== undefined && [toUrl({}), t('Start over')],
    nextCursor !== null && [toUrl({ [section ?? 'cursor']: nextCursor }), t('More')],
  )
}

type PageLink = false | readonly [url: string, text: string]

/** The links to the first part of a list, and to the one after this. */
export function pagination(label: string, first: PageLink, next: PageLink): Html {
  return html`<nav class="pagination" aria-label="${label}">
${first && html`<a class="button" href="${first[0]}">${first[1]}</a>`}
${next && html`<a class="button" rel="next" href="${next[0]}">${next[1]}</a>`}
</nav>`
}
