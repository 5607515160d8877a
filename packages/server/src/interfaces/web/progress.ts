import { type Html, html, msg, t } from './html.ts'

/** For the head of a screen that shows progress: it refreshes itself where scripts are off. */
export const refresh = html`<noscript><meta http-equiv="refresh" content="2"></noscript>\n`

const COUNTS = {
  pages: { some: msg('{done, number} pages checked'), all: msg('{done, number} of {total, number} pages') },
  'pages and files': {
    some: msg('{done, number} pages and files checked'),
    all: msg('{done, number} of {total, number} pages and files'),
  },
} as const

/**
 * The progress of long work, which the island `progress` keeps up to date. At its end the island shows `whenDone`, or
 * else loads the screen again, which has the result.
 */
export function progressBar(
  { done, total }: { readonly done: number; readonly total?: number | undefined },
  counted: keyof typeof COUNTS,
  whenDone?: string,
): Html {
  const isKnown = total !== undefined && total > 0
  const { some, all } = COUNTS[counted]
  const text = isKnown ? t(all, { done, total }) : done > 0 ? t(some, { done }) : t('Reading')
  return html`<div class="progress" data-running${whenDone !== undefined && html` data-when-done="${whenDone}"`}>
<progress aria-label="${t('Progress')}"${isKnown && html` max="${total}" value="${Math.min(done, total)}"`}></progress>
<p>${text}</p>
</div>`
}
