import { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import { type MergedPart, markedText, merge3, settledText } from '@recto/lib/text/merge.ts'
import { toEditor } from '../../../access/authors.ts'
import type { PagesCtx } from '../../../content/pages/ctx.ts'
import { type PageRevision, readPage } from '../../../content/pages/read.ts'
import { type Html, html, t } from '../html.ts'
import { authorName } from '../rows.ts'
import { orFormError } from '../screen.ts'

/**
 * Three-way merge of a text that is based on version `base` with the current version of the page, or with its draft in
 * the change request of the context. A page that the request creates has no version: its base is 0.
 */
export async function mergeWithLatest(
  ctx: PagesCtx,
  address: PageAddress,
  mine: { readonly base: number; readonly text: string },
) {
  const [latest, base] = await Promise.all([
    readPage(ctx, address),
    mine.base > 0 ? readPage(ctx, { ...address, version: mine.base }) : undefined,
  ])
  const theirs = readBody(latest)
  const pieces = merge3(base ? readBody(base) : '', mine.text, theirs)
  const text = settledText(pieces) ?? markedText(pieces, { mine: 'yours', theirs: nameState(latest) })
  return {
    latest,
    /** The merged text, with conflict markers where both changed the same lines. */
    text,
    notice: renderNotice(latest, pieces),
    /** Both texts unchanged, so that nothing is lost. */
    both: bothTexts(
      mine.text,
      theirs,
      latest.row.draft ? t('The draft') : t('Version {version}', { version: latest.version }),
    ),
  }
}

/** What the editor shows of a draft whose page was changed since: both, merged. Saved, it is based on that version. */
export async function mergeWithPage(ctx: PagesCtx, { space, row, version, content }: PageRevision) {
  const { draft } = row
  const path = draft?.page_path
  if (!path || draft.revision_id === null) return {}
  const { overlay: _, ...direct } = ctx
  const draftText = { base: version, text: content.body.toString('utf8') }
  const mergedText = await orFormError(() => mergeWithLatest(direct, { space: space.slug, path }, draftText))
  if (mergedText instanceof AppError || mergedText.latest.version === version) return {}
  const { latest, both, ...text } = mergedText
  return { ...text, base: latest.version, below: both, isMerge: true }
}

export function readBody(revision: PageRevision): string {
  return revision.content.body.toString('utf8')
}

/** In the marker of a conflict, which the editor reads. */
function nameState({ row, version }: PageRevision): string {
  return row.draft ? 'the draft' : `version ${version}`
}

function renderNotice(latest: PageRevision, pieces: readonly MergedPart[]): Html {
  const { row, version } = latest
  const places = pieces.filter(({ kind }) => kind === 'conflict').length
  const name = authorName(toEditor(row))
  const who = row.draft
    ? t('{name} saved the draft while you were editing.', { name })
    : t('{name} saved version {version} while you were editing.', { name, version })
  if (places === 0) {
    return html`<div class="notice info" role="alert"><p>
${who} ${t('Your changes and theirs were merged below. Check the result, then save.')}</p></div>`
  }
  return html`<div class="notice warning" role="alert" data-conflicts="${places}"><p>${who} ${t(
    '{places, plural, one {One place was} other {# places were}} changed by both of you: the text contains both ' +
      'versions, between {start} and {end}. Choose what to keep, then save. Nothing is saved yet.',
    { places, start: html`<code>${'<'.repeat(7)}</code>`, end: html`<code>${'>'.repeat(7)}</code>` },
  )}</p></div>`
}

function bothTexts(mine: string, theirs: string, name: string): Html {
  return html`<details class="both"><summary>${t('Show both versions')}</summary>
<div class="sides">
<section aria-labelledby="mine-title"><h2 id="mine-title">${t('Yours')}</h2><pre class="source"
  tabindex="0">${mine}</pre></section>
<section aria-labelledby="theirs-title"><h2 id="theirs-title">${name}</h2><pre class="source"
  tabindex="0">${theirs}</pre></section>
</div></details>`
}
