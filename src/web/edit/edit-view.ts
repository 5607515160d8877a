import { editUrl, pageUrl, previewUrl } from '../addresses.ts'
import { assetPath } from '../assets.ts'
import { type Html, type HtmlValue, html, trusted } from '../html.ts'
import { layout } from '../layout.ts'
import { pageCrumbs, pageTabs } from '../tabs.ts'

export interface EditView {
  readonly space: { readonly slug: string; readonly name: string }
  readonly path: string
  readonly title: string
  /** The version that the text was made from. */
  readonly base: number
  readonly text: string
  readonly note: string
  /** Whose drafts the browser keeps. */
  readonly actorId: string
  readonly csrf: Html | undefined
  /** Styles that the editor makes carry it. */
  readonly nonce: string
  /** What is said above the text, such as that someone else wrote meanwhile. */
  readonly notice?: HtmlValue
  /** Shown below it. */
  readonly below?: HtmlValue
  /** The text as HTML, where it was asked for without script. */
  readonly preview?: string | undefined
  /** Whether the text is something else than what was typed last, and is not to give way to a kept draft. */
  readonly isMerge?: boolean
}

export const MAX_NOTE = 500

/** The screen where a page is written. Its form does without script; an island puts an editor in its place. */
export function editDocument(view: EditView): string {
  const { space, path, title, base, notice, below } = view
  return layout({
    title: `Edit ${title} · ${space.name}`,
    crumbs: pageCrumbs(space, path),
    tabs: pageTabs({ space: space.slug, path, editable: true }, 'Edit'),
    space: space.slug,
    head: html`<meta name="style-nonce" content="${view.nonce}">\n<meta name="maths-sheet" content="${assetPath('maths.css')}">\n`,
    sheets: ['editor.css'],
    islands: ['editor'],
    main: html`<div class="screen wide editing">
<h1 class="visually-hidden">Edit ${title}</h1>
${notice}
<form class="editor" method="post" action="${editUrl(space.slug, path)}" data-page="${pageUrl(space.slug, path)}" data-preview="${previewUrl(space.slug, path)}" data-space="${space.slug}" data-draft="${view.actorId}/${space.slug}/${path}"${view.text.includes('\r\n') && !/(?<!\r)\n/.test(view.text) && trusted(' data-line-end=crlf')}${view.isMerge && trusted(' data-merge')}>
${view.csrf}
<input type="hidden" name="base" value="${base}">
${panes(view.text, view.preview)}
<div class="save-bar">
<label for="note">What changed</label>
<input class="input" id="note" name="note" value="${view.note}" maxlength="${MAX_NOTE}" autocomplete="off" placeholder="A note for the history, if you like">
<button class="button primary" type="submit">Save</button>
<button class="button" type="submit" name="action" value="preview" data-without-script>Preview</button>
<a class="button plain" href="${pageUrl(space.slug, path)}">Cancel</a>
<span class="state" role="status"></span>
</div>
</form>
${below}
</div>`,
  })
}

/** The text, and beside it what it looks like. The parser drops a line break that stands first in a text area. */
export function panes(text: string, preview: string | undefined): Html {
  return html`<div class="panes">
<div class="pane">
<label class="visually-hidden" for="body">Markdown</label>
<textarea class="input" id="body" name="body" rows="24" spellcheck="true">
${text}</textarea>
</div>
<section class="pane preview" aria-label="Preview"${preview === undefined && trusted(' hidden')} tabindex="0"><div class="prose">${trusted(preview ?? '')}</div></section>
</div>`
}
