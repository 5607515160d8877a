import { EditorView } from '@codemirror/view'
import { lineOfMarker } from '../../lib/merge.ts'
import { newPagePath } from '../../lib/new-page-path.ts'
import { button, element } from './editor/dom.ts'
import { type Drafts, draftsOf, sweepDrafts } from './editor/drafts.ts'
import { dropBeside, fileButtons, pasteAndDrop } from './editor/file-input.ts'
import { insertPlaces } from './editor/insert-places.ts'
import { createPreview } from './editor/preview.ts'
import { type Saved, savePage, sessionState } from './editor/saving.ts'
import { createToolbar } from './editor/toolbar.ts'
import { createUploads, type PagePlace, type Uploads } from './editor/uploads.ts'
import { createEditor } from './editor/view.ts'
import { csrfToken } from './parts/api.ts'
import { dropSent, markSent } from './parts/sent.ts'

const DRAFT_PAUSE_MS = 400

/** The elements of the form, which works without script as well. */
interface Parts {
  readonly form: HTMLFormElement
  readonly area: HTMLTextAreaElement
  readonly note: HTMLInputElement | null
  readonly base: HTMLInputElement | null
  readonly state: HTMLElement
}

const form = document.querySelector<HTMLFormElement>('form.editor')
const area = form?.querySelector<HTMLTextAreaElement>('textarea[name="body"]')
const state = form?.querySelector<HTMLElement>('.state')
if (form && area && state) {
  const input = (name: string) => form.querySelector<HTMLInputElement>(`input[name="${name}"]`)
  start({ form, area, state, note: input('note'), base: input('base') })
}

function start(parts: Parts): void {
  const { form, area, note, base } = parts
  const { page, space = '', draft = '' } = form.dataset
  const drafts = draftsOf(draft)
  const uploads = createUploads(Number(form.dataset.maxFileBytes), () => placeOf(form))
  dropSent(draft)
  // The result of a merge is not saved yet.
  let saved: string | undefined = 'merge' in form.dataset ? undefined : area.value
  let draftTimer: ReturnType<typeof setTimeout> | undefined
  let leaving = false
  let isSaving = false
  let canStore = true

  const text = () => view.state.doc.toString()
  const isDirty = () => text() !== saved
  const keep = () => {
    clearTimeout(draftTimer)
    if (!isDirty()) return drafts.drop()
    const made = { text: text(), note: note?.value ?? '', at: Date.now() }
    canStore = drafts.keep(base ? { ...made, base: Number(base.value) } : made)
  }
  const save = async (stay: boolean, asNew = false) => {
    if (isSaving) return
    keep()
    if (uploads.isBusy() && (!stay || page === undefined)) {
      return say(parts, 'Files are being uploaded. Save when that is done, or cancel the uploads.')
    }
    const marked = lineOfMarker(text(), saved ?? '')
    if (marked !== undefined) return showMarker(parts, view, marked)
    isSaving = true
    say(parts, 'Saving…')
    try {
      if (page === undefined || !base) return await submit()
      const sent = text()
      const ends = form.dataset.lineEnd === 'crlf' ? sent.replaceAll('\n', '\r\n') : sent
      const result = await savePage(page, ends, {
        base: asNew ? undefined : Number(base.value),
        note: note?.value ?? '',
      })
      if (result.kind === 'conflict') return await submit()
      if (result.kind === 'gone') {
        const create = button('Save as a new page', () => void save(stay, true), 'button small')
        return say(
          parts,
          'The page was deleted or moved while you were editing. Your text is kept in this browser.',
          create,
        )
      }
      if (result.kind === 'refused') return say(parts, result.message, result.action)
      base.value = String(result.version)
      saved = sent
      if (note) note.value = ''
      keep()
      if (!stay && !isDirty()) {
        leaving = true
        location.assign(page)
      }
      say(parts, `Saved as version ${result.version}.`)
    } finally {
      isSaving = false
    }
  }
  /** Submits the form as without script: the service merges conflicts. */
  const submit = async () => {
    const trouble: Saved | undefined = await sessionState()
    if (trouble?.kind === 'refused') return say(parts, trouble.message, trouble.action)
    if (page === undefined) uploads.settle(view)
    area.value = text()
    const token = form.querySelector<HTMLInputElement>('input[name="csrf"]')
    if (token) token.value = csrfToken()
    leaving = true
    markSent(draft)
    form.submit()
  }

  const onChange = () => {
    clearTimeout(draftTimer)
    draftTimer = setTimeout(keep, DRAFT_PAUSE_MS)
    if (!isSaving)
      say(
        parts,
        isDirty() ? (canStore ? 'Not saved yet' : 'Not saved yet. This browser cannot keep a draft') : '',
      )
    preview.refresh()
  }
  const view = createEditor({
    text: area.value,
    space,
    nonce: document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '',
    files: [insertPlaces, pasteAndDrop(uploads.add)],
    onChange,
    onSave: () => void save(true),
  })
  const preview = mount(parts, view, uploads)
  preview.refresh()
  sweepDrafts(Date.now())
  offerDraft(parts, view, drafts, saved)

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (form.reportValidity()) void save(false)
  })
  note?.addEventListener('input', onChange)
  document.addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === 's') {
      event.preventDefault()
      if (!view.hasFocus) void save(true)
    }
  })
  addEventListener('pagehide', keep)
  addEventListener('beforeunload', (event) => {
    keep()
    if ((isDirty() || uploads.isBusy()) && !leaving) event.preventDefault()
  })
}

