/** Adds folders, dropping and progress to the form that imports an archive. */

import { isJobUrl } from '../urls.ts'
import { csrfToken } from './parts/api.ts'
import { button, element, filled } from './parts/dom.ts'
import { buildZip, type DroppedFile, filesOfDrop, filesOfFolder } from './parts/folder-zip.ts'
import { followProgress } from './parts/follow-progress.ts'
import { formatNodes, t } from './parts/t.ts'

const form = document.querySelector<HTMLFormElement>('form.import')
const archive = form?.querySelector<HTMLInputElement>('input[name="file"]')
const result = document.querySelector<HTMLElement>('#import-result')
if (form && archive && result) start(form, archive, result)

function start(form: HTMLFormElement, archive: HTMLInputElement, result: HTMLElement): void {
  const status = element('p', { class: 'help', role: 'status' })
  const bar = element('progress', { max: '1', hidden: '', 'aria-label': t('Progress of the import') })
  const use = async (files: readonly DroppedFile[]) => {
    if (files.length === 0) return
    const [only] = files
    const isArchive = files.length === 1 && /\.(?:zip|json)$/i.test(only?.name ?? '')
    status.textContent = t('Reading the files…')
    try {
      const file = isArchive && only ? only.file : await buildZip(files)
      const chosenTransfer = new DataTransfer()
      chosenTransfer.items.add(file)
      archive.files = chosenTransfer.files
      status.textContent = isArchive
        ? ''
        : t('{count, plural, one {# file was read.} other {# files were read.}}', { count: files.length })
      form.requestSubmit(form.querySelector<HTMLButtonElement>('button[value="preview"]'))
    } catch {
      status.textContent = t('The files cannot be read.')
    }
  }
  archive.parentElement?.append(folderButton(use), status, bar)
  document.addEventListener('dragover', (event) => event.preventDefault())
  document.addEventListener('drop', (event) => {
    event.preventDefault()
    if (event.dataTransfer) void filesOfDrop(event.dataTransfer).then(use)
  })
  archive.addEventListener('change', () => emphasise(form, 'preview'))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const action = event.submitter instanceof HTMLButtonElement ? event.submitter.value : 'preview'
    void submit(form, action, { bar, status, result })
  })
}

function folderButton(use: (files: readonly DroppedFile[]) => Promise<void>): HTMLElement {
  const input = element('input', { type: 'file', hidden: '', webkitdirectory: '' })
  input.addEventListener('change', () => void use(filesOfFolder(input.files ?? [])))
  const text = formatNodes<Node>('<choose>Choose a folder</choose> or drop a folder or an archive on this page', {
    choose: (name) => button(name.join(''), 'button', () => input.click()),
  })
  return filled(element('p', { class: 'buttons' }), [...text, input])
}

interface Shown {
  readonly bar: HTMLProgressElement
  readonly status: HTMLElement
  readonly result: HTMLElement
}

/** Sends the form, and shows the result of the document that answers. */
async function submit(form: HTMLFormElement, action: string, progress: Shown): Promise<void> {
  const buttons = [...form.querySelectorAll('button')]
  const data = new FormData(form)
  // Another tab may have signed in again. Set first: the token comes before the file.
  data.set('csrf', csrfToken())
  data.set('action', action)
  for (const button of buttons) button.disabled = true
  progress.bar.hidden = false
  try {
    // Not `form.action`, which is the buttons of that name.
    const answer = await send(form.getAttribute('action') ?? '', data, action, progress)
    const isJob = isJobUrl(new URL(answer.responseURL).pathname)
    // The progress of an import has an address of its own; a preview stays beside the form.
    if (isJob && action === 'import') return location.assign(answer.responseURL)
    const sentDocument = new DOMParser().parseFromString(answer.responseText, 'text/html')
    const previewDocument = isJob ? await awaitPreview(answer.responseURL, sentDocument, progress) : sentDocument
    const part = previewDocument?.querySelector('#import-result, .notice.error')
    if (!part) throw new Error('The answer is another screen.')
    // The service rendered it.
    if (part.id === progress.result.id) progress.result.innerHTML = part.innerHTML
    else progress.result.replaceChildren(part)
    const isError = progress.result.querySelector('.notice.error') !== null
    emphasise(form, action === 'preview' && !isError ? 'import' : 'preview')
    if (action === 'import') document.dispatchEvent(new Event('recto:pages'))
    progress.status.textContent = progress.result.querySelector('h2, .notice')?.textContent ?? ''
  } catch {
    progress.status.textContent = t('The import could not be sent. Check the connection and that you are signed in.')
  } finally {
    progress.bar.hidden = true
    for (const button of buttons) button.disabled = false
  }
}

/** Makes the button of the next step the primary one. */
function emphasise(form: HTMLFormElement, next: 'preview' | 'import'): void {
  for (const button of form.querySelectorAll<HTMLButtonElement>('button[name="action"]')) {
    button.classList.toggle('primary', button.value === next)
  }
}

/** The document of a job at its end; its progress is shown until then. */
async function awaitPreview(
  url: string,
  sentDocument: Document,
  { bar, result }: Shown,
): Promise<Document | undefined> {
  const running = sentDocument.querySelector<HTMLElement>('[data-running]')
  if (!running) return sentDocument
  bar.hidden = true
  result.replaceChildren(running)
  return await followProgress(url, running)
}

/** By XMLHttpRequest, since `fetch` does not report what was sent. */
function send(url: string, data: FormData, action: string, { bar, status }: Shown): Promise<XMLHttpRequest> {
  const request = new XMLHttpRequest()
  request.open('POST', url)
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    bar.value = total > 0 ? loaded / total : 0
    status.textContent = t('Uploading…')
  })
  request.upload.addEventListener('load', () => {
    bar.removeAttribute('value')
    status.textContent = action === 'import' ? t('Importing…') : t('Checking…')
  })
  return new Promise((resolve, reject) => {
    request.addEventListener('load', () => resolve(request))
    request.addEventListener('error', reject)
    request.addEventListener('abort', reject)
    request.send(data)
  })
}
