/** On the start screen: unsaved drafts and recently read pages, which only this browser knows. */
import { allDrafts } from './editor/drafts.ts'
import { showLocalTimes } from './parts/times.ts'
import { visitedPages } from './parts/visited.ts'

const SHOWN = 6

fill(
  'drafts',
  allDrafts().map(({ space, path, text, at }) => ({
    name: titleOf(text) ?? path ?? 'New page',
    url:
      path === undefined
        ? `/new/${space}`
        : `/edit/${space}/${path.split('/').map(encodeURIComponent).join('/')}`,
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
  const link = Object.assign(document.createElement('a'), { href: url })
  link.append(Object.assign(document.createElement('bdi'), { textContent: name }))
  const title = Object.assign(document.createElement('div'), { className: 'name' })
  title.append(link)
  const place = Object.assign(document.createElement('div'), { className: 'quiet' })
  place.append(Object.assign(document.createElement('bdi'), { textContent: about }))
  if (at !== undefined) {
    place.append(
      ', ',
      Object.assign(document.createElement('time'), { dateTime: new Date(at).toISOString() }),
    )
  }
  const what = Object.assign(document.createElement('div'), { className: 'what' })
  what.append(title, place)
  const made = document.createElement('li')
  made.append(what)
  return made
}

/** The first heading of a text. */
function titleOf(text: string): string | undefined {
  return /^#{1,6}[ \t]+(\S[^\n]{0,200})/m.exec(text)?.[1]?.trim()
}
