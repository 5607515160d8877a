/** Comments beside a page: marks the passages that they are about, and takes new ones about what is selected. */
import { csrfToken, send as sendRequest } from './api.ts'
import { button, element } from './dom.ts'
import { isSingleKey } from './in-storage.ts'
import { findPassage, readLetters } from './passages.ts'
import { findOutsiders } from './readers.ts'
import { locale, t } from './t.ts'
import { showLocalTimes } from './times.ts'

/** Characters of the text before and after a selection, which tell it from equal ones. */
const CONTEXT = 64
/** The key that comments on a selection. */
const KEY = 'c'
const NARROW = matchMedia('(max-width: 83.99rem)')

/**
 * Improves the comments in `place`, which `reload` fills again: forms keep the page, a click on a passage shows its
 * thread, and in narrow windows they open as a drawer.
 */
export function improveComments(article: HTMLElement, place: HTMLElement, reload: () => Promise<void>): () => void {
  const drawer = element('dialog', { class: 'drawer', 'aria-label': t('Comments') })
  const home = place.parentElement
  const next = place.nextSibling
  drawer.addEventListener('close', () => home?.insertBefore(place, next))
  drawer.addEventListener('click', ({ target }) => target === drawer && drawer.close())
  document.body.append(drawer)
  const open = () => {
    if (!NARROW.matches || drawer.open) return
    drawer.append(closeButton, place)
    drawer.showModal()
  }
  const closeButton = button(t('Close'), 'button small', () => drawer.close())
  place.addEventListener('submit', (event) => {
    if (!(event.target instanceof HTMLFormElement)) return
    event.preventDefault()
    void submit(event.target).then((isSent) => (isSent ? reload() : undefined))
  })
  let passages = new Map<HTMLElement, Range>()
  const mark = () => {
    showLocalTimes(Date.now())
    passages = markPassages(article, place)
  }
  // Not by the focus: what is below the mark would move between the press of a mouse and its release.
  for (const event of ['click', 'keyup']) place.addEventListener(event, ({ target }) => markRead(target))
  article.addEventListener('click', (event) => {
    if (getSelection()?.isCollapsed === false) return
    for (const [thread, range] of passages) {
      if (!contains(range, event)) continue
      open()
      thread.focus()
      return
    }
  })
  place.addEventListener('click', ({ target }) => {
    const quote = target instanceof Element ? target.closest<HTMLElement>('.thread > blockquote') : null
    const range = quote?.parentElement && passages.get(quote.parentElement)
    if (!range) return
    drawer.close()
    range.startContainer.parentElement?.scrollIntoView({ block: 'center' })
  })
  const screen = place.querySelector('a')?.href
  const tab = [...document.querySelectorAll<HTMLAnchorElement>('.tabs a')].find(({ href }) => href === screen)
  tab?.addEventListener('click', (event) => {
    if (!NARROW.matches) return
    event.preventDefault()
    open()
  })
  const comment = (selection: Selection) => {
    const form = place.querySelector<HTMLFormElement>('.new-thread')
    if (!form) return
    fillForm(article, form, selection)
    form.closest('details')?.setAttribute('open', '')
    open()
    form.querySelector('textarea')?.focus()
  }
  offerComments(article, place, comment)
  mark()
  return mark
}

/** A thread that its reader looks at is not new any more. */
function markRead(target: EventTarget | null): void {
  const thread = target instanceof Element ? target.closest<HTMLElement>('.thread[data-notification]') : null
  const { notification } = thread?.dataset ?? {}
  if (!thread || notification === undefined) return
  delete thread.dataset.notification
  thread.querySelector('.unread')?.remove()
  // At worst it is new again.
  void sendRequest('PATCH', '/me/notifications', { json: { ids: [notification], read: true } }).catch(() => undefined)
}

/** Sends a form, once its writer knows who is mentioned and cannot read it. */
async function submit(form: HTMLFormElement): Promise<boolean> {
  const { space = '', path } = form.closest<HTMLElement>('.threads')?.dataset ?? {}
  const text = form.querySelector('textarea')?.value ?? ''
  const names = form.dataset.told === text ? [] : await findOutsiders(text, { space, path })
  if (names.length === 0) return send(form)
  form.dataset.told = text
  const who = new Intl.ListFormat(locale()).format(names)
  say(form, t('{who} cannot read this page, and will not be told. Send it again to send it anyway.', { who }))
  return false
}

