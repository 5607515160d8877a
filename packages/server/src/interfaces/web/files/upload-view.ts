import { pageUrl } from '@recto/contract/page-url.ts'
import { attachmentMarkdown, markdownTarget } from '@recto/lib/attachment.ts'
import type { File } from '../../../content/files/file.ts'
import { MAX_FORM_FILES } from '../../../content/files/upload/multipart.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import { errorNotice, hidden, textField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, trusted } from '../html.ts'
import type { FailedForm, Screen } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { formatBytes } from '../t.ts'
import { filesUrl, uploadUrl } from '../urls.ts'
import { lastSegment } from './thumbnail.ts'

export interface UploadView {
  readonly space: Space
  /** The page of the files: they get paths next to it. */
  readonly page?: string | undefined
  /** The path of the missing file. */
  readonly path?: string | undefined
  /** The files that were just uploaded for the page. */
  readonly stored: readonly File[]
  readonly maxFileBytes: number
  readonly failed?: FailedForm | undefined
}

/** The form that uploads files; it works without script. */
export function uploadScreen(view: UploadView): Screen {
  const { space, page, path, failed, stored, maxFileBytes } = view
  const url = uploadUrl(space.slug, { page, path })
  return spaceFrame(space, 'Files', {
    title: `Upload files · ${space.name}`,
    crumbs: [
      { text: 'Files', href: filesUrl(space.slug) },
      { text: 'Upload', href: url },
    ],
    ...(page !== undefined && { path: page }),
    main: html`<div class="screen narrow">
<h1>${path === undefined ? 'Upload files' : 'Upload the missing file'}</h1>
${errorNotice(failed)}
${stored.length > 0 && storedList(stored, page ?? '')}
<form class="form" method="post" enctype="multipart/form-data" action="${url}">
${CSRF_FIELD}
${page !== undefined && hidden('page', page)}
${path === undefined ? place(view) : html`${hidden('path', path)}<p>It is stored as <code>${path}</code>.</p>`}
${fileInput({ label: path === undefined ? 'Files' : 'File', isMany: path === undefined, maxFileBytes })}
<div class="buttons"><button class="button primary" type="submit">Upload</button>
<a class="button plain" href="${page === undefined ? filesUrl(space.slug) : pageUrl(space.slug, page)}">${stored.length > 0 ? 'Back to the page' : 'Cancel'}</a></div>
</form>
</div>`,
  })
}

/** A control that chooses files. */
export function fileInput(control: {
  readonly label: string
  readonly isMany?: boolean
  readonly maxFileBytes: number
}): Html {
  const { label, isMany = false, maxFileBytes } = control
  return html`<div class="field">
<label for="file">${label}</label>
<input type="file" id="file" name="file" required${isMany && trusted(' multiple')} aria-describedby="file-help">
<p class="help" id="file-help">${isMany && `At most ${MAX_FORM_FILES} files at once. `}A file may have at most ${formatBytes(maxFileBytes)}.</p>
</div>`
}

function place({ page, failed }: UploadView): Html {
  if (page !== undefined) return html`<p>They are stored beside the page <code>${page}</code>.</p>`
  return textField({
    name: 'folder',
    label: 'Folder',
    maxLength: 1024,
    failed,
    help: 'For example `guide/images`. Leave it empty for the top of the space.',
  })
}

/** The Markdown for each file. */
function storedList(storedFiles: readonly File[], page: string): Html {
  const folder = page.slice(0, page.lastIndexOf('/') + 1)
  const lines = storedFiles.map(({ contentType, path }) => {
    const name = lastSegment(path)
    const target = `./${markdownTarget(path.slice(folder.length))}`
    return `${attachmentMarkdown({ contentType, name, target })}\n`
  })
  return html`<div class="notice success" role="status"><p>Uploaded. Write this into the page where each is to appear, with a description of each image between <code>[</code> and <code>]</code>:</p>
<pre class="source" tabindex="0">${lines}</pre></div>`
}
