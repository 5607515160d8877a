import { type Html, html, trusted } from './html.ts'

/** Whether a recent time is shown as how long ago it was, which does not fit every sentence. */
export type TimeForm = 'relative' | 'absolute'

/** A time to the minute, in UTC; the island `shell` shows it in the time zone of the browser. */
export function time(at: Date, form: TimeForm = 'relative'): Html {
  const iso = at.toISOString()
  return html`<time datetime="${iso}"${
    form === 'absolute' && trusted(' data-absolute')
  }>${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`
}
