import { pageUrl } from '@recto/contract/page-url.ts'
import { assetPath } from '../assets/assets.ts'
import { hidden } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, type HtmlValue, html, t, trusted } from '../html.ts'
import { apiOwnUrl } from '../message.ts'
import type { Screen } from '../screen.ts'
import { type NamedSpace, pageCrumbs, pageTabs, previewTabs } from '../tabs.ts'
import { changeRequestUrl, editUrl, previewUrl, proposeUrl, uploadUrl, withQuery } from '../urls.ts'

/** Width and height of images in pixels, by URL. */
export type ImageSizes = Readonly<Record<string, readonly [width: number, height: number]>>

export interface EditView {
  readonly space: NamedSpace
  readonly path: string
  readonly title: string
  /** How the editor names its page, which may move; absent: its change request creates it. */
  readonly editedPage?: string | undefined
  /** The version that the text is based on. */
  readonly base: number
  readonly text: string
  readonly note: string
  /** Who writes. */
  readonly actorId: string
  /** When the writer has left another text unsaved. */
  readonly unsavedAt?: string | undefined
  readonly maxFileBytes: number
  readonly imageSizes: ImageSizes
  /** For the styles that the editor inserts. */
  readonly nonce: string
  /** Shown above the text, such as an edit conflict. */
  readonly notice?: HtmlValue
  /** Shown below the text. */
  readonly below?: HtmlValue
  /** The text as HTML, if a preview was requested without script. */
  readonly preview?: string | undefined
  /** The change request that the form proposes to; absent: it writes the page. */
  readonly proposal?: Proposal | undefined
  /** Whether the text is the result of a merge, which unsaved text must not replace. */
  readonly isMerge?: boolean
}

export interface Proposal {
  /** Absent: a new one, or one that the form names. */
  readonly number: number | undefined
  /** The state of the draft that the text is based on; absent: of the page. */
  readonly draft: string | undefined
  /** Whether the writer may also write the page. */
  readonly editable: boolean
  /** The fields of the form: the request, and the title of a new one. */
  readonly fields?: Html | undefined
}

export const MAX_NOTE = 500

/** The editor of a page. The form works without script; an island replaces it with an editor. */
export function editScreen(view: EditView): Screen {
  const { space, path, title, base, notice, below, proposal } = view
  const { slug } = space
  const action = proposal ? proposeUrl(slug, path, proposal.number) : editUrl(slug, path)
  return {
    title: `${t('Edit {title}', { title })} · ${space.name}`,
    crumbs: pageCrumbs(space, path, proposal?.number),
    tabs: editTabs(view),
    changeRequest: proposal?.number,
    space: space.slug,
    path,
    styleNonce: view.nonce,
    head: html`<meta name="style-nonce" content="${view.nonce}">
\n<meta name="maths-sheet" content="${assetPath('maths.css')}">\n`,
    sheets: ['editor.css'],
    islands: ['editor'],
    main: html`<div class="screen wide editing">
<h1 class="visually-hidden">${t('Edit {title}', { title })}</h1>
${notice}
<form class="editor" method="post" action="${action}"${
      !proposal && html` data-page="${pageUrl(slug, path)}"`
    } data-preview="${previewUrl(space.slug, path)}" data-space="${space.slug}" data-path="${path}"
      data-title="${title}" data-max-file-bytes="${view.maxFileBytes}" data-image-sizes="${JSON.stringify(
        view.imageSizes,
      )}"${proposal && html` data-proposal="${proposal.number ?? 'new'}"`} ${unsavedData(view, path)}${
        view.text.includes('\r\n') && !/(?<!\r)\n/.test(view.text) && trusted(' data-line-end=crlf')
      }${view.isMerge && trusted(' data-merge')}>
${CSRF_FIELD}
<input type="hidden" name="base" value="${base}">
<input type="hidden" name="opened" value="${slug}/${path}">
${view.editedPage !== undefined && hidden('page', view.editedPage)}
${proposal?.draft !== undefined && hidden('draft', proposal.draft)}${proposal?.fields}
${panes(view.text, view.preview)}
<div class="save-bar">
<label class="visually-hidden" for="note">${t('What changed')}</label>
<input class="input" dir="auto" id="note" name="note" value="${view.note}" maxlength="${MAX_NOTE}" autocomplete="off"
  placeholder="${t('What changed?')}">
<button class="button primary" type="submit">${proposal ? t('Save suggestion') : t('Save')}</button>
<button class="button" type="submit" name="action" value="preview" data-without-script>${t('Preview')}</button>
<a class="button plain" href="${
      proposal?.number === undefined ? pageUrl(slug, path) : changeRequestUrl({ space: slug, number: proposal.number })
    }">${t('Cancel')}</a>
${
  !proposal &&
  html`<a class="button plain" href="${uploadUrl(slug, { page: path })}" target="_blank"
    data-without-script>${t('Upload files')}</a>`
}
<span class="state" role="status"></span>
</div>
</form>
${below}
</div>`,
  }
}

/** Where the text is kept while it is typed; without a path, of a new page. */
export function unsavedData(
  {
    space,
    actorId,
    unsavedAt,
    editedPage,
  }: Pick<EditView, 'actorId' | 'unsavedAt' | 'editedPage'> & { readonly space: { readonly slug: string } },
  path?: string,
): Html {
  const url = withQuery(apiOwnUrl('unsaved', space.slug, path), { editedPage })
  return html`data-owner="${actorId}" data-unsaved="${url}"${
    unsavedAt !== undefined && html` data-unsaved-at="${unsavedAt}"`
  }`
}

function editTabs({ space: { slug: space }, path, proposal }: EditView): Html {
  if (!proposal) return pageTabs({ space, path, editable: true }, 'Edit')
  if (proposal.number !== undefined) return previewTabs(space, path, proposal.number, 'Edit')
  return pageTabs({ space, path, editable: proposal.editable }, 'Suggest')
}

/** A longer text is in `noscript`: its text area takes browsers seconds, and the script replaces it anyway. */
const MAX_SHOWN_TEXT = 100_000

/** The text and its preview. The HTML parser drops a line break at the start of a text area, so one is added. */
export function panes(text: string, preview: string | undefined): Html {
  const area = html`<textarea class="input" dir="auto" id="body" name="body" rows="24" spellcheck="true">
${text}</textarea>`
  return html`<div class="panes single">
<div class="pane">
<label class="visually-hidden" for="body">${t('Markdown')}</label>
${text.length > MAX_SHOWN_TEXT ? html`<noscript>${area}</noscript>` : area}
</div>
<section class="pane preview" aria-label="${t('Preview')}"${preview === undefined && trusted(' hidden')} tabindex="0">
<div class="prose">${trusted(preview ?? '')}</div></section>
</div>`
}
