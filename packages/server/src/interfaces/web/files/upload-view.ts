import { pageUrl } from '@recto/contract/page-url.ts'
import { attachmentMarkdown, markdownTarget } from '@recto/lib/attachment.ts'
import type { File } from '../../../content/files/file.ts'
import { MAX_FORM_FILES } from '../../../content/files/upload/multipart.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import { errorNotice, hidden, textField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { formatBytes, type Html, html, sentence, t, trusted } from '../html.ts'
import type { FailedForm, Screen } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
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
    title: `${t('Upload files')} · ${space.name}`,
    crumbs: [
      { text: t('Files'), href: filesUrl(space.slug) },
      { text: t('Upload'), href: url },
    ],
    ...(page !== undefined && { path: page }),
    heading: path === undefined ? t('Upload files') : t('Upload the missing file'),
    main: html`${errorNotice(failed)}
${stored.length > 0 && storedList(stored, page ?? '')}
<form class="form" method="post" enctype="multipart/form-data" action="${url}">
${CSRF_FIELD}
${page !== undefined && hidden('page', page)}
${
  path === undefined
    ? place(view)
    : html`${hidden('path', path)}<p>${t('It is stored as {path}.', { path: html`<code>${path}</code>` })}</p>`
}
${fileInput({ label: path === undefined ? t('Files') : t('File'), isMany: path === undefined, maxFileBytes })}
<div class="buttons"><button class="button primary" type="submit">${t('Upload')}</button>
<a class="button plain" href="${
      page === undefined ? filesUrl(space.slug) : pageUrl(space.slug, page)
    }">${stored.length > 0 ? t('Back to the page') : t('Cancel')}</a></div>
</form>`,
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
<p class="help" id="file-help">
${
  isMany && html`${t('At most {count} files at once.', { count: MAX_FORM_FILES })} `
}${t('A file may have at most {size}.', { size: formatBytes(maxFileBytes) })}</p>
</div>`
}

function place({ page, failed }: UploadView): Html {
  if (page !== undefined)
    return html`<p>${t('They are stored beside the page {page}.', { page: html`<code>${page}</code>` })}</p>`
  return textField('folder', t('Folder'), {
    maxLength: 1024,
    failed,
    help: t('For example `guide/images`. Leave it empty for the top of the space.'),
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
  return html`<div class="notice success" role="status"><p>
${sentence(
  t(
    'Uploaded. Write this into the page where each is to appear, with a description of each image between `[` and `]`:',
  ),
)}</p>
<pre class="source" tabindex="0">${lines}</pre></div>`
}
