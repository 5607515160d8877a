import { EditorView } from '@codemirror/view'
import { lineOfMarker } from '@recto/lib/text/merge.ts'
import { newPagePath } from '@recto/lib/text/new-page-path.ts'
import { previewUrl } from '../urls.ts'
import { type Drafts, dropSent, markSent, openDrafts, sweepDrafts } from './editor/drafts.ts'
import { dropBeside, fileButtons, pasteAndDrop } from './editor/file-input.ts'
import { insertPlaces } from './editor/insert-places.ts'
import { spaceImageUrl } from './editor/live/image-url.ts'
import { createLivePreview, type LivePreview } from './editor/live/live.ts'
import { rememberImageSize } from './editor/live/widgets.ts'
import { createPreview } from './editor/preview.ts'
import { type Saved, savePage, sessionState } from './editor/saving.ts'
import { editorState } from './editor/state.ts'
import { findTextArea } from './editor/text-area.ts'
import { createToolbar } from './editor/toolbar.ts'
import { createUploads, type PagePlace, type Uploads } from './editor/uploads.ts'
import { csrfToken } from './parts/api.ts'
import { button, element } from './parts/dom.ts'

const DRAFT_PAUSE_MS = 400

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
  await start({ form, ...foundArea, state, note: input('note'), base: input('base') })
}

/** An open editor, and what happens in it. */
interface Session {
  readonly parts: Parts
  readonly view: EditorView
  readonly uploads: Uploads
  readonly refreshPreview: () => void
  readonly drafts: Drafts
  /** The text that is saved; undefined for the result of a merge. */
  saved: string | undefined
  draftTimer: ReturnType<typeof setTimeout> | undefined
  isLeaving: boolean
  isSaving: boolean
  /** Asked for during a save: what was typed meanwhile is saved after it. */
  next: SaveOptions | undefined
  canStore: boolean
}

async function start(parts: Parts): Promise<void> {
  const { form, text, typed } = parts
  const { space = '', draft = '' } = form.dataset
  const uploads = createUploads(Number(form.dataset.maxFileBytes), () => findPlace(form))
  dropSent(draft)
  rememberSizes(form)
  const live = createLivePreview((target) => spaceImageUrl(target, findPlace(form)))
  const savedText = 'merge' in form.dataset ? undefined : text
  const options = {
    space,
    nonce: document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '',
    extensions: [insertPlaces, pasteAndDrop(uploads.add), live.extension],
    onChange: () => onChange(session),
    onSave: () => void save(session, { stay: true }),
  }
  const parsedState = editorState(typed(), options)
  await nextTask()
  const isTyped = parsedState.doc.toString() !== typed()
  const view = new EditorView({ state: isTyped ? editorState(typed(), options) : parsedState })
  const session: Session = {
    parts,
    view,
    uploads,
    refreshPreview: mount(parts, view, uploads, live),
    drafts: openDrafts(draft),
    saved: savedText,
    draftTimer: undefined,
    isLeaving: false,
    isSaving: false,
    next: undefined,
    canStore: true,
  }
  listen(session)
  session.refreshPreview()
  await nextTask()
  sweepDrafts(Date.now())
  offerDraft(parts, view, session.drafts, savedText)
  // Computes the layout.
  if (!parts.form.querySelector('[autofocus]')) view.focus()
}

/** The sizes of the images that the page has already. */
function rememberSizes({ dataset }: HTMLFormElement): void {
  const sizes: Readonly<Record<string, readonly [number, number]>> = JSON.parse(dataset.imageSizes ?? '{}')
  for (const [url, [width, height]] of Object.entries(sizes)) rememberImageSize(url, width, height)
}

function listen(session: Session): void {
  const { parts, view, uploads } = session
  parts.form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (parts.form.reportValidity()) void save(session, { stay: false })
  })
  parts.note?.addEventListener('input', () => onChange(session))
  document.addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === 's') {
      event.preventDefault()
      if (!view.hasFocus) void save(session, { stay: true })
    }
  })
  // The keyboard of a phone has come: the caret stays in view.
  addEventListener('resize', () => {
    if (view.hasFocus) view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main) })
  })
  addEventListener('pagehide', () => keepDraft(session))
  addEventListener('beforeunload', (event) => {
    keepDraft(session)
    if ((isDirty(session) || uploads.isBusy()) && !session.isLeaving) event.preventDefault()
  })
}

function readText({ view }: Session): string {
  return view.state.doc.toString()
}

function isDirty(session: Session): boolean {
  return readText(session) !== session.saved
}

function keepDraft(session: Session): void {
  const { drafts, parts } = session
  clearTimeout(session.draftTimer)
  if (!isDirty(session)) {
    drafts.drop()
    return
  }
  const newDraft = { text: readText(session), note: parts.note?.value ?? '', at: Date.now() }
  session.canStore = drafts.keep(parts.base ? { ...newDraft, base: Number(parts.base.value) } : newDraft)
}

function onChange(session: Session): void {
  clearTimeout(session.draftTimer)
  session.draftTimer = setTimeout(() => keepDraft(session), DRAFT_PAUSE_MS)
  if (!session.isSaving) say(session.parts, readState(session))
  session.refreshPreview()
}

function readState(session: Session): string {
  if (!isDirty(session)) return ''
  return session.canStore ? 'Not saved yet' : 'Not saved yet. This browser cannot keep a draft'
}

interface SaveOptions {
  /** Whether the editor stays open. */
  readonly stay: boolean
  /** Whether a new page is created. */
  readonly asNew?: boolean
}

