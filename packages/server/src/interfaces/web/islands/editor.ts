import { findLineStart, lineOfMarker } from '@recto/lib/text/merge.ts'
import { moveUrl } from '../urls.ts'
import { fileButtons, pasteAndDrop } from './editor/file-input.ts'
import { findPlace, readPreviewUrl } from './editor/find-place.ts'
import { followPage } from './editor/follow-page.ts'
import { rememberImageSizes } from './editor/image-sizes.ts'
import { spaceImageUrl } from './editor/image-url.ts'
import { chooseMode, MODES, openMode, rememberMode } from './editor/modes.ts'
import { pathByTitle } from './editor/path-by-title.ts'
import { type Saved, savePage, sessionState } from './editor/saving.ts'
import type { Surface } from './editor/surface.ts'
import { findTextArea } from './editor/text-area.ts'
import { createToolbar } from './editor/toolbar.ts'
import { openUnsaved, type Unsaved, type UnsavedText } from './editor/unsaved.ts'
import { createUploads, type Uploads } from './editor/uploads.ts'
import { csrfToken, send } from './parts/api.ts'
import { button, element } from './parts/dom.ts'
import { nextTask } from './parts/next-task.ts'
import { locale, msg, t } from './parts/t.ts'

/** While somebody types, the text is kept so often; a long one less often, because that takes processor time. */
const PAUSE_MS = 2000
/** After so long without a key the text is compared with what is saved, which takes a long one several milliseconds. */
const STATE_PAUSE_MS = 150

/** The elements of the form, which works without script as well. */
interface Parts {
  readonly form: HTMLFormElement
  readonly area: HTMLTextAreaElement
  /** As it was sent. */
  readonly text: string
  /** As it is now: somebody may have typed before the editor was there. */
  readonly typed: () => string
  readonly note: HTMLInputElement | null
  readonly base: HTMLInputElement | null
  readonly state: HTMLElement
}

// The form works before the editor does, which starts in several short tasks.
await nextTask()
const form = document.querySelector<HTMLFormElement>('form.editor')
const foundArea = form ? findTextArea(form) : undefined
const state = form?.querySelector<HTMLElement>('.state')
if (form && foundArea && state) {
  const input = (name: string) => form.querySelector<HTMLInputElement>(`input[name="${name}"]`)
  await start({ form, ...foundArea, state, note: input('note') ?? input('title'), base: input('base') })
}

/** An open editor, and what happens in it. */
interface Session {
  readonly parts: Parts
  /** The text in the present mode. */
  surface: Surface
  readonly uploads: Uploads
  readonly unsaved: Unsaved
  /** The text that is saved; undefined for the result of a merge. */
  saved: string | undefined
  timer: ReturnType<typeof setTimeout> | undefined
  stateTimer: ReturnType<typeof setTimeout> | undefined
  isLeaving: boolean
  isSaving: boolean
  /** Asked for during a save: what was typed meanwhile is saved after it. */
  next: SaveOptions | undefined
  /** An earlier text is offered, which leaving must not discard. */
  isOffering: boolean
}

