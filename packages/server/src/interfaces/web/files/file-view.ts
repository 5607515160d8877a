import { fileUrl, pageUrl } from '@recto/contract/page-url.ts'
import { attachmentMarkdown, urlTarget } from '@recto/lib/attachment.ts'
import type { File } from '../../../content/files/file.ts'
import type { FileVersion } from '../../../content/files/list.ts'
import { isInline } from '../../../content/files/upload/content-type.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import type { List } from '../../../platform/http/paging.ts'
import type { ThreadsView } from '../comments/read-threads.ts'
import { threadsSection } from '../comments/threads-view.ts'
import { buttonForm, errorNotice, hidden, textField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { formatBytes, type Html, html, t } from '../html.ts'
import { actorName, moment, pager, rows } from '../rows.ts'
import type { Screen, Shown } from '../screen.ts'
import { sectionsWithList } from '../sections.ts'
import { spaceFrame } from '../space-screen.ts'
import {
  commentsUrl,
  deleteFileUrl,
  fileScreenUrl,
  filesUrl,
  renameFileUrl,
  replaceFileUrl,
  withQuery,
} from '../urls.ts'
import { formatFacts, lastSegment } from './thumbnail.ts'
import { fileInput } from './upload-view.ts'

export interface FileView extends Shown {
  readonly space: Space
  readonly file: File
  readonly versions: List<FileVersion>
  readonly maxFileBytes: number
  readonly threads: ThreadsView
}

/** A file with its versions and actions. */
export function fileScreen(view: FileView): Screen {
  const { space, file, failed } = view
  const { path } = file
  const url = fileUrl(space.slug, path)
  const name = lastSegment(path)
  return spaceFrame(space, 'Files', {
    crumbs: [
      { text: t('Files'), href: filesUrl(space.slug) },
      { text: name, href: fileScreenUrl(space.slug, path) },
    ],
    heading: name,
    main: html`${errorNotice(failed)}
${preview(file, url)}
<p class="buttons">${isInline(file.contentType) && html`<a class="button" href="${url}">${t('Open')}</a> `}<a
  class="button" href="${withQuery(url, { download: 'true' })}">${t('Download')}</a></p>
<dl class="facts">
<dt>${t('Path')}</dt><dd>${path}</dd>
<dt>${t('Kind')}</dt><dd>${formatFacts(file, formatBytes(file.size))}</dd>
<dt>${t('Created')}</dt><dd>
${t('{when} by {name}', { when: moment(file.createdAt), name: actorName(file.createdBy) })}</dd>
<dt>${t('Version')}</dt><dd>
${t('{version}, {when} by {name}', {
  version: file.version,
  when: moment(file.updatedAt),
  name: actorName(file.updatedBy),
})}</dd>
<dt>${t('In a page')}</dt><dd class="copy" data-copy><code dir="ltr">${attachmentMarkdown({
      contentType: file.contentType,
      name,
      target: urlTarget(url),
    })}</code> <button type="button" class="button small" data-copy-button hidden>${t('Copy')}</button></dd>
</dl>
${sectionsWithList(html`${usedBy(file)}
<section aria-labelledby="comments"><h2 id="comments">${t('Comments')}</h2>
${threadsSection(view.threads, {
  action: commentsUrl(space.slug, path),
  label: t('Comment on the file'),
  fields: { resource: 'file' },
})}</section>
${space.role !== 'viewer' && changes(view)}
${versionList(view, url)}`)}`,
  })
}

/** The pages that show the file or link to it, as far as the reader may see them. */
function usedBy({ usedBy }: File): Html {
  const pages = usedBy.map(
    ({ space, path, title }) =>
      html`<li><a href="${pageUrl(space, path)}">${title}</a> <span class="quiet">${space}/${path}</span></li>`,
  )
  return html`<section aria-labelledby="used-by"><h2 id="used-by">${t('Used by')}</h2>
${pages.length === 0 ? html`<p class="quiet">${t('No page uses it.')}</p>` : html`<ul>${pages}</ul>`}</section>`
}

/** The file itself, if a browser can show it in place. */
function preview({ contentType, path, width, height }: File, url: string): Html | undefined {
  const kind = contentType.split('/')[0] ?? ''
  const size = width !== null && height !== null && html` width="${width}" height="${height}"`
  if (kind === 'image') return html`<p class="file-preview"><img src="${url}" alt="${lastSegment(path)}"${size}></p>`
  if (kind === 'video')
    return html`<video class="file-preview" controls preload="metadata" src="${url}"
      aria-label="${lastSegment(path)}"></video>`
  if (kind === 'audio')
    return html`<audio class="file-preview" controls preload="metadata" src="${url}"
      aria-label="${lastSegment(path)}"></audio>`
  if (contentType === 'application/pdf')
    return html`<iframe class="file-preview" src="${url}" title="${lastSegment(path)}" loading="lazy"></iframe>`
  return undefined
}

function changes({ space, file, failed, maxFileBytes }: FileView): Html {
  const { path, version } = file
  const versionField = hidden('version', String(version))
  return html`<section aria-labelledby="rename"><h2 id="rename">${t('Rename or move')}</h2>
<form class="form" method="post" action="${renameFileUrl(space.slug, path)}">
${CSRF_FIELD}${versionField}
${textField('path', t('Path'), {
  value: path,
  required: true,
  maxLength: 1024,
  failed: failed?.fields.path === undefined ? undefined : failed,
  help: t('The old URL redirects, and pages that show the file go on showing it.'),
})}
<div class="buttons"><button class="button" type="submit">${t('Rename')}</button></div>
</form></section>
<section aria-labelledby="replace"><h2 id="replace">${t('Replace')}</h2>
<form class="form" method="post" enctype="multipart/form-data" action="${replaceFileUrl(space.slug, path)}">
${CSRF_FIELD}${versionField}
${fileInput({ label: t('New version'), maxFileBytes })}
<div class="buttons"><button class="button" type="submit">${t('Replace')}</button></div>
</form></section>
<section aria-labelledby="delete"><h2 id="delete">${t('Delete')}</h2>
<p>${t('The file goes to the trash. Pages show it as missing until it is restored.')}</p>
${buttonForm(deleteFileUrl(space.slug, path), t('Move to trash'), {
  fields: { version: String(version) },
  look: 'danger',
})}</section>
`
}

function versionList({ space, file, versions, cursor }: FileView, url: string): Html {
  const list = versions.items.map((each) => ({
    title: html`<a href="${withQuery(url, { version: each.version })}">${t('Version {version}', {
      version: each.version,
    })}</a>${each.isLatest && html` ${t('(latest)')}`}`,
    about: t('{facts}, {when} by {name}', {
      facts: formatFacts(each, formatBytes(each.size)),
      when: moment(each.createdAt),
      name: actorName(each.createdBy),
    }),
  }))
  return html`<section aria-labelledby="versions"><h2 id="versions">${t('Versions')}</h2>
${rows(t('Versions'), list, '')}
${pager(fileScreenUrl(space.slug, file.path), {}, { cursor, nextCursor: versions.nextCursor })}</section>`
}
