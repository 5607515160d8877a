/** The tools of a page, and its panel, which loads into reserved space, without layout shifts. */
import { findId } from '@recto/lib/text/fragment.ts'
import { copyParts } from './parts/copy-parts.ts'
import { element, loadFragment } from './parts/dom.ts'
import type { NewsOptions } from './parts/news.ts'
import type { PageChange } from './parts/open-page.ts'
import { markPresentSection } from './parts/present-section.ts'
import { t } from './parts/t.ts'
import { createToast } from './parts/toast.ts'

const article = document.querySelector('article')
if (article) {
  const say = createToast(article)
  copyParts(article, say)
  markLateImages(article)
  addEventListener('beforeprint', () => markBareLinks(article))
  goToFragment(article)
  addEventListener('hashchange', () => goToFragment(article))
  if ('tasks' in article.dataset) {
    void import('./parts/tick-tasks.ts').then(({ tickTasks }) => tickTasks(article, say))
  }
}
const contents = document.querySelector<HTMLElement>('.contents.beside-text')
if (contents) markPresentSection(contents)
if (article?.querySelector('.table')) {
  void import('./parts/sort-tables.ts').then(({ improveTables }) => improveTables(article))
}
article?.addEventListener('click', (event) => {
  if (!(event instanceof MouseEvent) || event.button !== 0) return
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a.image') : null
  // Other clicks open the file in another tab or window.
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  void import('./parts/image-viewer.ts').then(({ showImages }) =>
    showImages([...article.querySelectorAll<HTMLAnchorElement>('a.image')], link),
  )
})
const fragments = Array.from(document.querySelectorAll<HTMLElement>('[data-fragment]'), (place) => fill(place))
const comments = document.querySelector<HTMLElement>('[data-comments]')
if (article && comments) {
  // Below the others, which would move them.
  void Promise.all(fragments)
    .then(() => fill(comments))
    .then(() => offerComments(article, comments))
}
const reading = document.querySelector<HTMLElement>('.reading[data-latest]')
if (article && reading) {
  // The page is there first.
  addEventListener(
    'load',
    () => void import('./parts/news.ts').then(({ showNews }) => showNews(toNews(article, reading))),
  )
}
// The order of pages was changed in the tree.
document.addEventListener('recto:tree', () => {
  const neighbours = document.querySelector<HTMLElement>('.neighbours')
  if (neighbours) void fill(neighbours)
})

function toNews(article: HTMLElement, { dataset }: HTMLElement): NewsOptions {
  const { space = '', path = '' } = dataset
  const version = () => Number(dataset.latest)
  const action = () => element('a', { href: '' }, t('Show it'))
  const onOther = ({ event }: PageChange) => {
    if (/^(comment|thread)\./.test(event)) document.dispatchEvent(new Event('recto:comments'))
  }
  return { page: { space, path }, state: 'reading', version, before: article, action, onOther }
}

/** The script of comments loads where there are some, or once text is selected. */
function offerComments(article: HTMLElement, place: HTMLElement): void {
  let mark: (() => void) | undefined
  const load = async () => {
    document.removeEventListener('selectionchange', loadForSelection)
    const { improveComments } = await import('./parts/comments.ts')
    mark = improveComments(article, place, reload)
  }
  const loadForSelection = () => void (getSelection()?.isCollapsed === false && load())
  const reload = () => fill(place).then(() => mark?.())
  const loadForThreads = () => void (!mark && place.querySelector('.thread') && load())
  // What somebody is writing stays.
  const isWriting = () => [...place.querySelectorAll('textarea')].some(({ value }) => value !== '')
  document.addEventListener('recto:comments', () => void (!isWriting() && reload().then(loadForThreads)))
  if (place.querySelector('.thread')) void load()
  else document.addEventListener('selectionchange', loadForSelection)
}

/**
 * Goes to the part of the page that the fragment means, if it is not the very id: `#Setup` means `#user-content-setup`.
 */
function goToFragment(article: HTMLElement): void {
  const fragment = location.hash.slice(1)
  if (fragment === '' || document.querySelector(':target')) return
  const anchors = Array.from(article.querySelectorAll('[id]'), ({ id, tagName, textContent }) => ({
    id,
    ...(/^h[1-6]$/i.test(tagName) && { text: textContent }),
  }))
  const id = findId(fragment, anchors)
  if (id !== undefined) location.replace(`#${encodeURIComponent(id)}`)
}

/** An image may be made smaller when it is first read, which takes seconds: until then its place has a colour. */
function markLateImages(article: HTMLElement): void {
  for (const image of article.querySelectorAll('img')) {
    if (image.complete) continue
    image.classList.add('late')
    for (const event of ['load', 'error']) image.addEventListener(event, () => image.classList.remove('late'))
  }
}

/** Marks links whose text is their target: print.css prints the target of the others. */
function markBareLinks(article: HTMLElement): void {
  for (const link of article.querySelectorAll<HTMLAnchorElement>('a[href^="http"]')) {
    const text = link.textContent.trim()
    link.classList.toggle('bare', text !== '' && (link.getAttribute('href') ?? '').endsWith(text))
  }
}

async function fill(place: HTMLElement): Promise<void> {
  const { comments = '', fragment = comments } = place.dataset
  const text = await loadFragment(fragment)
  // Otherwise the existing links suffice.
  if (text !== undefined) place.innerHTML = text
}
