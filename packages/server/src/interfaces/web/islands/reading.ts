/** The tools of a page, and its panel, which loads into reserved space, without layout shifts. */
import { findId } from '@recto/lib/text/fragment.ts'
import { copyParts } from './parts/copy-parts.ts'
import { markPresentSection } from './parts/present-section.ts'
import { createToast } from './parts/toast.ts'

const article = document.querySelector('article')
if (article) {
  const say = createToast(article)
  copyParts(article, say)
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
// The order of pages was changed in the tree.
document.addEventListener('recto:tree', () => {
  const neighbours = document.querySelector<HTMLElement>('.neighbours')
  if (neighbours) void fill(neighbours)
})

/** The script of comments loads where there are some, or once text is selected. */
function offerComments(article: HTMLElement, place: HTMLElement): void {
  const load = async () => {
    document.removeEventListener('selectionchange', loadForSelection)
    const { improveComments } = await import('./parts/comments.ts')
    const mark = improveComments(article, place, () => fill(place).then(() => mark()))
  }
  const loadForSelection = () => void (getSelection()?.isCollapsed === false && load())
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

/** Marks links whose text is their target: print.css prints the target of the others. */
function markBareLinks(article: HTMLElement): void {
  for (const link of article.querySelectorAll<HTMLAnchorElement>('a[href^="http"]')) {
    const text = link.textContent.trim()
    link.classList.toggle('bare', text !== '' && (link.getAttribute('href') ?? '').endsWith(text))
  }
}

async function fill(place: HTMLElement): Promise<void> {
  const { comments = '', fragment = comments } = place.dataset
  try {
    const response = await fetch(fragment, { headers: { Accept: 'text/html' } })
    // A redirect is a complete page, such as the sign-in screen.
    if (!response.ok || response.redirected) return
    // From our own templates, which escape all values.
    place.innerHTML = await response.text()
  } catch {
    // The existing links suffice.
  }
}
