import { attachmentMarkdown, attachmentNames, markdownTarget } from '@recto/lib/attachment.ts'
import { byteSize } from '@recto/lib/text/byte-size.ts'
import { send } from '../parts/api.ts'
import { element } from '../parts/dom.ts'
import { locale, msg, t } from '../parts/t.ts'
import { toFailure, type Upload, type UploadedFile, uploadFile } from '../parts/upload.ts'
import { rememberImageSize } from './image-sizes.ts'
import type { FilePlace, Point, Surface } from './surface.ts'
import { UploadRow } from './upload-row.ts'

/** The page that the files belong to. */
export interface PagePlace {
  readonly space: string
  readonly path: string
}

interface Item {
  readonly file: File
  readonly row: UploadRow
  /** Where the file will be, in the surface that was open then. */
  readonly surface: Surface
  readonly place: FilePlace
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
export function createUploads(maxBytes: number, placeOf: () => PagePlace | undefined, surface: () => Surface) {
  const list = element('ul', { class: 'uploads', 'aria-label': t('Uploads'), hidden: '' })
  const status = element('p', { class: 'quiet', role: 'status' })
  const waiting: Item[] = []
  const insertedPlaces: Inserted[] = []
  let isRunning = false

  const enqueue = (item: Item) => {
    item.cancelled = false
    item.row.waits(() => {
      item.cancelled = true
      item.upload?.cancel()
      item.row.remove()
      status.textContent = t('The upload of {name} was cancelled.', { name: item.file.name })
    })
    waiting.push(item)
    if (!isRunning) void run()
  }
  const run = async () => {
    isRunning = true
    for (let item = waiting.shift(); item; item = waiting.shift()) await work(item)
    isRunning = false
  }
  const work = async (item: Item) => {
    const done = item.cancelled ? undefined : await store(item, placeOf())
    if (item.cancelled) return item.place.forget()
    if (done === undefined) return
    if ('message' in done) {
      const retry = done.canRetry ? () => enqueue(item) : undefined
      return item.row.fails(done.message, retry)
    }
    insertedPlaces.push(done)
    status.textContent = t('{name} was uploaded.', { name: item.file.name })
    // Retried in the other mode of the editor: at the caret.
    const place = item.surface === surface() ? item.place : surface().reserve(undefined, true)
    place.insert(done.markdown)
    askAlt(surface, item.row, done)
  }
  return {
    /** The list of uploads with their progress. */
    list: element('div', { class: 'upload-list' }, list, status),
    isBusy: () => isRunning,
    /** Uploads files, and inserts their Markdown at a point of the text, or at the caret. */
    add(files: readonly File[], point?: Point) {
      status.textContent = files.length === 0 ? t('A folder cannot be uploaded: drop the files in it.') : ''
      for (const [index, file] of files.entries()) {
        const row = new UploadRow(list, file, () => surface().focus())
        if (file.size > maxBytes) {
          const size = byteSize(maxBytes, locale())
          const message = t('It is too large: a file may have at most {size}.', { size })
          row.fails(message, undefined)
          continue
        }
        const place = surface().reserve(point, index > 0)
        enqueue({ file, row, surface: surface(), place, cancelled: false })
      }
    },
    /** Makes targets absolute that the page could not resolve from its new path. */
    settle() {
      const place = placeOf()
      if (!place) return
      for (const { folder, target, url } of insertedPlaces) {
        if (folder !== parentFolder(place.path)) surface().retarget(target, markdownTarget(new URL(url).pathname))
      }
    },
  }
}

const QUESTIONS: Readonly<Record<string, string>> = {
  image: msg('Describe the image for people who cannot see it'),
  audio: msg('Describe the sound for people who cannot see it'),
  video: msg('Describe the video for people who cannot see it'),
}

/** Asks for the text of an image, a sound or a video that the page shows; the row of another file is done. */
function askAlt(surface: () => Surface, row: UploadRow, { contentType, markdown, target }: Stored): void {
  const question = QUESTIONS[contentType.split('/')[0] ?? '']
  if (question === undefined || !markdown.startsWith('!')) row.remove()
  else row.asksAlt(t(question), (text) => surface().describe(target, text))
}

type Stored = Inserted & { readonly markdown: string; readonly contentType: string }

/** Uploads with the first unused name next to the page. */
async function store(
  item: Item,
  place: PagePlace | undefined,
): Promise<Stored | { readonly message: string; readonly canRetry: boolean }> {
  if (!place) return { message: t('Enter a title first: files are stored beside the page.'), canRetry: true }
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
    if (result.kind === 'cancelled') return { message: t('Cancelled.'), canRetry: true }
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
      return { message: t('The service cannot be reached.'), canRetry: true }
    }
  }
  return names
}

/** The folder of a path with its slash; empty at the top. */
function parentFolder(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}
