/** On the start screen: unsaved drafts and recently read pages, which only this browser knows. */

import { editUrl, newPageUrl } from '../urls.ts'
import { allDrafts } from './editor/drafts.ts'
import { element } from './parts/dom.ts'
import { showLocalTimes } from './parts/times.ts'
import { visitedPages } from './parts/visited.ts'

const SHOWN = 6

fill(
  'drafts',
  allDrafts().map(({ space, path, text, at }) => ({
    name: findTitle(text) ?? path ?? 'New page',
    url: path === undefined ? newPageUrl(space) : editUrl(space, path),
    about: path === undefined ? space : `${space}/${path}`,
    at,
  })),
)
fill(
  'visited',
  visitedPages().map(({ title, url, space, path }) => ({ name: title, url, about: `${space}/${path}` })),
)
setTimeout(() => showLocalTimes(Date.now()))

interface Row {
  readonly name: string
  readonly url: string
  readonly about: string
  readonly at?: number
}

/** Fills the list of a section and shows it, unless it is empty. */
function fill(id: string, rows: readonly Row[]): void {
  const section = document.getElementById(id)
  const list = section?.querySelector('ul')
  if (!section || !list || rows.length === 0) return
  for (const row of rows.slice(0, SHOWN)) list.append(item(row))
  section.hidden = false
}

function item({ name, url, about, at }: Row): HTMLLIElement {
  const link = element('a', { href: url }, element('bdi', {}, name))
  const place = element('div', { class: 'quiet' }, element('bdi', {}, about))
  if (at !== undefined) place.append(', ', element('time', { datetime: new Date(at).toISOString() }))
  return element('li', {}, element('div', { class: 'what' }, element('div', { class: 'name' }, link), place))
}

/** The first heading of a text. */
function findTitle(text: string): string | undefined {
  return /^#{1,6}[ \t]+(\S[^\n]{0,200})/m.exec(text)?.[1]?.trim()
}