async function start(parts: Parts): Promise<void> {
  const { form, text, typed } = parts
  const { space = '' } = form.dataset
  rememberImageSizes(form.dataset)
  const options = {
    space,
    nonce: document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '',
    imageUrl: (target: string) => spaceImageUrl(target, findPlace(form)),
    previewUrl: () => readPreviewUrl(form),
    onChange: () => onChange(session),
    onSave: () => void save(session, { stay: true }),
  }
  // Enter in the title goes on to the text, also before the editor is there: it publishes no empty page.
  form.querySelector<HTMLInputElement>('input[name="title"]')?.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.isComposing) return
    event.preventDefault()
    if (parts.area.hidden) session.surface.focus()
    else parts.area.focus()
  })
  const open = (name: string, openText: string) => openMode(name, { ...options, text: openText }, form)
  const { name: first, reason } = chooseMode(typed())
  let surface = await open(first, typed())
  // Somebody typed while the editor was loaded.
  if (surface.text() !== typed()) surface = await open(first, typed())
  const uploads = createUploads(
    Number(form.dataset.maxFileBytes),
    () => findPlace(form),
    () => session.surface,
  )
  const session: Session = {
    parts,
    surface,
    uploads,
    unsaved: openUnsaved(form.dataset),
    saved: 'merge' in form.dataset ? undefined : text,
    timer: undefined,
    stateTimer: undefined,
    isLeaving: false,
    isSaving: false,
    next: undefined,
    isOffering: false,
  }
  const hasFocus = document.activeElement === parts.area
  mount(session, first, open)
  if (hasFocus) surface.placeCaret(parts.area.selectionEnd)
  say(parts, reason)
  listen(session)
  followPage(form, parts.base, () => void (isDirty(session) ? save(session, { stay: true }) : location.reload()))
  surface.refresh()
  // The choice is in view, also on a phone.
  const markedLine = session.saved === undefined ? lineOfMarker(text, '') : undefined
  if (markedLine !== undefined) surface.placeCaret(findLineStart(text, markedLine))
  await nextTask()
  await offerUnsaved(session)
  // Computes the layout.
  if (hasFocus || !form.querySelector('[autofocus]')) surface.focus()
}

function listen(session: Session): void {
  const { parts, uploads } = session
  parts.form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (parts.form.reportValidity()) void save(session, { stay: false })
  })
  parts.note?.addEventListener('input', () => onChange(session))
  document.addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === 's') {
      event.preventDefault()
      if (!session.surface.hasFocus()) void save(session, { stay: true })
    }
  })
  // The keyboard of a phone has come, or a notice: the caret stays in view.
  const pane = parts.area.parentElement ?? parts.form
  new ResizeObserver(() => session.surface.hasFocus() && session.surface.showCaret()).observe(pane)
  addEventListener('pagehide', () => {
    if (isDirty(session) && !session.isLeaving) session.unsaved.leave(unsavedText(session))
  })
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden' && !session.isLeaving) void keepText(session)
  })
  addEventListener('beforeunload', (event) => {
    if (!session.isLeaving) void keepText(session)
    if ((isDirty(session) || uploads.isBusy()) && !session.isLeaving) event.preventDefault()
  })
}

function isDirty(session: Session): boolean {
  return session.surface.text() !== session.saved
}

function unsavedText({ parts, surface }: Session): UnsavedText {
  const version = parts.base ? { version: Number(parts.base.value) } : {}
  return { body: surface.text(), note: parts.note?.value ?? '', ...version, savedAt: new Date().toISOString() }
}

/** Keeps what is not saved; what is saved is not offered again. */
async function keepText(session: Session): Promise<void> {
  clearTimeout(session.timer)
  session.timer = undefined
  if (isDirty(session)) await session.unsaved.keep(unsavedText(session))
  else if (!session.isOffering) await session.unsaved.drop()
}

function onChange(session: Session): void {
  const keep = async () => {
    await keepText(session)
    if (!session.parts.state.classList.contains('trouble')) sayState(session)
  }
  session.timer ??= setTimeout(keep, PAUSE_MS + (session.saved?.length ?? 0) / 100)
  clearTimeout(session.stateTimer)
  session.stateTimer = setTimeout(() => sayState(session), STATE_PAUSE_MS)
  session.surface.refresh()
}

const NOT_SAVED = {
  service: msg('Not saved yet'),
  browser: msg('Not saved yet. Your text is kept in this browser'),
  nowhere: msg('Not saved yet, and kept nowhere'),
}

function sayState(session: Session): void {
  if (session.isSaving) return
  const place = session.unsaved.place()
  if (isDirty(session)) say(session.parts, t(NOT_SAVED[place]), undefined, place === 'browser')
  else say(session.parts, '')
}