async function save(session: Session, options: SaveOptions): Promise<void> {
  const { parts, uploads, view } = session
  const { page } = parts.form.dataset
  if (session.isSaving) {
    session.next = options
    return
  }
  keepDraft(session)
  if (uploads.isBusy() && (!options.stay || page === undefined)) {
    return say(parts, 'Files are being uploaded. Save when that is done, or cancel the uploads.')
  }
  const markedLine = lineOfMarker(readText(session), session.saved ?? '')
  if (markedLine !== undefined) return showMarker(parts, view, markedLine)
  session.isSaving = true
  say(parts, 'Saving…')
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
  { page, base, stay, asNew = false }: SaveOptions & { readonly page: string; readonly base: HTMLInputElement },
): Promise<void> {
  const { parts } = session
  const { form, note } = parts
  const sentText = readText(session)
  const result = await savePage(page, form.dataset.lineEnd === 'crlf' ? sentText.replaceAll('\n', '\r\n') : sentText, {
    base: asNew ? undefined : Number(base.value),
    note: note?.value ?? '',
  })
  if (result.kind === 'conflict') return submit(session)
  if (result.kind === 'gone') {
    const create = button('Save as a new page', 'button small', () => void save(session, { stay, asNew: true }))
    return say(parts, 'The page was deleted while you were editing. Your text is kept in this browser.', create)
  }
  if (result.kind === 'rejected') return say(parts, result.message, result.action)
  base.value = String(result.version)
  session.saved = sentText
  if (note) note.value = ''
  keepDraft(session)
  const isChanged = isDirty(session)
  if (!stay && !isChanged) leave(session, page)
  const rest = isChanged ? ' What you typed since is not saved yet.' : ''
  say(parts, `Saved as version ${result.version}.${rest}`)
}

/** Submits the form as without script: the service merges conflicts, and redirects it to where the page is now. */
async function submit(session: Session): Promise<void> {
  const { parts, uploads, view } = session
  const { form, area } = parts
  const trouble: Saved | undefined = await sessionState()
  if (trouble?.kind === 'rejected') return say(parts, trouble.message, trouble.action)
  if (form.dataset.page === undefined) uploads.settle(view)
  area.value = readText(session)
  const token = form.querySelector<HTMLInputElement>('input[name="csrf"]')
  if (token) token.value = csrfToken()
  session.isLeaving = true
  markSent(form.dataset.draft ?? '')
  form.submit()
}

/** An unfinished merge is not saved: shows where to choose. */
function showMarker(parts: Parts, view: EditorView, line: number): void {
  const { from } = view.state.doc.line(line)
  const go = button('Show it', 'button small', () => {
    view.dispatch({
      selection: { anchor: from },
      effects: EditorView.scrollIntoView(from, { y: 'center' }),
    })
    view.focus()
  })
  say(parts, `Not saved: line ${line} still has a conflict marker. Choose what to keep first.`, go)
}

/** Replaces the text area with the editor. Returns the function that updates the preview. */
function mount({ form, area }: Parts, view: EditorView, uploads: Uploads, live: LivePreview) {
  const pane = form.querySelector<HTMLElement>('.pane.preview')
  const panes = form.querySelector<HTMLElement>('.panes')
  if (!pane || !panes) throw new Error('The form has no panes')
  form.classList.add('has-editor')
  area.hidden = true
  area.parentElement?.append(element('div', { class: 'code-mirror' }, view.dom))
  pane.hidden = false
  panes.before(createToolbar({ view, panes, preview: pane, files: fileButtons(view, uploads.add), live }), uploads.list)
  dropBeside(view, form, uploads.add)
  for (const control of form.querySelectorAll<HTMLElement>('[data-without-script]')) control.hidden = true
  const { preview = '', space = '' } = form.dataset
  return createPreview(view, pane, () => {
    const place = form.dataset.page === undefined ? findPlace(form) : undefined
    return place ? previewUrl(space, place.path) : preview
  })
}

/**
 * The page that the form is about. That of a new one follows from its path or title; undefined while it has neither.
 */
function findPlace({ dataset, elements }: HTMLFormElement): PagePlace | undefined {
  const typedAs = (name: string) => {
    const field = elements.namedItem(name)
    return field instanceof HTMLInputElement ? field.value : ''
  }
  const typedPath = () => newPagePath({ path: typedAs('path'), parent: typedAs('parent'), title: typedAs('title') })
  const path = dataset.path ?? typedPath()
  return path === undefined ? undefined : { space: dataset.space ?? '', path }
}

/** Offers an unsaved draft. */
function offerDraft(parts: Parts, view: EditorView, drafts: Drafts, savedText: string | undefined): void {
  const draft = drafts.load()
  if (!draft || savedText === undefined || draft.text === savedText) return
  const { form, note, base } = parts
  const isOlder = draft.base !== undefined && base !== null && draft.base !== Number(base.value)
  const about = `You have an unsaved draft from ${new Date(draft.at).toLocaleString()}.`
  const offer = element('div', { class: 'notice info', role: 'region', 'aria-label': 'Unsaved draft' })
  const use = button('Resume draft', 'button', () => {
    if (base && draft.base !== undefined) base.value = String(draft.base)
    if (note) note.value = draft.note
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: draft.text } })
    offer.remove()
    view.focus()
  })
  const discard = button('Discard', 'button', () => {
    drafts.drop()
    offer.remove()
    view.focus()
  })
  offer.append(
    element('p', {}, isOlder ? `${about} The page was changed since: when you save, both are merged.` : about),
    element('div', { class: 'buttons' }, use, discard),
  )
  form.before(offer)
}

function say({ state }: Parts, message: string, action?: HTMLElement): void {
  state.textContent = message
  state.classList.toggle('trouble', action !== undefined || message.includes('is kept in this browser'))
  if (action) state.append(' ', action)
}

/** Lets the browser draw and answer input before the work that follows. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}
