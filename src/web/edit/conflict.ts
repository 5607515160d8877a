import type { Ctx } from '../../access/ctx.ts'
import type { PageAddress } from '../../http/page-address.ts'
import { markedText, merge3, type Piece, settledText } from '../../lib/merge.ts'
import { type PageRevision, readPage } from '../../pages/read.ts'
import { type Html, html } from '../html.ts'
import { time } from '../time.ts'

/** What is to be shown when someone else wrote the page meanwhile. */
export interface Conflict {
  readonly latest: PageRevision
  /** Both texts in one; where it is not settled, with both sides between marks. */
  readonly text: string
  readonly notice: Html
  /** Both texts as they are, so that nothing is lost whatever becomes of the merge. */
  readonly both: Html
}

/** Merges a text that was made from version `base` with the page as it stands now. */
export async function mergeWithLatest(
  ctx: Ctx,
  address: PageAddress,
  mine: { readonly base: number; readonly text: string },
): Promise<Conflict> {
  const [latest, base] = await Promise.all([
    readPage(ctx, address),
    readPage(ctx, { ...address, version: mine.base }),
  ])
  const theirs = textOf(latest)
  const pieces = merge3(textOf(base), mine.text, theirs)
  const text =
    settledText(pieces) ?? markedText(pieces, { mine: 'yours', theirs: `version ${latest.version}` })
  return {
    latest,
    text,
    notice: noticeOf(latest, pieces),
    both: bothTexts(mine.text, theirs, latest.version),
  }
}

export function textOf(revision: PageRevision): string {
  return revision.content.body.toString('utf8')
}

function noticeOf({ row, version }: PageRevision, pieces: readonly Piece[]): Html {
  const places = pieces.filter(({ kind }) => kind === 'conflict').length
  const who = html`${row.updated_by_name} saved version ${version} while you wrote (${time(row.updated_at)}).`
  if (places === 0) {
    return html`<div class="notice info" role="alert"><p>${who} Your changes and theirs were merged below. Check the result, then save.</p></div>`
  }
  const what = places === 1 ? 'One place was' : `${places} places were`
  return html`<div class="notice warning" role="alert" data-conflicts="${places}"><p>${who} ${what} changed by both of you: there the text holds both, between lines of <code>&lt;&lt;&lt;&lt;&lt;&lt;&lt;</code> and <code>&gt;&gt;&gt;&gt;&gt;&gt;&gt;</code>. Choose what stays, then save. Nothing is saved yet.</p></div>`
}

function bothTexts(mine: string, theirs: string, version: number): Html {
  return html`<details class="both"><summary>Show both versions</summary>
<div class="sides">
<section aria-labelledby="mine-title"><h2 id="mine-title">Yours</h2><pre class="source" tabindex="0">${mine}</pre></section>
<section aria-labelledby="theirs-title"><h2 id="theirs-title">Version ${version}</h2><pre class="source" tabindex="0">${theirs}</pre></section>
</div></details>`
}