interface SaveOptions {
  /** Whether the editor stays open. */
  readonly stay: boolean
}

async function save(session: Session, options: SaveOptions): Promise<void> {
  const { parts, uploads } = session
  const { page } = parts.form.dataset
  if (session.isSaving) {
    session.next = options
    return
  }
  clearTimeout(session.stateTimer)
  void keepText(session)
  if (uploads.isBusy() && (!options.stay || page === undefined)) {
    return say(parts, t('Files are being uploaded. Save when that is done, or cancel the uploads.'))
  }
  const markedLine = lineOfMarker(session.surface.text(), session.saved ?? '')
  if (markedLine !== undefined) return showMarker(session, markedLine)
  session.isSaving = true
  say(parts, t('Saving…'))
  try {
    if (page === undefined || !parts.base) await submit(session)
    else await saveVersion(session, { ...options, page, base: parts.base })
  } finally {
    session.isSaving = false
  }
  const { next } = session
  session.next = undefined
  if (!next || session.isLeaving) return
  if (isDirty(session)) await save(session, next)
  else if (!next.stay && page !== undefined) leave(session, page)
}

function leave(session: Session, page: string): void {
  session.isLeaving = true
  location.assign(page)
}

async function saveVersion(
  session: Session,
  { page, base, stay }: SaveOptions & { readonly page: string; readonly base: HTMLInputElement },
): Promise<void> {
  const { parts } = session
  const { form, note } = parts
  const sentText = session.surface.text()
  const result = await savePage(page, form.dataset.lineEnd === 'crlf' ? sentText.replaceAll('\n', '\r\n') : sentText, {
    base: Number(base.value),
    note: note?.value ?? '',
  })
  if (result.kind === 'conflict') return submit(session)
  if (result.kind === 'gone') {
    const again = () => void restorePage(session, { page, stay })
    const restore = button(t('Restore it with your text'), 'button small', again)
    return say(parts, t('The page was deleted while you were editing. Your text is kept.'), restore)
  }
  if (result.kind === 'rejected') return say(parts, result.message, result.action, true)
  base.value = String(result.version)
  session.saved = sentText
  if (note) note.value = ''
  void keepText(session)
  const isChanged = isDirty(session)
  const { version } = result
  const message = isChanged
    ? t('Saved as version {version}. What you typed since is not saved yet.', { version })
    : t('Saved as version {version}.', { version })
  const newPath = pathByTitle(form.dataset, result.title)
  form.dataset.title = result.title
  if (newPath !== undefined) {
    const { space = '', path = '' } = form.dataset
    const rename = element(
      'a',
      { href: moveUrl(space, path, { to: newPath }) },
      t('Rename its path to {path}', { path: newPath }),
    )
    const read = element('a', { href: page }, t('Read the page'))
    const text = `${message} ${t('The page has another title.')}`
    return say(parts, text, element('span', {}, rename, ' · ', read))
  }
  if (!stay && !isChanged) leave(session, page)
  // What was typed during the save must not replace it.
  clearTimeout(session.stateTimer)
  say(parts, message)
}

/** Takes the page out of the trash and saves; what was deleted permanently becomes a new page. */
async function restorePage(session: Session, { page, stay }: { readonly page: string; readonly stay: boolean }) {
  const response = await send('POST', `${page}/restore`).catch(() => undefined)
  if (!response?.ok) return submit(session)
  const { version }: { version: number } = await response.json()
  const { base } = session.parts
  // Nobody changed it before it was deleted; else both are merged.
  if (base && version === Number(base.value) + 1) base.value = String(version)
  // The button, which had the focus, is gone.
  session.surface.focus()
  await save(session, { stay })
}

