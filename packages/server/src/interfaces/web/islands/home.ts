/** On the start screen: recently read pages, which only this browser knows. */

import { element } from './parts/dom.ts'
import { showLocalTimes } from './parts/times.ts'
import { visitedPages } from './parts/visited.ts'

const SHOWN = 6

fill(
  'visited',
  visitedPages().map(({ title, url, space, path }) => ({ name: title, url, about: `${space}/${path}` })),
)
setTimeout(() => showLocalTimes(Date.now()))

interface Row {
  readonly name: string
  readonly url: string
  readonly about: string
}

/** Fills the list of a section and shows it, unless it is empty. */
function fill(id: string, rows: readonly Row[]): void {
  const section = document.getElementById(id)
  const list = section?.querySelector('ul')
  if (!section || !list || rows.length === 0) return
  for (const row of rows.slice(0, SHOWN)) list.append(item(row))
  section.hidden = false
}

function item({ name, url, about }: Row): HTMLLIElement {
  const link = element('a', { href: url }, element('bdi', {}, name))
  const place = element('div', { class: 'quiet' }, element('bdi', {}, about))
  return element('li', {}, element('div', { class: 'what' }, element('div', { class: 'name' }, link), place))
}
