import type { EditorView } from '@codemirror/view'
import { attachmentMarkdown, attachmentNames, linkText, markdownTarget } from '@recto/lib/attachment.ts'
import { byteSize } from '@recto/lib/text/byte-size.ts'
import { send } from '../parts/api.ts'
import { element } from '../parts/dom.ts'
import { toFailure, type Upload, type UploadedFile, uploadFile } from '../parts/upload.ts'
import { forgetPlace, insertFile, markPlace, newPlaceId, placeOfFiles } from './insert-places.ts'
import { rememberImageSize } from './live/widgets.ts'
import { UploadRow } from './upload-row.ts'

/** The page that the files belong to. */
export interface PagePlace {
  readonly space: string
  readonly path: string
}

interface Item {
  readonly id: number
  readonly file: File
  readonly row: UploadRow
  /** Whether it gets a separate line: several files were added together, or it was moved behind the front matter. */
  readonly isSeparate: boolean
  cancelled: boolean
  upload?: Upload
}

/** The relative targets in the text, while the path of a new page may still change. */
interface Inserted {
  readonly folder: string
  readonly target: string
  readonly url: string
}

export type Uploads = ReturnType<typeof createUploads>

/** Uploads files one after the other, so that they are inserted in order. */
export function createUploads(maxBytes: number, placeOf: () => PagePlace | undefined) {
  const list = element('ul', { class: 'uploads', 'aria-label': 'Uploads', hidden: '' })
  const status = element('p', { class: 'quiet', role: 'status' })
  const waiting: Item[] = []
  const insertedPlaces: Inserted[] = []
  let isRunning = false

  const enqueue = (view: EditorView, item: Item) => {
    item.cancelled = false
    item.row.waits(() => {
      item.cancelled = true
      item.upload?.cancel()
      item.row.remove()
      status.textContent = `The upload of ${item.file.name} was cancelled.`
    })
    waiting.push(item)
    if (!isRunning) void run(view)
  }
  const run = async (view: EditorView) => {
    isRunning = true
    for (let item = waiting.shift(); item; item = waiting.shift()) await work(view, item)
    isRunning = false
  }
  const work = async (view: EditorView, item: Item) => {
    const done = item.cancelled ? undefined : await store(item, placeOf())
    if (item.cancelled) return forgetPlace(view, item.id)
    if (done === undefined) return
    if ('message' in done) {
      const retry = done.canRetry ? () => enqueue(view, item) : undefined
      return item.row.fails(done.message, retry)
    }
    insertedPlaces.push(done)
    status.textContent = `${item.file.name} was uploaded.`
    insertFile(view, item.id, done.markdown, item.isSeparate)
    askAlt(view, item.row, done)
  }
  return {
    /** The list of uploads with their progress. */
    list: element('div', { class: 'upload-list' }, list, status),
    isBusy: () => isRunning,
    /** Uploads files, and inserts their Markdown at a place of the text. */
    add(view: EditorView, files: readonly File[], at: number) {
      status.textContent = files.length === 0 ? 'A folder cannot be uploaded: drop the files in it.' : ''
      for (const [index, file] of files.entries()) {
        const id = newPlaceId()
        const row = new UploadRow(list, file, () => view.focus())
        if (file.size > maxBytes) {
          const message = `It is too large: a file may have at most ${byteSize(maxBytes)}.`
          row.fails(message, undefined)
          continue
        }
        const place = placeOfFiles(view.state, at)
        markPlace(view, { id, at: place })
        enqueue(view, { id, file, row, isSeparate: index > 0 || place !== at, cancelled: false })
      }
    },
    /** Makes targets absolute that the page could not resolve from its new path. */
    settle(view: EditorView) {
      const place = placeOf()
      if (!place) return
      for (const { folder, target, url } of insertedPlaces) {
        if (folder !== parentFolder(place.path)) replaceTarget(view, target, markdownTarget(new URL(url).pathname))
      }
    },
  }
}

/** Asks for the text of an image, a sound or a video that the page shows; the row of another file is done. */
function askAlt(view: EditorView, row: UploadRow, { contentType, markdown, target }: Stored): void {
  const kind = /^(image|audio|video)\//.exec(contentType)?.[1]
  if (!kind || !markdown.startsWith('!')) row.remove()
  else row.asksAlt(kind === 'audio' ? 'sound' : kind, (text) => setAlt(view, target, text))
}

type Stored = Inserted & { readonly markdown: string; readonly contentType: string }

/** Uploads with the first unused name next to the page. */
async function store(
  item: Item,
  place: PagePlace | undefined,
): Promise<Stored | { readonly message: string; readonly canRetry: boolean }> {
  if (!place) return { message: 'Enter a title first: files are stored beside the page.', canRetry: true }
  const folder = parentFolder(place.path)
  const names = attachmentNames(place.path, item.file)
  const takenResult = await takenNames(place.space, folder, names.stem)
  if (!(takenResult instanceof Set)) return takenResult
  for (;;) {
    const name = names.pick((each) => takenResult.has(each))
    item.upload = uploadFile({ space: place.space, path: folder + name }, item.file, (share) =>
      item.row.progress(share),
    )
    if (item.cancelled) item.upload.cancel()
    const result = await item.upload.result
    if (result.kind === 'stored') return storedAt(folder, result.file, item.file.name)
    if (result.kind === 'failed') return result
    if (result.kind === 'cancelled') return { message: 'Cancelled.', canRetry: true }
    takenResult.add(name)
  }
}

function storedAt(folder: string, file: UploadedFile, name: string): Stored {
  const { path, url, contentType, width, height } = file
  rememberImageSize(new URL(url).pathname, width ?? 0, height ?? 0)
  const target = `./${markdownTarget(path.slice(folder.length))}`
  return { folder, target, url, contentType, markdown: attachmentMarkdown({ contentType, name, target }) }
}

/** The names in a folder with a prefix, or the error. */
async function takenNames(space: string, folder: string, stem: string) {
  const names = new Set<string>()
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = new URLSearchParams({ prefix: folder + stem, limit: '200', ...(cursor && { cursor }) })
    try {
      const response = await send('GET', `/spaces/${space}/files?${query}`)
      if (!response.ok) return toFailure(response.status, await response.text())
      const page: { items: { path: string }[]; nextCursor: string | null } = await response.json()
      for (const { path } of page.items) names.add(path.slice(folder.length))
      cursor = page.nextCursor
    } catch {
      return { message: 'The service cannot be reached.', canRetry: true }
    }
  }
  return names
}

/** The folder of a path with its slash; empty at the top. */
function parentFolder(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}

function setAlt(view: EditorView, target: string, text: string): void {
  const source = view.state.doc.toString()
  const to = source.indexOf(`](${target})`)
  const from = source.lastIndexOf('![', to) + 2
  if (to === -1 || from < 2) return
  view.dispatch({ changes: { from, to, insert: linkText(text) }, userEvent: 'input' })
}

function replaceTarget(view: EditorView, before: string, after: string): void {
  const source = view.state.doc.toString()
  const changes = []
  for (let at = source.indexOf(`](${before})`); at !== -1; at = source.indexOf(`](${before})`, at + 1)) {
    changes.push({ from: at + 2, to: at + 2 + before.length, insert: after })
  }
  view.dispatch({ changes })
}