/** Submits the form as without script: the service merges conflicts, and redirects it to where the page is now. */
async function submit(session: Session): Promise<void> {
  const { parts, uploads } = session
  const { form, area } = parts
  const trouble: Saved | undefined = await sessionState()
  if (trouble?.kind === 'rejected') return say(parts, trouble.message, trouble.action, true)
  if (form.dataset.page === undefined) uploads.settle()
  area.value = session.surface.text()
  const token = form.querySelector<HTMLInputElement>('input[name="csrf"]')
  if (token) token.value = csrfToken()
  session.isLeaving = true
  // The service discards the text with the save; a suggestion is not kept there.
  await ('proposal' in form.dataset ? session.unsaved.drop() : keepText(session))
  form.submit()
}

/** An unfinished merge is not saved: shows where to choose. */
function showMarker({ parts, surface }: Session, line: number): void {
  const go = button(t('Show it'), 'button small', () => {
    surface.placeCaret(findLineStart(surface.text(), line))
    surface.focus()
  })
  say(parts, t('Not saved: line {line} still has a conflict marker. Choose what to keep first.', { line }), go)
}

/** Replaces the text area with the editor. */
function mount(session: Session, first: string, open: (name: string, text: string) => Promise<Surface>): void {
  const { parts, uploads } = session
  const { form, area } = parts
  const text = area.parentElement ?? form
  form.classList.add('has-editor')
  area.hidden = true
  let mode = first
  const show = (surface: Surface) => {
    session.surface = surface
    text.append(surface.dom)
    toolbar.show(mode, surface)
  }
  const choose = async (name: string) => {
    if (name === mode) return
    if (uploads.isBusy()) return say(parts, t('Files are being uploaded. Change the mode when that is done.'))
    const before = session.surface
    mode = name
    rememberMode(name)
    const surface = await open(name, before.text())
    const caret = before.caret()
    before.close()
    show(surface)
    surface.placeCaret(caret)
    surface.focus()
    surface.refresh()
  }
  const files = fileButtons(uploads.add, () => session.surface.focus())
  const toolbar = createToolbar({ files, modes: MODES, choose: (name) => void choose(name) })
  form.querySelector('.panes')?.before(toolbar.dom)
  // Notices are below the text, which loses room there and does not move.
  form.querySelector('.save-bar')?.before(uploads.list)
  show(session.surface)
  pasteAndDrop(form, text, uploads.add)
  for (const control of form.querySelectorAll<HTMLElement>('[data-without-script]')) control.hidden = true
}

/** Offers what was typed before and not saved, here or on another device. */
async function offerUnsaved(session: Session): Promise<void> {
  const { unsaved, parts, saved } = session
  const text = saved === undefined ? undefined : await unsaved.load()
  if (!text || text.body === saved) return
  const { form, note, base } = parts
  const isOlder = text.version && base && text.version !== Number(base.value)
  const about = t('You have unsaved text from {time}.', { time: new Date(text.savedAt).toLocaleString(locale()) })
  const offer = element('div', { class: 'notice info', role: 'region', 'aria-label': t('Unsaved text') })
  session.isOffering = true
  const end = () => {
    session.isOffering = false
    offer.remove()
    session.surface.focus()
  }
  const use = button(t('Resume'), 'button', () => {
    if (base && text.version) base.value = String(text.version)
    if (note) note.value = text.note
    note?.dispatchEvent(new Event('input'))
    session.surface.replaceText(text.body)
    end()
  })
  const discard = button(t('Discard'), 'button', () => {
    end()
    void keepText(session)
  })
  offer.append(
    element('p', {}, isOlder ? `${about} ${t('The page was changed since: when you save, both are merged.')}` : about),
    element('div', { class: 'buttons' }, use, discard),
  )
  form.querySelector('.save-bar')?.before(offer)
}

function say({ state }: Parts, message: string, action?: HTMLElement, isTrouble = action !== undefined): void {
  state.textContent = message
  state.classList.toggle('trouble', isTrouble)
  if (action) state.append(' ', action)
}
