import { type Html, html } from './html.ts'

/** For the head of a screen that shows progress: it refreshes itself where scripts are off. */
export const refresh = html`<noscript><meta http-equiv="refresh" content="2"></noscript>\n`

/**
 * The progress of long work, which the island `progress` keeps up to date. At its end the island shows `whenDone`, or
 * else loads the screen again, which has the result.
 */
export function progressBar(
  { done, total }: { readonly done: number; readonly total?: number | undefined },
  countText: string,
  whenDone?: string,
): Html {
  const isKnown = total !== undefined && total > 0
  const text = isKnown ? `${done} of ${total} ${countText}` : done > 0 ? `${done} ${countText} checked` : 'Reading'
  return html`<div class="progress" data-running${whenDone !== undefined && html` data-when-done="${whenDone}"`}>
<progress aria-label="Progress"${isKnown && html` max="${total}" value="${Math.min(done, total)}"`}></progress>
<p>${text}</p>
</div>`
}
