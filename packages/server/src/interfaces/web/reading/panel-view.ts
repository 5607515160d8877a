import type { PageAddress } from '@recto/contract/page-address.ts'
import { pageUrl } from '@recto/contract/page-url.ts'
import type { PageLinksAnswer } from '../../../content/links/schema.ts'
import type { MetadataEntry } from '../../../content/metadata/metadata.ts'
import { lastSegment } from '../files/thumbnail.ts'
import { type Html, html, t } from '../html.ts'
import { fileScreenUrl, filesUrl, graphUrl, metadataUrl, uploadUrl } from '../urls.ts'

const MAX_ENTRIES = 12
const MAX_VALUE = 120
const MAX_FILES = 12

interface PanelPage {
  readonly space: string
  readonly path: string
  readonly editable: boolean
  /** The files that it embeds or links to. */
  readonly files: readonly PageAddress[]
}

/** The metadata of a page, the pages that link to it, and its files, as a fragment. */
export function panelView(
  page: PanelPage,
  entries: readonly MetadataEntry[],
  { backlinks, nextCursor }: Pick<PageLinksAnswer, 'backlinks' | 'nextCursor'>,
): Html {
  const { space, path } = page
  return html`<h2><a href="${metadataUrl(space, path)}">${t('Properties')}</a></h2>
${
  entries.length === 0
    ? html`<p class="quiet">${t('None yet.')}</p>`
    : html`<dl class="facts">${entries.slice(0, MAX_ENTRIES).map(fact)}</dl>`
}
${
  entries.length > MAX_ENTRIES &&
  html`<p><a href="${metadataUrl(space, path)}">${t('All {count, number} keys', { count: entries.length })}</a></p>`
}
<h2><a href="${graphUrl(space, path)}">${t('Linked from')}</a></h2>
${
  backlinks.length === 0
    ? html`<p class="quiet">${t('No page links here.')}</p>`
    : html`<ul>${backlinks.map(
        (link) => html`<li><a href="${pageUrl(link.space, link.path)}">${link.title}</a></li>`,
      )}</ul>`
}
${nextCursor !== null && html`<p><a href="${graphUrl(space, path)}">${t('More')}</a></p>`}
${(page.files.length > 0 || page.editable) && renderFiles(page)}`
}

function renderFiles({ space, path, editable, files }: PanelPage): Html {
  const visibleFiles = files.slice(0, MAX_FILES)
  return html`<h2><a href="${filesUrl(space)}">${t('Files')}</a></h2>
${
  visibleFiles.length > 0 &&
  html`<ul>${visibleFiles.map(
    (file) => html`<li><a href="${fileScreenUrl(file.space, file.path)}">${lastSegment(file.path)}</a></li>`,
  )}</ul>`
}
${
  files.length > MAX_FILES &&
  html`<p class="quiet">${t('and {count, number} more', { count: files.length - MAX_FILES })}</p>`
}
${editable && html`<p><a href="${uploadUrl(space, { page: path })}">${t('Upload files')}</a></p>`}`
}

function fact({ key, value }: MetadataEntry): Html {
  return html`<dt>${key}</dt><dd>${shown(value)}</dd>`
}

/** Texts unchanged, lists of scalars with commas, other values as JSON; long ones are truncated. */
function shown(value: unknown): string {
  const text =
    Array.isArray(value) && value.every(isSimple)
      ? value.join(', ')
      : isSimple(value)
        ? String(value)
        : JSON.stringify(value)
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text
}

function isSimple(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}