function say(form: HTMLFormElement, text: string): void {
  form.querySelector('[role=alert]')?.remove()
  form.prepend(element('p', { role: 'alert', class: 'notice error' }, text))
}

/** Sends a form; a form that is refused says why, and keeps its text. */
async function send(form: HTMLFormElement): Promise<boolean> {
  const body = new URLSearchParams(Array.from(new FormData(form), ([name, value]) => [name, String(value)]))
  const headers = { 'X-CSRF-Token': csrfToken(), Accept: 'text/html' }
  const response = await fetch(form.action, { method: 'POST', headers, body }).catch(() => undefined)
  if (response?.ok) return true
  const document = response && new DOMParser().parseFromString(await response.text(), 'text/html')
  const text = document?.querySelector('[role=alert]')?.textContent ?? t('It was not sent. Try again.')
  say(form, text)
  return false
}

/** Marks the passages that threads are about, and returns where each is. */
function markPassages(article: HTMLElement, place: HTMLElement): Map<HTMLElement, Range> {
  const letters = readLetters(article)
  const passages = new Map<HTMLElement, Range>()
  for (const thread of place.querySelectorAll<HTMLElement>('.threads > ul > .thread[data-quote]')) {
    const { quote = '', prefix = '', place: line = '' } = thread.dataset
    const range = line === '' ? undefined : findPassage(letters, quote, prefix)
    if (!range) continue
    passages.set(thread, range)
    // As the page shows it, without marks.
    thread.querySelector('blockquote')?.replaceChildren(String(range))
  }
  // Not in every browser: the quotes of the threads suffice.
  if (!('highlights' in CSS)) return passages
  const highlight = new Highlight()
  for (const range of passages.values()) highlight.add(range)
  CSS.highlights.set('recto-comment', highlight)
  return passages
}

function contains(range: Range, { clientX, clientY }: MouseEvent): boolean {
  return [...range.getClientRects()].some(
    ({ left, right, top, bottom }) => clientX >= left && clientX <= right && clientY >= top && clientY <= bottom,
  )
}

/** Offers to comment on a selection of the text: by a button below it, and by a key. */
function offerComments(article: HTMLElement, place: HTMLElement, comment: (selection: Selection) => void): void {
  const readSelection = () => {
    const selection = getSelection()
    if (!selection || selection.isCollapsed || !place.querySelector('.new-thread')) return undefined
    return article.contains(selection.anchorNode) && article.contains(selection.focusNode) ? selection : undefined
  }
  const act = () => {
    const selection = readSelection()
    if (selection) comment(selection)
    offer.hidden = true
  }
  const offer = button(t('Comment'), 'button small comment-button', act)
  offer.hidden = true
  // The button must not take the selection away.
  offer.addEventListener('pointerdown', (event) => event.preventDefault())
  document.body.append(offer)
  const show = () => {
    const selection = readSelection()
    offer.hidden = !selection
    const box = selection?.getRangeAt(0).getBoundingClientRect()
    if (!box) return
    offer.style.insetBlockStart = `${scrollY + box.bottom + 6}px`
    offer.style.left = `${scrollX + Math.min(box.left, innerWidth - 110)}px`
  }
  document.addEventListener('selectionchange', show)
  addEventListener('keydown', (event) => {
    if (event.key !== KEY || !isSingleKey(event) || !readSelection()) return
    event.preventDefault()
    act()
  })
  show()
}

/** Fills the form for a new thread with the selection and the text around it. */
function fillForm(article: HTMLElement, form: HTMLFormElement, selection: Selection): void {
  const selectedRange = selection.getRangeAt(0)
  const [before, after] = [document.createRange(), document.createRange()]
  before.selectNodeContents(article)
  before.setEnd(selectedRange.startContainer, selectedRange.startOffset)
  after.selectNodeContents(article)
  after.setStart(selectedRange.endContainer, selectedRange.endOffset)
  const text = selection.toString()
  const values = { selected: text, before: String(before).slice(-CONTEXT), after: String(after).slice(0, CONTEXT) }
  for (const [name, value] of Object.entries(values)) {
    const field = form.elements.namedItem(name)
    if (field instanceof HTMLInputElement) field.value = value
  }
  const quote = form.querySelector('blockquote')
  if (!quote) return
  quote.textContent = text
  quote.hidden = false
}