/** An unfinished merge is not saved: shows where to choose. */
function showMarker(parts: Parts, view: EditorView, line: number): void {
  const { from } = view.state.doc.line(line)
  const go = button(
    'Show it',
    () => {
      view.dispatch({
        selection: { anchor: from },
        effects: EditorView.scrollIntoView(from, { y: 'center' }),
      })
      view.focus()
    },
    'button small',
  )
  say(parts, `Not saved: line ${line} still has a conflict marker. Choose what to keep first.`, go)
}

/** Replaces the text area with the editor. */
function mount({ form, area }: Parts, view: EditorView, uploads: Uploads) {
  const pane = form.querySelector<HTMLElement>('.pane.preview')
  const panes = form.querySelector<HTMLElement>('.panes')
  if (!pane || !panes) throw new Error('The form has no panes')
  form.classList.add('has-editor')
  area.hidden = true
  area.parentElement?.append(element('div', { class: 'code-mirror' }, view.dom))
  pane.hidden = false
  panes.before(createToolbar(view, panes, pane, fileButtons(view, uploads.add)), uploads.list)
  dropBeside(view, form, uploads.add)
  for (const control of form.querySelectorAll<HTMLElement>('[data-without-script]')) control.hidden = true
  if (!form.querySelector('[autofocus]')) view.focus()
  const { preview = '', space = '' } = form.dataset
  return createPreview(view, pane, () => {
    const place = form.dataset.page === undefined ? placeOf(form) : undefined
    return place ? `/preview/${space}/${place.path.split('/').map(encodeURIComponent).join('/')}` : preview
  })
}

/** The page that the form is about. That of a new one follows from its path or title; undefined while it has neither. */
function placeOf({ dataset, elements }: HTMLFormElement): PagePlace | undefined {
  const typedAs = (name: string) => {
    const field = elements.namedItem(name)
    return field instanceof HTMLInputElement ? field.value : ''
  }
  const typed = () =>
    newPagePath({ path: typedAs('path'), parent: typedAs('parent'), title: typedAs('title') })
  const path = dataset.path ?? typed()
  return path === undefined ? undefined : { space: dataset.space ?? '', path }
}

/** Offers an unsaved draft. */
function offerDraft(parts: Parts, view: EditorView, drafts: Drafts, saved: string | undefined): void {
  const draft = drafts.load()
  if (!draft || saved === undefined || draft.text === saved) return
  const { form, note, base } = parts
  const isOlder = draft.base !== undefined && base !== null && draft.base !== Number(base.value)
  const about = `You have an unsaved draft from ${new Date(draft.at).toLocaleString()}.`
  const offer = element('div', { class: 'notice info', role: 'region', 'aria-label': 'Unsaved draft' })
  const use = button('Resume draft', () => {
    if (base && draft.base !== undefined) base.value = String(draft.base)
    if (note) note.value = draft.note
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: draft.text } })
    offer.remove()
    view.focus()
  })
  const discard = button('Discard', () => {
    drafts.drop()
    offer.remove()
    view.focus()
  })
  offer.append(
    element(
      'p',
      {},
      isOlder ? `${about} The page was changed since: when you save, both are merged.` : about,
    ),
    element('div', { class: 'buttons' }, use, discard),
  )
  form.before(offer)
}

function say({ state }: Parts, message: string, action?: HTMLElement): void {
  state.textContent = message
  state.classList.toggle('trouble', action !== undefined || message.includes('is kept in this browser'))
  if (action) state.append(' ', action)
}
